"""The models the stand-in serves and what each allows."""

from dataclasses import dataclass
from typing import Any

EFFORTS = ("low", "medium", "high", "xhigh", "max")
THINKING_TYPES = ("adaptive", "between_tools", "disabled", "enabled")
UP_TO_HIGH = EFFORTS[:3]


@dataclass(frozen=True, slots=True)
class Model:
    """One model's limits (tokens) and rules. All of them bind thinking to its prefix."""

    id: str
    line: str
    thinking: tuple[str, ...]
    default_effort: str
    system_messages: bool = True
    context_tokens: int = 1_000_000
    output_tokens: int = 128_000
    min_cache_tokens: int = 512


MODELS = {
    model.id: model
    for model in (
        Model(
            "claude-haiku-5-5",
            "haiku",
            thinking=("adaptive", "disabled"),  # `disabled` only up to effort `high`
            default_effort="medium",
            system_messages=False,  # unconfirmed for this model, so not to be relied on
        ),
        Model("claude-sonnet-5-5", "sonnet", ("adaptive", "between_tools"), "high"),
        Model("claude-opus-5-5", "opus", ("adaptive",), "medium"),
        Model("claude-fable-5-1", "fable", ("adaptive",), "high"),
    )
}


NAMED = {"GLOSSATOR_MODEL": "claude-sonnet-5-5", "GLOSSATOR_FAST_MODEL": "claude-haiku-5-5"}
"""The environment that names them: at a server on this machine, others have no price."""


def describe(model: Model) -> dict[str, Any]:
    """The model as `GET /v1/models/{id}` returns it."""
    return {
        "type": "model",
        "id": model.id,
        "display_name": model.id.replace("-", " ").title(),
        "created_at": "2026-10-01T00:00:00Z",
        "lifecycle": "active",
        "deprecated_at": None,
        "retires_at": None,
        "line": model.line,
        "max_input_tokens": model.context_tokens,
        "max_tokens": model.output_tokens,
        "capabilities": _capabilities(model),
    }


def _capabilities(model: Model) -> dict[str, Any]:
    yes, no = {"supported": True}, {"supported": False}
    thinking = {kind: yes if kind in model.thinking else no for kind in THINKING_TYPES}
    return {
        "batch": yes,
        "citations": yes,
        "code_execution": yes,
        "context_management": yes | {"clear_tool_uses_20250919": yes, "compact_20260112": yes},
        "effort": yes | dict.fromkeys(EFFORTS, yes),
        "image_input": yes,
        "pdf_input": yes,
        "server_tools": yes | {"code_execution": yes, "web_search": yes},
        "structured_outputs": yes,
        "thinking": yes | {"types": thinking},
    }
