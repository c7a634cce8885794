"""Applying a tool's plan through the editor: reviewed, checked, moved over what the user typed.

What was applied is only what the workspace then holds: the editor may format, the user may have
left something out, and an editor that says yes may still not have done it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from glossator.core.document import Document, Missing
from glossator.core.edit import (
    Applied,
    Conflict,
    EditOutcome,
    EditPlan,
    FileChange,
    FileRename,
    Refused,
    keep,
)
from glossator.core.events import EditProposed, EditSettled, Event
from glossator.core.ports import EditorPort
from glossator.workspace.change import DiskChanged
from glossator.workspace.editing.merge import rebase_plan
from glossator.workspace.host import WorkspaceHost

_TRIES = 4  # while the user types on
_ARRIVAL_SECONDS = 2.0  # for an applied edit to come back as a change of the document


class Kept(Protocol):
    """Keeps files as they were, so that edits can be taken back."""

    async def before(self, paths: Iterable[str]) -> None:
        """They are about to be changed."""

    async def after(self, paths: Iterable[str]) -> None:
        """They were, or not after all."""


@dataclass(frozen=True, slots=True)
class PlanEditing:
    """Implements `core.edit.Editing` for one run."""

    host: WorkspaceHost
    port: EditorPort
    emit: Callable[[Event], None]
    kept: Kept
    review: bool

    async def apply(self, plan: EditPlan) -> EditOutcome:
        """Apply the plan; see `Editing`."""
        self.emit(EditProposed(plan))
        wanted, note, confirm = plan, "", False
        if self.review:
            answer = await self.port.review(plan)
            confirm = answer is None
            if answer is not None:
                wanted = keep(plan, frozenset(answer.accepted))
                note = _rejections(plan, wanted, answer.message)
        if not wanted.files:
            outcome: EditOutcome = Refused(f"Nothing was changed: {note}")
        else:
            paths = [path for change in wanted.files for path in _paths(change)]
            await self.kept.before(paths)
            outcome = await self._apply(wanted, note, confirm=confirm)
            await self.kept.after(paths)
        self.emit(EditSettled(plan.id, isinstance(outcome, Applied), _told(outcome)))
        return outcome

    async def _apply(self, plan: EditPlan, note: str, *, confirm: bool) -> EditOutcome:
        reason = ""
        for _ in range(_TRIES):
            moved = await asyncio.to_thread(rebase_plan, plan, self.host.snapshot().read)
            if not isinstance(moved, EditPlan):
                return moved
            arrival = _Arrival(self.host, moved)
            refusal = await self.port.apply_edit(moved, confirm=confirm)
            if refusal is None:
                return await self._applied(moved, arrival, note)
            if not await arrival.within(0.0):
                reason = refusal
                if not await self._changed(moved):
                    break
        return Refused(f"Nothing was changed: {reason}. Read the file again, or tell the user.")

    async def _applied(self, plan: EditPlan, arrival: _Arrival, note: str) -> EditOutcome:
        # a client that wrote to the disk sends no change
        self.host.apply(DiskChanged(frozenset(p for c in plan.files for p in _paths(c))))
        if not await arrival.within(_ARRIVAL_SECONDS):
            return Refused(
                "Nothing was changed: the editor accepted the edit, but the text is as it was; the"
                " user may have left it out. Ask how to go on."
            )
        snapshot = self.host.snapshot()
        found = [snapshot.read(path) for change in plan.files for path in _paths(change)]
        return Applied(tuple(each for each in found if isinstance(each, Document)), note)

    async def _changed(self, plan: EditPlan) -> bool:
        """Whether a text of the plan is another one by now."""
        snapshot = self.host.snapshot()
        return any(not _stands(change, snapshot.read) for change in plan.files)


class _Arrival:
    """Waits until none of a plan's files is as it was."""

    def __init__(self, host: WorkspaceHost, plan: EditPlan) -> None:
        self._host = host
        self._plan = plan

    async def within(self, seconds: float) -> bool:
        """Whether that is so at once or after so many seconds."""
        if self._is_here():
            return True
        changed = asyncio.Event()
        end = self._host.subscribe(lambda _: changed.set())
        try:
            async with asyncio.timeout(seconds):
                while not self._is_here():
                    changed.clear()
                    await changed.wait()
        except TimeoutError:
            return False
        finally:
            end()
        return True

    def _is_here(self) -> bool:
        read = self._host.snapshot().read
        return not any(_stands(change, read) for change in self._plan.files)


def _stands(change: FileChange, read: Callable[[str], Document | Missing]) -> bool:
    """Whether the file is as the change found it."""
    found = read(change.path)
    if isinstance(found, Missing):
        return change.base is None
    return change.base is not None and change.base.sha256 == found.sha256


def _paths(change: FileChange) -> tuple[str, ...]:
    return (change.path, change.new_path) if isinstance(change, FileRename) else (change.path,)


def _rejections(plan: EditPlan, kept: EditPlan, message: str) -> str:
    """What the user made of a plan, for the model."""
    left = {hunk.id for hunk in kept.hunks}
    rejected = [hunk for hunk in plan.hunks if hunk.id not in left]
    parts = []
    if rejected:
        places = ", ".join(f"line {hunk.first_line}" for hunk in rejected[:10])
        of = f"{len(rejected)} of {len(plan.hunks)} changes"
        parts.append(f"the user rejected {of} ({places}); do not make them again unasked.")
    if message:
        parts.append(f"The user says: {message}")
    return " ".join(parts)


def _told(outcome: EditOutcome) -> str:
    match outcome:
        case Applied(_, note):
            return note
        case Refused(reason):
            return reason
        case Conflict():
            return "The place to edit was changed meanwhile."
