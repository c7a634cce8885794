"""Memories in words: one whole, the list of all, their age, and what they name that is gone.

The list is `MEMORY.md` beside the files, and a section of the system prompt. Memories that were
changed last come first. Where there are too many, the others are counted; they can still be
recalled.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from glossator.core.document import Document, MissingReason
from glossator.core.errors import TooManyOpenFiles, UsageError
from glossator.core.file_kinds import language_of
from glossator.core.prompts import load_prompt
from glossator.core.shown import in_tags, shown, shown_prose
from glossator.core.tool_result import Budget, cut
from glossator.memory.entry import Memory
from glossator.symbols import Name, SearchScope, SymbolFinder
from glossator.worker import JobFailed, WorkerGone
from glossator.workspace import WorkspaceSnapshot

INDEX = "MEMORY.md"
MAX_LINES = 200
IsHidden = Callable[[str], bool]

_MAX_BYTES = 25_000  # of what the system prompt gets
_UNLISTED = re.compile(r"^- ([\d,]+) more, changed longer ago, are not listed;", re.MULTILINE)
_NO_LINK = str.maketrans("[]", "()")
_HEAD = "<!-- Glossator keeps this list of the files beside it; change those. -->"
_LINES = re.compile(r"(?P<path>.+?):(?P<first>\d+)(?:-(?P<last>\d+))?")
_FILE_ENDING = re.compile(r"[\w-]\.(?:txt|cfg|ini|lock|css|html|sql|xml|rst|proto|svg|env|csv|tf)$")
_GONE = frozenset({MissingReason.ABSENT, MissingReason.OUTSIDE})
_UNITS = ((365, "year"), (30, "month"), (7, "week"), (1, "day"))  # in days


class _Place(NamedTuple):
    path: str
    line: int | None = None


def age(when: datetime, now: datetime) -> str:
    """`today`, `yesterday`, `3 months ago`, in whole days of 24 hours."""
    days = max((now - when).days, 0)
    if days < 2:
        return ("today", "yesterday")[days]
    size, unit = next((size, unit) for size, unit in _UNITS if days >= size)
    count = days // size
    return f"{count} {unit}{'s' * (count > 1)} ago"


def origin(memory: Memory, now: datetime) -> str:
    """`3 months ago, from session 1a2b: How do we test?`, for the model and the user."""
    words = age(memory.updated, now)
    source = shown(memory.source) if memory.source else "a file that somebody wrote"
    return f"{words}, from {source}"


def gone_places(
    memory: Memory, snapshot: WorkspaceSnapshot, hidden: IsHidden | None = None
) -> tuple[str, ...]:
    """The files and lines that a memory of this workspace names and that are gone; blocking.

    Files that rules hide are left out.
    """
    try:
        found = [_gone(name, snapshot, hidden) for name in _named(memory)]
    except TooManyOpenFiles:  # nothing is known about them
        return ()
    return tuple(filter(None, found))


async def gone_symbols(
    memory: Memory,
    snapshot: WorkspaceSnapshot,
    symbols: SymbolFinder,
    hidden: IsHidden | None,
    seconds: float,
) -> tuple[str, ...]:
    """The symbols that a memory of this workspace names and that nothing defines any more.

    One that cannot be looked up completely in the time counts as there.
    """
    if not snapshot.index_complete or not _named(memory):
        return ()
    found: list[str] = []
    try:
        names = await asyncio.to_thread(_symbols_of, memory, snapshot)
        async with asyncio.timeout(seconds):
            for name in names:
                undefined = await _is_undefined(name, snapshot, symbols, hidden)
                found += [f"{shown(name)} is not defined any more"] * undefined
    except (TimeoutError, TooManyOpenFiles):
        pass  # what was found until then holds
    return tuple(found)


def _symbols_of(memory: Memory, snapshot: WorkspaceSnapshot) -> list[str]:
    names = (name for name in _named(memory) if not re.search(r"\s", name))
    return [name for name in names if _place_of(name, snapshot) is None]


async def _is_undefined(
    name: str, snapshot: WorkspaceSnapshot, symbols: SymbolFinder, hidden: IsHidden | None
) -> bool:
    try:
        asked = Name.parse(name)
        hits = await symbols.definitions(snapshot, asked, SearchScope(hides=hidden))
    except (UsageError, WorkerGone, JobFailed):  # nothing is known then
        return False
    seen = hits.coverage
    complete = not (seen.unread or seen.unparsed or seen.worker_away)
    return complete and not hits.hits and not hits.mentions


def _named(memory: Memory) -> tuple[str, ...]:
    return () if memory.everywhere else memory.about


def _gone(name: str, snapshot: WorkspaceSnapshot, hidden: IsHidden | None) -> str:
    place = _place_of(name, snapshot)
    if place is None:
        return ""
    located = snapshot.folders.locate(place.path)
    if isinstance(located, str) and hidden is not None and hidden(located):
        return ""
    found = snapshot.read(place.path)
    if isinstance(found, Document):
        lines = len(found.lines)
        if place.line is not None and place.line > lines:
            return f"{shown(place.path)} ends at line {lines:,}, before line {place.line:,}"
        return ""
    if found.reason in _GONE:
        return f"{shown(place.path)} is gone"
    return ""  # a folder, or a file that is no text


def _place_of(name: str, snapshot: WorkspaceSnapshot) -> _Place | None:
    """The file (and line) that a name means; None for a symbol."""
    lines = _LINES.fullmatch(name)
    path = lines["path"] if lines else name
    last = int(lines["last"] or lines["first"]) if lines else None
    is_path = (
        lines is not None
        or "/" in path
        or language_of(path) is not None
        or _FILE_ENDING.search(path) is not None
        or _is_there(path, snapshot)
    )
    return _Place(path, last) if is_path else None


def _is_there(path: str, snapshot: WorkspaceSnapshot) -> bool:
    """Whether a file or folder has the path."""
    found = snapshot.read(path)
    return isinstance(found, Document) or found.reason not in _GONE


def index_file(memories: Sequence[Memory]) -> str:
    """The content of `MEMORY.md`."""
    newest = newest_first(memories)
    lines = (
        f"- [{each.name.translate(_NO_LINK)}]({each.path.name}): {each.description}"
        for each in newest
    )
    return "\n".join((_HEAD, *_first(newest, lines, MAX_LINES - 1), ""))


def index_section(
    memories: Sequence[Memory], now: datetime, gone: Callable[[Memory], Sequence[str]]
) -> str:
    """The section of the system prompt about memories; "" without any.

    `gone` gives what a memory names and no longer exists.
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


