"""Who calls a symbol, and what it calls: as the editor's other servers know it, else the index.

A server of the language resolves names; the index knows how they are spelled. One that knows of no
call at all may not have read everything yet, so the index is asked then, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from glossator.application.application import Application
from glossator.core.document import Document
from glossator.core.ports import CallPlace, CallsWanted
from glossator.core.text import Position, count_units
from glossator.core.uri import to_path
from glossator.documents.snapshot import WorkspaceSnapshot
from glossator.symbols.candidates import Place
from glossator.symbols.find import Line
from glossator.symbols.finder import CALLS
from glossator.symbols.names import Name
from glossator.usecases.subjects import Pointed

_SECONDS = 5.0  # for the editor's answer


@dataclass(frozen=True, slots=True)
class Call:
    """A call: the qualified name of who calls, or is called, and the line it stands on."""

    name: str
    line: Line


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
    told = await app.port.calls(wanted, _SECONDS)
    if told is not None and (told.callers or told.callees):  # with neither it may be loading yet
        callers = await asyncio.to_thread(_placed, app, snapshot, told.callers)
        callees = await asyncio.to_thread(_placed, app, snapshot, told.callees)
        return Calls(callers, callees, by_editor=True)
    where = Place(hides=app.acting.hidden())
    uses = await app.symbols.uses(snapshot, Name.parse(pointed.subject.name), CALLS, where)
    called = await app.symbols.calls(snapshot, document, symbol.first_line, symbol.last_line)
    return Calls(
        tuple(Call(_caller(use.reference.within), use.line) for use in uses.hits),
        tuple(
            Call(name, Line(document.path, document.sha256, at, document.lines[at - 1]))
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
            found.append(Call(place.name, Line(document.path, document.sha256, place.line, text)))
    return tuple(found)
