"""The prompt cache: which tokens of a request are read, written or plain input.

Blocks are chained in the order tools, system, messages; each link's hash covers all before it.
Deferred tools are no part of the prompt; a reference to one among the messages is.
A breakpoint writes an entry for its link; a later request reads the longest link it shares with an
entry at, or at most 20 blocks before, one of its own breakpoints. Entries never expire here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.standin.content import blocks_of, digest, located_blocks, measured, nested
from tests.standin.models import Model

Json = dict[str, Any]
LOOK_BACK = 20  # blocks before a breakpoint in which an older entry is still found


@dataclass(frozen=True, slots=True)
class Link:
    """The prompt up to and including one block: its hash, its tokens and the breakpoint, if any."""

    hash: str
    tokens: int
    ttl: str | None


class PromptCache:
    """The entries one server holds, by link hash."""

    def __init__(self) -> None:
        self._entries: set[str] = set()

    def charge(self, links: list[Link], model: Model) -> Json:
        """The input side of `usage` for this prompt, whose breakpoints become entries."""
        marked = [i for i, link in enumerate(links) if link.ttl]
        read = max((self._hit(links, i) for i in marked), default=0)
        written = {"5m": 0, "1h": 0}
        done = read
        for link in (links[i] for i in marked):
            if link.tokens < model.min_cache_tokens or link.ttl is None:
                continue  # below the minimum a prompt silently stays uncached
            self._entries.add(link.hash)
            written[link.ttl] += max(0, link.tokens - done)
            done = max(done, link.tokens)
        return {
            "input_tokens": prompt_tokens(links) - done,
            "cache_creation_input_tokens": sum(written.values()),
            "cache_read_input_tokens": read,
            "cache_creation": {f"ephemeral_{ttl}_input_tokens": n for ttl, n in written.items()},
            "service_tier": "standard",
        }

    def _hit(self, links: list[Link], mark: int) -> int:
        nearby = reversed(links[max(0, mark - LOOK_BACK) : mark + 1])
        return next((link.tokens for link in nearby if link.hash in self._entries), 0)


def prompt_tokens(links: list[Link]) -> int:
    """The estimated tokens of a whole chain."""
    return links[-1].tokens if links else 0


def chain(body: Json) -> Iterator[Link]:
    """The links of a request's prompt, tools first."""
    hash_, tokens = digest([body["model"]]), 0
    parts = list(_parts(body))
    last = max((i for i, (_, block) in enumerate(parts) if cacheable(block)), default=None)
    for index, (part, block) in enumerate(parts):
        of_block, content = measured(block)
        tokens += of_block
        hash_ = digest([hash_, part, content])
        control = _cache_control(block)
        if index == last and body.get("cache_control"):
            control = body["cache_control"]
        yield Link(hash_, tokens, control.get("ttl", "5m") if control else None)


def cacheable(block: Json) -> bool:
    """Whether a block may carry a breakpoint."""
    if block.get("type") in {"thinking", "redacted_thinking"}:
        return False
    return block.get("type") != "text" or bool(block["text"])


def _parts(body: Json) -> Iterator[tuple[Any, Json]]:
    at_hand = (tool for tool in body.get("tools", []) if not tool.get("defer_loading"))
    yield from (("tools", tool) for tool in at_hand)
    yield from (("system", block) for block in blocks_of(body.get("system", [])))
    choices = [body.get(k) for k in ("tool_choice", "thinking")]
    effort = (body.get("output_config") or {}).get("effort")
    located = list(located_blocks(body))
    images = any(_has_image(path, block) for path, _, block in located)
    seed = digest([*choices, effort, images])  # what kills the messages' part of the cache
    yield from (([seed, role], block) for _, role, block in located)


def _has_image(path: str, block: Json) -> bool:
    return any(part.get("type") == "image" for _, part in nested(path, block))


def _cache_control(block: Json) -> Json | None:
    controls = (part.get("cache_control") for _, part in nested("", block))
    return next((control for control in controls if control), None)
