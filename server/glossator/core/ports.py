"""What the inner layers ask of an edge (an editor, a terminal)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from glossator.core.diagnostics import FileDiagnostics, Wanted
from glossator.core.events import Envelope
from glossator.core.question import Question, QuestionAnswer


class Activity(Protocol):
    """Work in the background while the editor shows it."""

    def report(self, message: str, percentage: int) -> None:
        """How far it is, 0 to 100."""

    def end(self) -> None:
        """It is over."""


class EditorPort(Protocol):
    """The editor as a run sees it; each edge implements it."""

    def emit(self, envelope: Envelope) -> None:
        """Show an event of a run; must not block."""

    def tell(self, message: str) -> None:
        """Tell the user something that belongs to no run."""

    def begin(self, title: str, cancel: Callable[[], object]) -> Activity:
        """Show that work began in the background; `cancel` is called when the user ends it."""

    @property
    def tells_diagnostics(self) -> bool:
        """Whether `diagnostics` can give anything."""

    async def diagnostics(
        self, wanted: tuple[Wanted, ...], seconds: float
    ) -> tuple[FileDiagnostics, ...] | None:
        """The findings for these documents, or all there are; None when they cannot be told.

        Waits up to `seconds` for findings of the versions wanted.
        """

    async def ask_user(self, question: Question) -> QuestionAnswer:
        """Ask the user; an empty answer when nobody is there or none was given."""
