"""Facts for glosses, found without a model: the calls of a symbol, and the last commit of lines.

The editor's other servers resolve names; the index knows how they are spelled. A server that knows
no call at all may not have read everything yet, so the index is asked then, too. git runs in the
sandbox of commands, never in a workspace that is not trusted: it obeys what a repository says.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from glossator.application import Application
from glossator.core.document import Document
from glossator.core.errors import UsageError
from glossator.core.ports import CallPlace, CallsWanted
from glossator.core.text import Position, count_units
from glossator.core.uri import to_path
from glossator.documents import WorkspaceSnapshot
from glossator.sandbox import Exit, LimitedShell, ShellCommand
from glossator.symbols import CALLS, Name, SearchScope, SourceLine
from glossator.usecases.subjects import Pointed

_EDITOR_SECONDS = 5.0  # for the editor's answer


@dataclass(frozen=True, slots=True)
class Call:
    """A call: the qualified name of who calls, or is called, and the line it stands on."""

    name: str
    line: SourceLine


@dataclass(frozen=True, slots=True)
class Calls:
    """Both directions; `by_editor` if the editor's other servers told."""

    callers: tuple[Call, ...]
    callees: tuple[Call, ...]
    by_editor: bool


async def calls_of(app: Application, pointed: Pointed) -> Calls:
    """The calls of a symbol. Raises `WorkerGone` and `JobFailed`."""
    document, symbol = pointed.document, pointed.symbol
    if document is None or symbol is None:
        return Calls((), (), by_editor=False)
    snapshot = app.host.snapshot()
    line = document.lines[symbol.name_line - 1]
    character = count_units(line[: symbol.name_column], app.host.encoding)
    wanted = CallsWanted(document.uri, Position(symbol.name_line - 1, character))
    told = await app.port.calls(wanted, _EDITOR_SECONDS)
    if told is not None and (told.callers or told.callees):  # with neither it may be loading yet
        callers = await asyncio.to_thread(_placed, app, snapshot, told.callers)
        callees = await asyncio.to_thread(_placed, app, snapshot, told.callees)
        return Calls(callers, callees, by_editor=True)
    where = SearchScope(hides=app.acting.hidden())
    uses = await app.symbols.uses(snapshot, Name.parse(pointed.subject.name), CALLS, where)
    called = await app.symbols.calls(snapshot, document, symbol.first_line, symbol.last_line)
    return Calls(
        tuple(Call(_caller(use.reference.within), use.line) for use in uses.hits),
        tuple(
            Call(name, SourceLine(document.path, document.sha256, at, document.lines[at - 1]))
            for name, at in called
        ),
        by_editor=False,
    )


def _caller(within: tuple[str, ...]) -> str:
    return ".".join(within) or "code at the top level"


def _placed(
    app: Application, snapshot: WorkspaceSnapshot, places: Iterable[CallPlace]
) -> tuple[Call, ...]:
    """Those in texts that may be shown, with the lines as they are now; blocking."""
    hides = app.acting.hidden()
    found = []
    for place in places:
        path = to_path(place.uri)
        document = snapshot.read(path) if path is not None else None
        if not isinstance(document, Document) or (hides and hides(document.path)):
            continue
        if 1 <= place.line <= len(document.lines):
            text = document.lines[place.line - 1]
            found.append(
                Call(place.name, SourceLine(document.path, document.sha256, place.line, text))
            )
    return tuple(found)


logger = logging.getLogger(__name__)

_GIT_SECONDS = 3.0
_FIELDS = "%h%x1f%ad%x1f%an%x1f%s"
_GIT = (
    "git",
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false", "-c", "log.showSignature=false"),
    *("log", "-1", "-s", "--date=short", f"--format={_FIELDS}"),
)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its short hash, the day, who made it, and its first line."""

    name: str
    day: str
    author: str
    subject: str


async def last_commit(
    app: Application, path: str, lines: tuple[int, int] | None = None
) -> Commit | None:
    """The commit; of the whole file where git has no such lines. None if there is none to be had.

    `path` is absolute, lines are 1-based and inclusive.
    """
    if not await asyncio.to_thread(lambda: app.acting.trust.is_trusted):
        return None
    shell = await asyncio.to_thread(app.acting.limited, app.host.snapshot())
    if shell.open_reason is not None:
        return None
    folder, name = os.path.split(path)
    if lines is not None:
        of_lines = await _asked(shell, folder, f"-L{lines[0]},{lines[1]}:./{name}")
        if of_lines is not None:
            return of_lines
    return await _asked(shell, folder, "--", f"./{name}")


async def _asked(shell: LimitedShell, folder: str, *about: str) -> Commit | None:
    command = ShellCommand(shlex.join((*_GIT, *about)), folder)
    try:
        finished = await shell.run(command, _GIT_SECONDS)
    except (UsageError, OSError) as error:
        logger.info("git was not asked: %s", error)
        return None
    told = finished.output.head.decode(errors="replace")
    fields = told.strip("\n").partition("\n")[0].split("\x1f")
    if finished.exit != Exit(0) or len(fields) != 4:
        return None
    return Commit(*fields)
