"""A service of a few commands over the real workspace host, for tests of the edge alone."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from glossator.core.document import Document
from glossator.core.errors import ModelUnavailable, UsageError
from glossator.core.events import Envelope, Event, RunFinished, RunStarted, TextDelta, ToolFinished
from glossator.core.ports import EditorPort
from glossator.core.run_events import (
    Correction,
    PlanChanged,
    PlannedTask,
    RunState,
    StateChanged,
    TaskState,
    UncitedClaim,
)
from glossator.core.span import CitationStatus, CitationView
from glossator.core.text import Position, PositionEncoding
from glossator.core.uri import to_path
from glossator.lsp.service import Service
from glossator.settings.load import valid_settings
from glossator.settings.model import Settings
from glossator.symbols.symbol import Symbol
from glossator.worker.client import Worker
from glossator.workspace.documents.host import WorkspaceHost
from glossator.workspace.documents.overlays import Change
from glossator.workspace.files.roots import encoding_rules
from tests.workspaces import idle_indexing


@dataclass(frozen=True, slots=True)
class Command:
    """As in the real table."""

    title: str
    request: type[Any]
    run: Callable[[Any, Any], Awaitable[Any]]
    shows_progress: bool = False


@dataclass(frozen=True)
class NoTrees:
    """No session has a worktree."""

    app: Application

    def apply(self, change: Change) -> None:
        self.app.host.apply(change)

    def moved(self, paths: frozenset[str]) -> None:
        self.app.host.moved(paths)

    def at(self, _path: str) -> Application:
        return self.app

    async def serving(self, *_named: str | None) -> Application:
        return self.app


class Application:
    """Has a host, and remembers what became of its runs."""

    def __init__(
        self,
        roots: tuple[str, ...],
        settings: Settings,
        port: EditorPort,
        encoding: PositionEncoding,
        _environment: Mapping[str, str],
        _problems: tuple[str, ...],
        _trusted: bool | None,
        encodings: object,
    ) -> None:
        rules, indexing = encoding_rules({}, encodings), idle_indexing(Worker())
        self.host = WorkspaceHost(roots, settings.workspace, indexing, encoding, rules)
        self.settings, self.port, self.encoding = settings, port, encoding
        self.trees = NoTrees(self)
        self.running: dict[str, asyncio.Task[Any]] = {}
        self.ended: list[str] = []

    async def start(self) -> None:
        await self.host.start()

    async def scanned(self) -> None:
        """Nothing takes time here."""

    async def close(self) -> None:
        await self.host.close()
        os.write(2, b"application closed\n")


@dataclass(frozen=True, slots=True)
class Attachment:
    uri: str
    first_line: int | None = None


@dataclass(frozen=True, slots=True)
class AskRequest:
    question: str
    session_id: str | None = None
    run_id: str | None = None
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    run_id: str
    text: str
    citations: tuple[CitationView, ...] = ()
    uncited: tuple[UncitedClaim, ...] = ()
    corrections: tuple[Correction, ...] = ()
    unsaved: tuple[str, ...] = ()
    stop: str = "answered"
    model: str = "none"
    offline: bool = True


async def ask(app: Application, request: AskRequest) -> Answer:
    """Does what the question says."""
    run_id = request.run_id or "unnamed"
    events: list[Event] = [
        RunStarted("session", request.question, "none", offline=True),
        ToolFinished("1", "Grep", "3 matches for fish", error=False, milliseconds=1.0),
        TextDelta("It swims."),
    ]
    emit(app, run_id, 0, *events)
    match request.question:
        case "wait":
            task = asyncio.current_task()
            assert task is not None
            app.running[run_id] = task
            try:
                await asyncio.Event().wait()
            finally:
                del app.running[run_id]
                app.ended.append(run_id)
        case "block":  # a thread that never ends
            await asyncio.to_thread(threading.Event().wait)
        case "usage":
            raise UsageError("That cannot be done; do this.")
        case "model":
            raise ModelUnavailable("No model can be reached; set a key.")
        case "group":
            async with asyncio.TaskGroup() as group:
                group.create_task(_fail(UsageError("Inner failure; do this.")))
        case "bug":
            await _fail(ZeroDivisionError("a bug"))
        case "inner cancel":
            inner = asyncio.create_task(asyncio.Event().wait())
            inner.cancel()
            await inner
        case "plan":
            find = PlannedTask("1", "Find it", state=TaskState.ACTIVE)
            events += (
                StateChanged(RunState.PLANNING),
                PlanChanged((find, PlannedTask("2", "Compare", ("1",)))),
                StateChanged(RunState.VERIFYING, "2 citations"),
            )
            emit(app, run_id, 3, *events[3:])
    emit(app, run_id, len(events), RunFinished("answered"))
    cited = CitationView("fish.md", CitationStatus.READ, "", "file:///fish.md", 1, 2)
    return Answer(run_id, "It swims. [cite: doc, fish.md, L1-L2]", (cited,))


def emit(app: Application, run_id: str, first: int, *events: Event) -> None:
    for seq, event in enumerate(events, first):
        app.port.emit(Envelope(run_id, seq, event))


async def _fail(error: Exception) -> None:
    raise error


@dataclass(frozen=True, slots=True)
class CancelRequest:
    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class CancelAnswer:
    cancelled: tuple[str, ...]


async def cancel(app: Application, request: CancelRequest) -> CancelAnswer:
    names = tuple(app.running) if request.run_id is None else (request.run_id,)
    for name in names:
        app.running[name].cancel()
    return CancelAnswer(names)


@dataclass(frozen=True, slots=True)
class StatusRequest:
    pass


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    roots: tuple[str, ...]
    encoding: str
    turns: int
    running: tuple[str, ...]
    ended: tuple[str, ...]


async def status(app: Application, _request: StatusRequest) -> StatusAnswer:
    return StatusAnswer(
        app.host.status().roots,
        app.encoding,
        app.settings.limits.turns,
        tuple(app.running),
        tuple(app.ended),
    )


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """`name` is a URI; reading it is all this tool does."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    text: str
    version: int | None
    sha256: str
    arguments: dict[str, Any]


