"""A model request as the bytes of `POST /v1/messages`.

The same conversation always gives the same bytes, so that the provider's prompt cache and its
binding of thinking to the prefix hold from turn to turn.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, repeat
from types import MappingProxyType
from typing import Any, Literal

from glossator.core.prompts import load_prompt
from glossator.core.tokens import Price
from glossator.llm.backends import LearntLimits
from glossator.llm.model import ContentBlock, EncodedRequest, Message, ModelRequest, ToolSpec
from glossator.llm.model_facts import ModelFacts, ProviderProfile

ThinkingDisplay = Literal["summarized", "omitted"]

DEFAULT_MAX_OUTPUT = 32_000  # tokens; room for a long edit, without reserving a model's maximum
_MIN_REPLY_TOKENS = 512  # tokens, in the smallest window

_TOOL_SEARCH = {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}

_BREAKPOINTS: dict[Literal["5m", "1h"], ContentBlock] = {
    "5m": {"type": "ephemeral"},
    "1h": {"type": "ephemeral", "ttl": "1h"},
}
_CACHEABLE = frozenset({"document", "image", "search_result", "text", "tool_result", "tool_use"})

# As the provider's own SDK writes JSON: no spaces, no escapes that are not needed, no NaN.
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_OPENING = frozenset({"system", "tools"})  # long, and the same in all requests of a conversation


class CacheLifetime(StrEnum):
    """How long entries of the prompt cache live without being read.

    A longer life costs more to write. The provider takes hour-long entries only before shorter
    ones, so messages cannot outlive the system prompt.
    """

    MINUTES = "5m"
    HOUR_FOR_SYSTEM = "1h-system"  # the messages five minutes
    HOUR = "1h"

    @property
    def of_system(self) -> Literal["5m", "1h"]:
        """The lifetime of tools and system prompt."""
        return "5m" if self is CacheLifetime.MINUTES else "1h"

    @property
    def of_messages(self) -> Literal["5m", "1h"]:
        """The lifetime of messages."""
        return "1h" if self is CacheLifetime.HOUR else "5m"


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Choices for every request of a model; `prices`, by model id, win over the catalogue's.

    `limits` remembers what servers refuse.
    """

    cache: CacheLifetime = CacheLifetime.MINUTES
    thinking: ThinkingDisplay = "summarized"
    prices: Mapping[str, Price] = field(default_factory=lambda: MappingProxyType({}))
    limits: LearntLimits = field(default_factory=LearntLimits)


DEFAULT_OPTIONS = ModelOptions()


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
        "max_tokens": longest_reply(request, facts),
    }
    if system := [{"type": "text", "text": text} for text in request.system if text]:
        body["system"] = system
    if request.tools:
        body["tools"] = _tools(request.tools, profile)
    body["messages"] = adapt(request.messages, profile)
    if thinking := _thinking(request, facts, profile, options):
        body["thinking"] = thinking
    output: dict[str, Any] = {}
    if wanted := _effort(request, facts, profile, effort):
        output["effort"] = wanted
    if request.output_schema is not None and profile.output_format:
        output["format"] = {"type": "json_schema", "schema": request.output_schema}
    if output:
        body["output_config"] = output
    if profile.cache_diagnostics and request.shared_blocks is None:
        body["diagnostics"] = {"previous_message_id": request.previous_reply}
    if not profile.cache_control:
        return body
    if request.shared_blocks is not None:
        return _with_shared(body, request.shared_blocks)
    return with_breakpoints(body, options.cache)


