"""What the inner layers ask of an edge (an editor, a terminal)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from glossator.core.attached import FileDiagnostics, Wanted
from glossator.core.code import CodeAnswer, CodeQuestion
from glossator.core.document import Document
from glossator.core.edit import EditPlan
from glossator.core.events import Envelope, TurnsUndone
from glossator.core.permission import PermissionAnswer, PermissionRequest
from glossator.core.question import Question, QuestionAnswer
from glossator.core.run_events import JobsChanged, SessionNow, UnsavedFiles


class Activity(Protocol):
    """Work in the background while the editor shows it."""

    def report(self, message: str, percentage: int) -> None:
        """How far it is, 0 to 100."""

    def end(self) -> None:
        """It is over."""


@dataclass(frozen=True, slots=True)
class Review:
    """What the user made of a plan: the ids of the hunks to apply, and words for the model.

    `asked` is false where nobody could be asked: the message is not the user's then.
    """

    accepted: tuple[str, ...]
    message: str = ""
    asked: bool = True


@dataclass(frozen=True, slots=True)
class NotApplied:
    """Why an editor did not apply a plan; `behind`: it has not sent yet what was typed."""

    reason: str
    behind: bool = False


@dataclass(frozen=True, slots=True)
class TerminalTold:
    """The active terminal's name, and its last commands with their output, without escapes."""

    name: str
    text: str


ShownState = TurnsUndone | JobsChanged | UnsavedFiles | SessionNow


class EditorPort(Protocol):
    """The editor as a run sees it; each edge implements it."""

    def emit(self, envelope: Envelope) -> None:
        """Show an event of a run; must not block."""

    def show(self, state: ShownState) -> None:
        """Show how something is now that belongs to no run; must not block."""

    def context_changed(self) -> None:
        """What `listContext` lists is another now; must not block."""

    def tell(self, message: str) -> None:
        """Tell the user something that belongs to no run."""

    def begin(self, title: str, cancel: Callable[[], object]) -> Activity:
        """Show that work began in the background; `cancel` is called when the user ends it."""

    @property
    def editor(self) -> str:
        """The editor's name and version; "" if it is not known."""

    @property
    def leaves(self) -> bool:
        """Whether it ends the server after one command."""

    @property
    def tells_diagnostics(self) -> bool:
        """Whether `diagnostics` can give anything."""

    async def diagnostics(
        self, wanted: tuple[Wanted, ...], seconds: float
    ) -> tuple[FileDiagnostics, ...] | None:
        """The findings for these documents, or all there are; None when they are not known.

        Waits up to `seconds` for findings of the versions wanted.
        """

    @property
    def tells_code(self) -> bool:
        """Whether `code` can give anything."""

    async def code(self, question: CodeQuestion, seconds: float) -> CodeAnswer | None:
        """What the editor's other servers know of a name; None if none does, or it is late."""

    @property
    def tells_terminal(self) -> bool:
        """Whether `terminal` can give anything."""

    async def terminal(self, seconds: float) -> TerminalTold | None:
        """The end of the active terminal's output; None where there is none, or it is late."""

    @property
    def tells_typing(self) -> bool:
        """Whether the editor tells what is typed by itself; else `take_typing` asks for it."""

    async def take_typing(self, paths: Sequence[str]) -> None:
        """Take over what is typed into these files (absolute paths), and not saved."""

    async def ask_permission(self, request: PermissionRequest) -> PermissionAnswer:
        """Ask the user whether a tool may act; nobody there is a denial."""

    async def review(self, plan: EditPlan) -> Review | None:
        """Let the user choose among the hunks; None when the editor asks as it applies them.

        Raises `UsageError` when the user could not be asked.
        """

    @property
    def edits_blindly(self) -> bool:
        """Whether the editor may apply an edit to a text that it has not sent yet."""

    async def apply_edit(self, plan: EditPlan, *, confirm: bool) -> NotApplied | None:
        """Apply all of a plan; None when that was done, else why not.

        `confirm`: the editor is to ask the user, who may leave some of it out.
        """

    @property
    def saves(self) -> bool:
        """Whether the editor can be asked to save documents."""

    async def save(self, documents: Sequence[Document]) -> tuple[Document, ...]:
        """Save open documents to disk; gives those that the editor says it saved.

        One with unsaved text of another version by now is left alone.
        """

    async def open_address(self, url: str) -> None:
        """Open a web address in the user's browser, or show it to the user, who may open it."""

    async def ask_user(self, question: Question) -> QuestionAnswer:
        """Ask the user; an empty answer when nobody is there or none was given."""
