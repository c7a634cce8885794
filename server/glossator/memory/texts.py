"""Memories in words: one whole, and the list of all in a line each.

The list is `MEMORY.md` beside the files, and a section of the system prompt. Memories that were
changed last come first. Where there are too many, the others are counted; they can still be
recalled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from glossator.core.prompts import load_prompt
from glossator.core.shown import in_tags, shown_prose
from glossator.core.tool_result import Budget, cut
from glossator.memory.entry import Memory
from glossator.memory.standing import age, origin

INDEX = "MEMORY.md"
MAX_LINES = 200
_MAX_BYTES = 25_000  # of what the system prompt gets
_UNLISTED = re.compile(r"^- ([\d,]+) more, changed longer ago, are not listed;", re.MULTILINE)
_HEAD = "<!-- Glossator keeps this list of the files beside it; change those. -->"


def index_file(memories: Sequence[Memory]) -> str:
    """The content of `MEMORY.md`."""
    newest = newest_first(memories)
    lines = (f"- [{_bare(each.name)}]({each.path.name}): {each.description}" for each in newest)
    return "\n".join((_HEAD, *_first(newest, lines, MAX_LINES - 1), ""))


def index_section(
    memories: Sequence[Memory], now: datetime, gone: Callable[[Memory], Sequence[str]]
) -> str:
    """What the system prompt says of the memories; "" without any.

    `gone` gives what a memory names and is there no more.
    """
    if not memories:
        return ""
    newest = newest_first(memories)
    lines = (
        f"- {each.name} ({each.type}, {each.where}, {age(each.updated, now)}"
        f"{''.join(f'; stale: {reason}' for reason in gone(each))}): {each.description}"
        for each in newest[:MAX_LINES]
    )
    listed = "\n".join(_first(newest, lines, MAX_LINES))
    return load_prompt("system/memory").render(memories=in_tags(listed))


def unlisted(index: str) -> str:
    """How many memories have no line in an `index_section`, in words; "" if all have one."""
    found = _UNLISTED.search(index)
    return f"{found[1]} more, which are still recalled" if found else ""


def memory_text(memory: Memory, now: datetime, gone: Sequence[str] = ()) -> str:
    """A whole memory for the model, with what it names and is `gone`."""
    return load_prompt("user/memory").render(
        name=memory.name,
        type=memory.type,
        where=memory.where,
        origin=origin(memory, now),
        stale="".join(f"; stale: {reason}" for reason in gone),
        text=in_tags(shown_prose(f"{memory.description}\n\n{memory.text}".strip())),
    )


def newest_first(memories: Iterable[Memory]) -> list[Memory]:
    """The memories, those that were changed last first."""
    return sorted(memories, key=lambda each: (-each.updated.timestamp(), each.name))


def _first(memories: Sequence[Memory], lines: Iterable[str], most: int) -> list[str]:
    """At most so many lines; the last one says how many memories have none."""
    kept, _ = cut(lines, Budget(items=most, bytes=_MAX_BYTES))
    if len(kept) == len(memories):
        return kept
    kept = kept[: most - 1]
    left = len(memories) - len(kept)
    return [*kept, f"- {left:,} more, changed longer ago, are not listed; they are still recalled."]


def _bare(name: str) -> str:
    return name.replace("[", "(").replace("]", ")")
