"""Where a request's prompt-cache breakpoints stand.

The provider allows four. They follow the life of a conversation:

1. the first system block, equal for every user and project;
2. the last system block, equal for the session (and, before it, the tools);
3. the end of the previous request, where the last reply left its entry;
4. the end of this request, which the next one reads.

The third is needed because a breakpoint looks back 20 blocks only, and one round of parallel tool
calls can add more than that. The tools stand before the system prompt, so its breakpoints cover
them. Nothing but `cache_control` is added, and moving it is not a change of the prefix.
Source: the provider's "Prompt caching".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from glossator.llm.model import Block
from glossator.llm.options import CacheLifetime

_BREAKPOINTS: dict[Literal["5m", "1h"], Block] = {
    "5m": {"type": "ephemeral"},
    "1h": {"type": "ephemeral", "ttl": "1h"},
}
_CACHEABLE = frozenset({"document", "image", "search_result", "text", "tool_result", "tool_use"})


def with_breakpoints(
    body: dict[str, Any], lifetime: CacheLifetime = CacheLifetime.MINUTES
) -> dict[str, Any]:
    """A copy of a request's body with at most four breakpoints; the body itself is not touched."""
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
    """The last message of this request, and of the one that the newest reply answered."""
    replies = (n for n in range(len(messages) - 1, 0, -1) if messages[n]["role"] == "assistant")
    newest_reply = next(replies, 0)
    return {number for number in (newest_reply - 1, len(messages) - 1) if number >= 0}


def _last_cacheable(content: list[Block]) -> int | None:
    numbers = range(len(content) - 1, -1, -1)
    return next((number for number in numbers if _is_cacheable(content[number])), None)


def _is_cacheable(block: Block) -> bool:
    return block.get("type") in _CACHEABLE and not (block["type"] == "text" and not block["text"])


def _mark(blocks: list[Block], numbers: Iterable[int], breakpoint_: Block) -> list[Block]:
    marked = list(blocks)
    for number in numbers:
        marked[number] = {**marked[number], "cache_control": breakpoint_}
    return marked
