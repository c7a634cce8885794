"""What depends on the model: whether it exists, its limits and its kinds of thinking."""

from tests.standin.content import tokens_in
from tests.standin.errors import Refusal
from tests.standin.models import MODELS, UP_TO_HIGH
from tests.standin.rules.call import Call


def known_model(call: Call) -> None:
    """A model this stand-in serves; else 404."""
    if call.body["model"] not in MODELS:
        raise Refusal(f"model: {call.body['model']}", 404)


def token_limits(call: Call) -> None:
    """`max_tokens` within the model's output, the prompt within its context (tokens)."""
    if not call.counting:
        asked, most = call.body["max_tokens"], call.model.output_tokens
        if asked < 0:
            raise Refusal("max_tokens: Input should be greater than or equal to 0")
        if asked > most:
            raise Refusal(f"max_tokens: {asked} > {most}, the maximum for {call.model.id}")
    prompt = sum(tokens_in(call.body.get(part, "")) for part in ("tools", "system", "messages"))
    if prompt > call.model.context_tokens:
        raise Refusal(f"prompt is too long: {prompt} tokens > {call.model.context_tokens} maximum")


def thinking_type(call: Call) -> None:
    """A kind of thinking the model has, at an effort that goes with it."""
    kind = call.body.get("thinking", {}).get("type", "adaptive")
    if kind not in call.model.thinking:
        allowed = " or ".join(f"`{known}`" for known in call.model.thinking)
        raise Refusal(f"thinking.type: `{kind}` is not supported by {call.model.id}; use {allowed}")
    effort = call.body.get("output_config", {}).get("effort") or call.model.default_effort
    if kind == "disabled" and effort not in UP_TO_HIGH:
        raise Refusal(f"thinking.type: `disabled` is not supported at effort `{effort}`")


def pre_warming(call: Call) -> None:
    """`max_tokens: 0` only fills the cache: nothing streamed, thought or formatted."""
    if call.counting or call.body["max_tokens"] != 0:
        return
    thinks = call.body.get("thinking", {}).get("type", "disabled") != "disabled"
    clashes = {
        "stream": call.body.get("stream"),
        "thinking": thinks,
        "output_config.format": call.body.get("output_config", {}).get("format"),
    }
    for name, clash in clashes.items():
        if clash:
            raise Refusal(f"{name}: not supported when `max_tokens` is 0")