def longest_reply(request: ModelRequest, facts: ModelFacts) -> int:
    """The most tokens that the reply may have: servers add them to the request's tokens."""
    wanted = request.max_output_tokens or DEFAULT_MAX_OUTPUT
    return min(wanted, facts.max_output, max(facts.window // 4, _MIN_REPLY_TOKENS))


def _thinking(
    request: ModelRequest, facts: ModelFacts, profile: ProviderProfile, options: ModelOptions
) -> dict[str, Any] | None:
    if not profile.thinking or facts.thinking != "adaptive":
        return None
    if not request.thinks and facts.least_thinking != "adaptive":
        return {"type": facts.least_thinking}
    return {"type": "adaptive", "display": options.thinking}


def _effort(
    request: ModelRequest, facts: ModelFacts, profile: ProviderProfile, effort: str | None
) -> str | None:
    if not profile.effort:
        return None
    if request.thinks or request.effort:
        return request.effort or effort
    # Thinking can be disabled only at lower efforts, so the role's own does not count.
    return "low" if "low" in (facts.efforts or ()) else None


def _with_shared(body: dict[str, Any], blocks: int) -> dict[str, Any]:
    """A copy of the body with one breakpoint, after so many blocks of its first message."""
    if not blocks:
        return body
    first, *others = body["messages"]
    content = _mark(first["content"], {blocks - 1}, _BREAKPOINTS["5m"])
    return {**body, "messages": [{**first, "content": content}, *others]}


def _tools(tools: tuple[ToolSpec, ...], profile: ProviderProfile) -> list[dict[str, Any]]:
    """All tools; deferred ones stand last, behind the provider's search tool if it has one."""
    if not profile.tool_search or not any(tool.deferred for tool in tools):
        return [_tool(tool) for tool in tools]
    immediate = [_tool(tool) for tool in tools if not tool.deferred]
    deferred = [{**_tool(tool), "defer_loading": True} for tool in tools if tool.deferred]
    return [*immediate, dict(_TOOL_SEARCH), *deferred]


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.input_schema,
    }


def adapt(messages: Sequence[Message], profile: ProviderProfile) -> list[Message]:
    """The messages without blocks that the server does not know; others stay the same objects."""
    if profile.citations and profile.search_results and profile.images:
        return list(messages)
    return [_adapt_message(message, profile) for message in messages]


def _adapt_message(message: Message, profile: ProviderProfile) -> Message:
    content = _adapt_blocks(message["content"], profile)
    if content is message["content"]:
        return message
    return {"role": message["role"], "content": content}


def _adapt_blocks(blocks: list[ContentBlock], profile: ProviderProfile) -> list[ContentBlock]:
    adapted = [_adapt_block(block, profile) for block in blocks]
    return blocks if all(map(operator.is_, adapted, blocks)) else adapted


def _adapt_block(block: ContentBlock, profile: ProviderProfile) -> ContentBlock:
    inner = block.get("content")
    if block.get("type") == "tool_result" and isinstance(inner, list):
        content = _adapt_blocks(inner, profile)
        return block if content is inner else {**block, "content": content}
    if block.get("type") == "image" and not profile.images:
        return {"type": "text", "text": load_prompt("user/unseen").render()}
    if block.get("type") != "search_result":
        return block
    if profile.search_results:
        return {key: value for key, value in block.items() if key != "citations"}
    passages = (passage["text"] for passage in block["content"])
    return {"type": "text", "text": "\n".join((f"{block['title']} ({block['source']})", *passages))}


def with_breakpoints(
    body: dict[str, Any], lifetime: CacheLifetime = CacheLifetime.MINUTES
) -> dict[str, Any]:
    """A request's body with prompt-cache breakpoints, of which the provider allows four.

    1. The first system block, equal for every user and project.
    2. The last system block, equal for the session; tools stand before it.
    3. The end of the previous request, where the last reply left its entry.
    4. The end of this request, which the next one reads.

    The third is needed because a breakpoint looks back only 20 blocks, and one round of parallel
    tool calls can add more. Moving `cache_control` does not change the prefix.
    Source: the provider's "Prompt caching".
    """
    # Marks go onto copies: the blocks are the conversation's, whose bytes stay (decision 0021).
    laid_out = dict(body)
    if system := body.get("system"):
        marked = {0, len(system) - 1}
        laid_out["system"] = _mark(system, marked, _BREAKPOINTS[lifetime.of_system])
    breakpoint_ = _BREAKPOINTS[lifetime.of_messages]
    messages = list(body["messages"])
    for number in _ends(messages):
        if (block := _last_cacheable(messages[number]["content"])) is not None:
            content = _mark(messages[number]["content"], {block}, breakpoint_)
            messages[number] = {**messages[number], "content": content}
    return {**laid_out, "messages": messages}


def _ends(messages: list[dict[str, Any]]) -> set[int]:
    """The indices of this request's last message and of the one the newest reply answered."""
    replies = (n for n in range(len(messages) - 1, 0, -1) if messages[n]["role"] == "assistant")
    newest_reply = next(replies, 0)
    return {number for number in (newest_reply - 1, len(messages) - 1) if number >= 0}


def _last_cacheable(content: list[ContentBlock]) -> int | None:
    numbers = range(len(content) - 1, -1, -1)
    return next((number for number in numbers if _is_cacheable(content[number])), None)


def _is_cacheable(block: ContentBlock) -> bool:
    return block.get("type") in _CACHEABLE and not (block["type"] == "text" and not block["text"])


def _mark(
    blocks: list[ContentBlock], numbers: Iterable[int], breakpoint_: ContentBlock
) -> list[ContentBlock]:
    marked = list(blocks)
    for number in numbers:
        marked[number] = {**marked[number], "cache_control": breakpoint_}
    return marked


def encode_body(body: Mapping[str, Any], known: EncodedRequest) -> bytes:
    """The body as JSON. `known` holds the bytes of the conversation's last request, and is updated.

    A conversation only grows, and only its newest messages bear breakpoints: the time to encode a
    request depends on what is new in it. Raises `ValueError` or `TypeError` for what JSON cannot
    represent.
    """
    parts: list[bytes] = []  # joined once: a long conversation is megabytes
    for name, value in body.items():
        parts += [b"," if parts else b"{", _encode(name), b":"]
        if name == "messages":
            parts += _encode_each(value, known)
        elif name in _OPENING:
            parts.append(_encode_opening(name, value, known))
        else:
            parts.append(_encode(value))
    return b"".join([*parts, b"}"])


def _encode_opening(name: str, value: object, known: EncodedRequest) -> bytes:
    before, encoded = known.opening.get(name, (None, b""))
    if before != value:
        encoded = _encode(value)
        known.opening[name] = value, encoded
    return encoded


def _encode_each(messages: Sequence[Message], known: EncodedRequest) -> list[bytes]:
    before = chain(known.messages, repeat((None, b"")))
    known.messages = [
        (message, encoded if same is message else _encode(message))
        for message, (same, encoded) in zip(messages, before, strict=False)
    ]
    parts = [part for _, encoded in known.messages for part in (b",", encoded)]
    return [b"[", *parts[1:], b"]"]


def _encode(value: object) -> bytes:
    """Encode as UTF-8, with U+FFFD in place of lone surrogates."""
    text = _ENCODER.encode(value)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