def memory_text(
    memory: Memory, now: datetime, gone: Sequence[str] = (), prompt: Sequence[str] = ()
) -> str:
    """A whole memory for the model, with what it names and is `gone`.

    It lacks the description if the memory's text repeats it, or the system `prompt` lists it.
    """
    description, text = memory.description, memory.text.strip()
    if not text or not (description in text or any(_is_listed(memory, part) for part in prompt)):
        text = f"{description}\n\n{text}".strip()
    return load_prompt("user/memory").render(
        name=memory.name,
        type=memory.type,
        where=memory.where,
        origin=origin(memory, now),
        stale="".join(f"; stale: {reason}" for reason in gone),
        text=in_tags(shown_prose(text)),
    )


def _is_listed(memory: Memory, section: str) -> bool:
    """Whether an `index_section` in the text has the description."""
    beginning, end = f"- {memory.name} ({memory.type}, ", f"): {memory.description}"
    return any(line.startswith(beginning) and line.endswith(end) for line in section.splitlines())


def newest_first(memories: Iterable[Memory]) -> list[Memory]:
    """The memories, those that were changed last first."""
    return sorted(memories, key=lambda each: (-each.updated.timestamp(), each.name))


def _first(memories: Sequence[Memory], lines: Iterable[str], most: int) -> list[str]:
    """Up to so many lines; the last one says how many memories have none."""
    kept, _ = cut(lines, Budget(items=most, bytes=_MAX_BYTES))
    if len(kept) == len(memories):
        return kept
    kept = kept[: most - 1]
    left = len(memories) - len(kept)
    return [*kept, f"- {left:,} more, changed longer ago, are not listed; they are still recalled."]
