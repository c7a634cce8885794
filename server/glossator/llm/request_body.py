"""A model request as the body of `POST /v1/messages`.

The same conversation always gives the same bytes, so that the provider's prompt cache and its
binding of thinking to the prefix hold from turn to turn.
"""

from __future__ import annotations

from typing import Any

from glossator.llm.cache_layout import with_breakpoints
from glossator.llm.catalog import ModelFacts
from glossator.llm.model import ModelRequest, ToolSpec
from glossator.llm.options import DEFAULT_OPTIONS, ModelOptions
from glossator.llm.profiles import ProviderProfile, adapt

DEFAULT_MAX_OUTPUT = 32_000  # tokens; room for a long edit, without reserving a model's maximum

_TOOL_SEARCH = {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}


def build_body(
    request: ModelRequest,
    facts: ModelFacts,
    profile: ProviderProfile,
    effort: str | None,
    options: ModelOptions = DEFAULT_OPTIONS,
) -> dict[str, Any]:
    """The body, without `stream`. `effort` is the role's, used when the request names none."""
    body: dict[str, Any] = {
        "model": facts.id,
        "max_tokens": min(request.max_output_tokens or DEFAULT_MAX_OUTPUT, facts.max_output),
    }
    if system := [{"type": "text", "text": text} for text in request.system if text]:
        body["system"] = system
    if request.tools:
        body["tools"] = _tools(request.tools, profile)
    body["messages"] = adapt(request.messages, profile)
    if profile.thinking and facts.thinking == "adaptive":
        body["thinking"] = {"type": "adaptive", "display": options.thinking}
    if profile.effort and (wanted := request.effort or effort):
        body["output_config"] = {"effort": wanted}
    if profile.cache_diagnostics:
        body["diagnostics"] = {"previous_message_id": request.previous_reply}
    return with_breakpoints(body, options.cache) if profile.cache_control else body


def _tools(tools: tuple[ToolSpec, ...], profile: ProviderProfile) -> list[dict[str, Any]]:
    """All tools; the deferred ones last, behind the provider's search, where it has one."""
    if not profile.tool_search or not any(tool.deferred for tool in tools):
        return [_tool(tool) for tool in tools]
    at_hand = [_tool(tool) for tool in tools if not tool.deferred]
    rare = [{**_tool(tool), "defer_loading": True} for tool in tools if tool.deferred]
    return [*at_hand, dict(_TOOL_SEARCH), *rare]


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.input_schema,
    }
