"""Where a memory stands now: how old it is, where it comes from, and what it names that is gone."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from glossator.core.document import Document, MissingReason
from glossator.core.errors import TooManyOpenFiles, UsageError
from glossator.core.file_kinds import language_of
from glossator.core.shown import shown
from glossator.memory.entry import Memory
from glossator.symbols import Name, SearchScope, SymbolFinder
from glossator.worker import JobFailed, WorkerGone
from glossator.workspace import WorkspaceSnapshot

IsHidden = Callable[[str], bool]

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
    """What a memory of this workspace names and is there no more, files and lines; blocking.

    Nothing is told of a file that rules hide.
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
    """The symbols that a memory of this workspace names and nothing defines any more.

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