async def tool(app: Application, request: ToolRequest) -> ToolAnswer:
    """The document as it was when the request came."""
    snapshot = app.host.snapshot()
    await asyncio.to_thread(os.getpid)  # long enough for a change to arrive
    document = snapshot.read(to_path(request.name) or request.name)
    if not isinstance(document, Document):
        raise UsageError(document.message)
    return ToolAnswer(document.text, document.version, document.sha256, request.arguments)


@dataclass(frozen=True, slots=True)
class HoverAnswer:
    markdown: str
    start: Position
    end: Position


async def hover(app: Application, uri: str, position: Position, _links: bool) -> HoverAnswer | None:
    """The line under the position."""
    document = app.host.snapshot().read(to_path(uri) or uri)
    if not isinstance(document, Document):
        return None
    document.table.offset(position, app.encoding)  # raises for a place that is not there
    line = document.table.line(position.line)
    return HoverAnswer(f"*{line}*", Position(position.line, 0), Position(position.line, len(line)))


async def symbol_named_at(_app: Any, _uri: str, position: Position) -> Symbol | None:
    """Line 8 of every document names one."""
    return Symbol("swim", "method", "", "", (), 8, 9, 8, 0) if position.line == 7 else None


async def document_symbols(_app: Any, _uri: str) -> list[Any]:
    """There are none."""
    return []


async def workspace_symbols(_app: Any, _query: str, _on_progress: object) -> list[Any]:
    """There are none."""
    return []


async def no_lenses(_app: Any, _uri: str) -> list[Any]:
    """There are none."""
    return []


async def no_report(_app: Any, _uri: str) -> str | None:
    """There is none."""
    return None


@dataclass(frozen=True, slots=True)
class NoiseAnswer:
    printed: int


async def make_noise(_app: Application, _request: StatusRequest) -> NoiseAnswer:
    """Prints where frames go, and logs from another thread."""
    print("a stray print")  # noqa: T201 - what the server must survive
    os.write(1, b"a stray write\n")
    await asyncio.to_thread(logging.getLogger("noise").warning, "from a thread")
    return NoiseAnswer(2)


COMMANDS = {
    "glossator.ask": Command("Ask", AskRequest, ask, shows_progress=True),
    "glossator.explain": Command("Explain", AskRequest, ask, shows_progress=True),
    "glossator.cancel": Command("Cancel", CancelRequest, cancel),
    "glossator.status": Command("Status", StatusRequest, status),
    "glossator.doctor": Command("Doctor", StatusRequest, make_noise),
    "glossator.tool": Command("Tool", ToolRequest, tool),
}

SERVICE = Service(
    commands=cast(Any, COMMANDS),
    application=cast(Any, Application),
    valid_settings=valid_settings,
    hover_at=cast(Any, hover),
    why_not_edited=lambda *_: None,
    symbol_named_at=symbol_named_at,
    document_symbols=document_symbols,
    workspace_symbols=workspace_symbols,
    lenses_of=no_lenses,
    lens_face=cast(Any, no_lenses),
    glosses_changed=lambda _app, _told: None,
    report_at=no_report,
)
