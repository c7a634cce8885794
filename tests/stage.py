"""The whole application on a real workspace, with the stand-in playing the model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glossator.application.application import Application
from glossator.commands.ask import AskRequest, ask
from glossator.core.answer import Answer
from glossator.core.attached import FileDiagnostics, Wanted
from glossator.core.code import CodeAnswer, CodeQuestion
from glossator.core.document import Document
from glossator.core.edit import EditPlan, FileEdit, FileRename
from glossator.core.events import Envelope, Event, TurnsUndone
from glossator.core.permission import Choice, PermissionAnswer, PermissionRequest
from glossator.core.ports import (
    NotApplied,
    Review,
    ShownState,
    TerminalTold,
)
from glossator.core.question import Question, QuestionAnswer
from glossator.core.run_events import (
    BackgroundJob,
    JobsChanged,
    SessionNow,
    UnsavedFile,
    UnsavedFiles,
)
from glossator.sessions.compaction.own_texts import is_mode_notice
from glossator.sessions.session import Session
from glossator.settings.load import load_settings
from glossator.tools.base import ToolContext
from glossator.workspace.documents.overlays import DiskChanged
from tests.quiet import quietly
from tests.standin import NAMED, Script, StandIn


@dataclass
class RecordedActivity:
    """Work in the background, as an editor would have shown it."""

    title: str
    cancel: Callable[[], object]
    reports: list[tuple[str, int]] = field(default_factory=list)
    ended: bool = False

    def report(self, message: str, percentage: int) -> None:
        self.reports.append((message, percentage))

    def end(self) -> None:
        self.ended = True


@dataclass
class Recorder:
    """An `EditorPort` that keeps what it is shown."""

    envelopes: list[Envelope] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    undone_turns: list[TurnsUndone] = field(default_factory=list)
    context_changes: int = 0
    jobs: tuple[BackgroundJob, ...] = ()
    unsaved: tuple[UnsavedFile, ...] = ()
    sessions: list[SessionNow] = field(default_factory=list)
    activities: list[RecordedActivity] = field(default_factory=list)
    diagnosed: list[FileDiagnostics] | None = None  # what it tells of each document
    coded: Callable[[CodeQuestion], CodeAnswer | None] | None = None  # what it knows of names
    terminal_told: TerminalTold | None = None  # what it tells of its terminal, if it can at all
    questions: list[Question] = field(default_factory=list)
    answers: list[QuestionAnswer] = field(default_factory=list)  # to the next questions
    permissions: list[PermissionRequest] = field(default_factory=list)
    permitted: list[PermissionAnswer] = field(default_factory=list)  # the next answers
    reviewed: Callable[[EditPlan], Review | None] = lambda _: None
    applying: Callable[[EditPlan], str | None] = field(default_factory=lambda: write_to_disk)
    browser: Callable[[str], Awaitable[None]] = field(default_factory=lambda: _no_browser)
    saving: Callable[[Document], bool] | None = None  # whether it saves what it is asked to
    leaves: bool = False  # whether it ends the server after one command

    def emit(self, envelope: Envelope) -> None:
        self.envelopes.append(envelope)

    def show(self, state: ShownState) -> None:
        match state:
            case JobsChanged(jobs):
                self.jobs = jobs
            case TurnsUndone():
                self.undone_turns.append(state)
            case UnsavedFiles(_, files):
                self.unsaved = files
            case SessionNow():
                self.sessions.append(state)

    def context_changed(self) -> None:
        self.context_changes += 1

    def tell(self, message: str) -> None:
        self.told.append(message)

    def begin(self, title: str, cancel: Callable[[], object]) -> RecordedActivity:
        self.activities.append(RecordedActivity(title, cancel))
        return self.activities[-1]

    @property
    def editor(self) -> str:
        return "Stage 1.0"

    @property
    def tells_diagnostics(self) -> bool:
        return self.diagnosed is not None

    async def diagnostics(
        self, wanted: tuple[Wanted, ...], _seconds: float
    ) -> tuple[FileDiagnostics, ...] | None:
        uris = {each.uri for each in wanted}
        found = self.diagnosed
        return None if found is None else tuple(f for f in found if f.uri in uris or not uris)

    @property
    def tells_code(self) -> bool:
        return self.coded is not None

    async def code(self, question: CodeQuestion, _seconds: float) -> CodeAnswer | None:
        return None if self.coded is None else self.coded(question)

    @property
    def tells_terminal(self) -> bool:
        return self.terminal_told is not None

    async def terminal(self, _seconds: float) -> TerminalTold | None:
        return self.terminal_told

    @property
    def tells_typing(self) -> bool:
        return True

    async def take_typing(self, paths: Sequence[str]) -> None:
        """Nothing is typed."""

    async def ask_permission(self, request: PermissionRequest) -> PermissionAnswer:
        self.permissions.append(request)
        return self.permitted.pop(0) if self.permitted else PermissionAnswer(Choice.DENY)

    async def review(self, plan: EditPlan) -> Review | None:
        return self.reviewed(plan)

    @property
    def edits_blindly(self) -> bool:
        return False

    async def apply_edit(self, plan: EditPlan, *, confirm: bool) -> NotApplied | None:
        reason = self.applying(plan)
        return None if reason is None else NotApplied(reason)

    @property
    def saves(self) -> bool:
        return self.saving is not None

    async def save(self, documents: Sequence[Document]) -> tuple[Document, ...]:
        return tuple(each for each in documents if self.saving is not None and self.saving(each))

    async def open_address(self, url: str) -> None:
        await self.browser(url)

    async def ask_user(self, question: Question) -> QuestionAnswer:
        self.questions.append(question)
        return self.answers.pop(0) if self.answers else QuestionAnswer()

    @property
    def events(self) -> list[Event]:
        return [envelope.event for envelope in self.envelopes]

    def of(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


async def _no_browser(_url: str) -> None:
    """Nobody looks at it."""


def write_to_disk(plan: EditPlan) -> str | None:
    """Apply edits, new files and moves as a terminal does."""
    for change in plan.files:
        if isinstance(change, FileRename):
            Path(change.new_path).parent.mkdir(parents=True, exist_ok=True)
            Path(change.path).rename(change.new_path)
            continue
        if not isinstance(change, FileEdit):
            return "only texts can be changed"
        Path(change.path).parent.mkdir(parents=True, exist_ok=True)
        Path(change.path).write_text(change.result, "utf-8", newline="")
    return None


@dataclass(frozen=True)
class Stage:
    """What a test looks at: the application, the stand-in and the events so far."""

    app: Application
    api: StandIn
    port: Recorder
    root: Path

    async def ask(self, question: str, **fields: Any) -> Answer:
        return await ask(self.app, AskRequest(question, **fields))

    async def reading(self, session: Session) -> ToolContext:
        """What the tools of a conversation see that only reads."""
        await self.app.ready()
        abilities = self.app.reading_abilities(None)
        return ToolContext(self.app.host.snapshot(), session.reads, abilities)

    def touched(self, relative: str) -> None:
        """Let the application know that a file changed on disk."""
        self.app.host.apply(DiskChanged(frozenset({str(self.root / relative)})))

    def sent(self, number: int) -> dict[str, Any]:
        """The body of the n-th request to the model, from 0."""
        return self.api.requests[number].body

    def said(self, number: int) -> list[dict[str, Any]]:
        """The last message of the n-th request, but for what tells the mode."""
        content = self.sent(number)["messages"][-1]["content"]
        return [block for block in content if not is_mode_notice(block)]

    def results(self, number: int) -> dict[str, Any]:
        """The tool results in the last message of the n-th request, by tool call id."""
        content = self.sent(number)["messages"][-1]["content"]
        return {part["tool_use_id"]: part for part in content if part["type"] == "tool_result"}


@asynccontextmanager
async def stage(
    root: Path,
    files: Mapping[str, str],
    script: Script,
    settings: Mapping[str, Any] | None = None,
    *,
    trusted: bool | None = True,
    home: Path | None = None,
    coded: Callable[[CodeQuestion], CodeAnswer | None] | None = None,
    programs: str | None = None,
) -> AsyncIterator[Stage]:
    """An application on `files` under `root`; ends with a check that nothing was refused.

    `coded`: what the editor's language servers tell, if they can be asked. `programs`: the PATH,
    on which language servers of ours are found.
    """
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    async with StandIn(script) as api:
        environment = {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": api.base_url}
        if "profile" not in (settings or {}).get("models", {}):
            environment |= NAMED
        environment |= {} if home is None else {"HOME": str(home)}
        environment |= {} if programs is None else {"PATH": programs}
        port = Recorder(coded=coded)
        loaded = load_settings(quietly(settings), environment, file=root / "no-settings.toml")
        app = Application((str(root),), loaded, port, "utf-16", environment, (), trusted)
        await app.start()
        try:
            yield Stage(app, api, port, root)
        finally:
            await app.close()
        assert api.refusals == [], repr(api.refusals)
