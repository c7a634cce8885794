"""What a question mentions by `@`: a file, lines of it, or a symbol. Shown to the model with it.

`@src/app.py`, `@src/app.py:10-20` and `@Parser.parse`; anything else after an `@`, such as a
decorator or an address, is left as it stands.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

from glossator.context.attachments import Attached, attach
from glossator.core.errors import UsageError
from glossator.workspace.snapshot import WorkspaceSnapshot
from glossator.workspace.symbols.find import Limits
from glossator.workspace.symbols.finder import SymbolFinder
from glossator.workspace.symbols.names import Name
from glossator.workspace.worker.client import WorkerGone
from glossator.workspace.worker.connection import JobFailed

MAX_MENTIONS = 8  # of a question that are looked up
MAX_DEFINITIONS = 3  # of one name that are shown

_MENTION = re.compile(r"(?<![\w@./])@([\w./\\:#-]*\w)")
_LINES = re.compile(r"(.+):(\d+)(?:-(\d+))?")
_SECONDS = 5.0  # for all symbols of a question
_LIMITS = Limits(texts=200, hits=MAX_DEFINITIONS)


@dataclass(frozen=True, slots=True)
class Mentioned:
    """What was found, and a sentence for the user about what could not be looked up."""

    attached: tuple[Attached, ...]
    problem: str = ""


def mentions(question: str) -> tuple[str, ...]:
    """What stands after an `@`, each once."""
    found = (match[1] for match in _MENTION.finditer(question))
    return tuple(dict.fromkeys(found))[:MAX_MENTIONS]


async def look_up(question: str, snapshot: WorkspaceSnapshot, symbols: SymbolFinder) -> Mentioned:
    """The files, lines and definitions that a question mentions."""
    found: list[Attached] = []
    names: list[str] = []
    for mention in mentions(question):
        file = await asyncio.to_thread(_file, snapshot, mention)
        if file is None:
            names.append(mention)
        else:
            found.append(file)
    try:
        async with asyncio.timeout(_SECONDS):
            for name in names:
                found += await _definitions(snapshot, symbols, name)
    except (TimeoutError, WorkerGone, JobFailed) as failure:
        problem = str(failure) or f"they took more than {_SECONDS:g} s"
        return Mentioned(tuple(found), f"Not all @ mentions were looked up: {problem}")
    return Mentioned(tuple(found))


def _file(snapshot: WorkspaceSnapshot, mention: str) -> Attached | None:
    whole = _attached(snapshot, mention, None, None)
    if whole is None and (lines := _LINES.fullmatch(mention)):
        path, first, last = lines.groups()
        return _attached(snapshot, path, int(first), int(last or first))
    return whole


async def _definitions(
    snapshot: WorkspaceSnapshot, symbols: SymbolFinder, mention: str
) -> list[Attached]:
    found = await symbols.definitions(snapshot, Name.parse(mention), limits=_LIMITS)
    places = [(hit.line.path, hit.symbol) for hit in found.hits[:MAX_DEFINITIONS]]
    shown = await asyncio.to_thread(
        lambda: [_attached(snapshot, path, at.first_line, at.last_line) for path, at in places]
    )
    return [item for item in shown if item is not None]


def _attached(
    snapshot: WorkspaceSnapshot, path: str, first: int | None, last: int | None
) -> Attached | None:
    try:
        return attach(snapshot, path, first, last)
    except UsageError:  # no file of that name, or none with such lines: not a mention of one
        return None
