"""An edge with nothing to show and nobody to ask; one that can do more overrides that."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from glossator.core.attached import FileDiagnostics, Wanted
from glossator.core.code import CodeAnswer, CodeQuestion
from glossator.core.document import Document
from glossator.core.edit import EditPlan
from glossator.core.errors import UsageError
from glossator.core.events import Envelope
from glossator.core.permission import Choice, PermissionAnswer, PermissionRequest
from glossator.core.ports import (
    Activity,
    NotApplied,
    Review,
    ShownState,
    TerminalTold,
)
from glossator.core.question import Question, QuestionAnswer

_log = logging.getLogger(__name__)

_NOBODY = "Nobody can be asked here, so this is not allowed.\nDo without it."


class SilentPort:
    """Implements `EditorPort`: every question is answered with no, and nothing is edited."""

    def emit(self, envelope: Envelope) -> None:
        """Nothing to show it in."""

    def show(self, state: ShownState) -> None:
        """Nothing to show it in."""

    def context_changed(self) -> None:
        """Nobody lists what goes with a question."""

    def tell(self, message: str) -> None:
        """Log it."""
        _log.warning("%s", message)

    def begin(self, title: str, cancel: Callable[[], object]) -> Activity:  # noqa: ARG002 - of the port
        """Nothing to show it in."""
        return _Unseen()

    @property
    def editor(self) -> str:
        """There is none."""
        return ""

    @property
    def leaves(self) -> bool:
        """It stays."""
        return False

    @property
    def tells_diagnostics(self) -> bool:
        """It has none."""
        return False

    async def diagnostics(
        self, wanted: tuple[Wanted, ...], seconds: float
    ) -> tuple[FileDiagnostics, ...] | None:
        """It has none."""

    @property
    def tells_code(self) -> bool:
        """It knows none."""
        return False

    async def code(self, question: CodeQuestion, seconds: float) -> CodeAnswer | None:
        """It knows none."""

    @property
    def tells_terminal(self) -> bool:
        """It has none."""
        return False

    async def terminal(self, seconds: float) -> TerminalTold | None:
        """It has none."""

    @property
    def tells_typing(self) -> bool:
        """Nothing is typed."""
        return True

    async def take_typing(self, paths: Sequence[str]) -> None:
        """Nothing is typed."""

    async def ask_permission(self, request: PermissionRequest) -> PermissionAnswer:  # noqa: ARG002 - of the port
        """Nobody is there, so it is denied."""
        return PermissionAnswer(Choice.DENY, _NOBODY, asked=False)

    async def review(self, plan: EditPlan) -> Review | None:  # noqa: ARG002 - of the port
        """Nobody is there. Raises `UsageError`."""
        raise UsageError("nobody can be shown the edit.")

    @property
    def edits_blindly(self) -> bool:
        """The text is compared right before it is written."""
        return False

    async def apply_edit(self, plan: EditPlan, *, confirm: bool) -> NotApplied | None:  # noqa: ARG002 - of the port
        """Nothing is edited here."""
        return NotApplied("nothing can be edited here")

    @property
    def saves(self) -> bool:
        """There is nothing to save."""
        return False

    async def save(self, documents: Sequence[Document]) -> tuple[Document, ...]:  # noqa: ARG002 - of the port
        """There is nothing to save."""
        return ()

    async def open_address(self, url: str) -> None:
        """Say the address."""
        self.tell(f"Open this address in your browser: {url}")

    async def ask_user(self, question: Question) -> QuestionAnswer:  # noqa: ARG002 - of the port
        """Nobody answers."""
        return QuestionAnswer()


class _Unseen:
    def report(self, message: str, percentage: int) -> None:
        """Nothing to show it in."""

    def end(self) -> None:
        """Nothing to take away."""
