"""Applies a tool's plan through the editor: reviewed, checked, moved over what the user typed.

Only the workspace's documents show what was applied: the editor may format, the user may have left
parts out, and an editor that says yes may still not have done it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from glossator.core.document import Document
from glossator.core.edit import (
    Applied,
    Conflict,
    EditOutcome,
    EditPlan,
    FileChange,
    FileEdit,
    FileRename,
    Hunk,
    Parts,
    Refused,
    keep,
)
from glossator.core.errors import UsageError
from glossator.core.events import EditProposed, EditSettled, Event
from glossator.core.ports import EditorPort, NotApplied
from glossator.edits import in_editor, wait
from glossator.edits.in_editor import Made, NotMade
from glossator.edits.merge import rebase_plan
from glossator.permissions import check_permission_scope
from glossator.workspace import DiskChanged, WorkspaceHost, WorkspaceSnapshot

_MAX_TRIES = 4  # while the user types on
_SAVE_SECONDS = 2.0  # that a run which is cancelled waits for the editor to save
_MAX_PLACES = 10  # lines named of what the user rejected
_UNFINISHED = Refused("The edit was interrupted before it was settled.")
_DECLINED = "Nothing was changed: {}.\nTell the user, and ask how to go on."
_TYPING = (
    "Nothing was changed: the text changed again each time the edit was to be applied.\nRead it"
    " again, then make the edit again."
)
_NOT_SEEN = (
    "Nothing was changed: the editor accepted the edit, but the text is unchanged; the user may"
    " have deselected it.\nAsk how to go on."
)
_NOT_SENT = (
    "It is not known whether the edit was made: the editor accepted it, but it has not shown"
    " up yet; some editors send their text only with the next key.\nDo not make it again: Read"
    " shows the old text until then. You are told when the file changes."
)
_BEHIND = (
    "Nothing was changed: the user is typing, and the editor takes no edit until it has sent what"
    " was typed.\nMake the edit again."
)
_PUT_RIGHT = "The user was typing: the editor had made the edit in a wrong place, and it was moved."
_MISPLACED = (
    "The user was typing, and the editor {} the edit in a wrong place.\nWhat is there now is"
    " shown below. Ask the user whether to take it back with the editor's undo or to correct it."
)
_TAKEN_BACK = "The edit was made, and then the user took it back."
_STAYING = (
    "Nothing was changed: the editor would have left {} open under the old path, where saving it"
    " brings the file back.\nAsk the user to close it there, then move it again."
)


class Checkpointing(Protocol):
    """Keeps files as they were, so that edits can be taken back."""

    async def before(self, paths: Iterable[str]) -> None:
        """Keep files that are about to be changed."""

    async def after(self, changed: Mapping[str, str | None], untouched: Iterable[str]) -> None:
        """Note that files were changed to a text, or (None) to their current content.

        The `untouched` were not changed after all. The editor saves what it may.
        """


@dataclass(frozen=True, slots=True)
class PlanEditing:
    """Implements `core.edit.Editing` for one run; it is `waiting` while the user decides.

    Only the real paths in `permitted` are changed.
    """

    host: WorkspaceHost
    port: EditorPort
    emit: Callable[[Event], None]
    kept: Checkpointing
    review: bool
    waiting: Callable[[], AbstractContextManager[object]] = nullcontext
    permitted: AbstractSet[str] = frozenset()
    parts: Parts | None = None

    def within(
        self,
        paths: AbstractSet[str],
        waiting: Callable[[], AbstractContextManager[object]],
        parts: Parts | None = None,
    ) -> PlanEditing:
        """See `Editing`."""
        return replace(self, permitted=paths, waiting=waiting, parts=parts)

    async def apply(self, plan: EditPlan) -> EditOutcome:
        """Apply the plan; see `Editing`. What was proposed is settled, even if it is cut off."""
        if (
            refused := await asyncio.to_thread(check_permission_scope, plan, self.permitted)
        ) is not None:
            return refused
        self.emit(EditProposed(plan))
        outcome: EditOutcome = _UNFINISHED
        try:
            outcome = await self._decided(plan)
        finally:
            left_out = outcome.left_out if isinstance(outcome, Applied) else ()
            applied = isinstance(outcome, Applied)
            self.emit(EditSettled(plan.id, applied, _told(outcome), left_out))
        return outcome

    async def _decided(self, plan: EditPlan) -> EditOutcome:
        """Apply the parts that the user wants; one who has chosen already is not asked again."""
        if self.parts is not None:
            return await self._in_part(plan, self.parts)
        return await self._reviewed(plan) if self.review else await self._applying(plan)

    async def _reviewed(self, plan: EditPlan) -> EditOutcome:
        try:
            with self.waiting():
                answer = await self.port.review(plan)
        except UsageError as failure:
            return Refused(f"Nothing was changed: {failure}")
        if answer is None:
            return await self._applying(plan, confirm=True)
        return await self._in_part(plan, Parts(frozenset(answer.accepted), answer.message))

    async def _in_part(self, plan: EditPlan, parts: Parts) -> EditOutcome:
        rejected = [hunk for hunk in plan.hunks if hunk.id not in parts.accepted]
        note = _rejections(plan, rejected, parts.message)
        wanted = keep(plan, parts.accepted)
        if not wanted.files or (plan.as_one and rejected):
            return Refused(f"Nothing was changed. {note}")
        match await self._applying(wanted):
            case Applied() as outcome:
                return replace(outcome, note=note, left_out=_ids(rejected))
            case Refused(reason):
                return Refused(f"{reason} {note}".rstrip())
            case Conflict() as outcome:
                return replace(outcome, note=note)

    async def _applying(self, plan: EditPlan, *, confirm: bool = False) -> EditOutcome:
        tried = _TRY_AGAIN
        for _ in range(_MAX_TRIES):
            await wait.quiet(self.host, self.port, in_editor.paths_of(plan))
            moved = await asyncio.to_thread(self._current, plan, self.host.snapshot())
            if not isinstance(moved, EditPlan):
                return moved
            tried = await self._keeping(moved, confirm=confirm)
            if not tried.again:
                break
        return tried.outcome

    def _current(self, plan: EditPlan, now: WorkspaceSnapshot) -> EditPlan | Conflict | Refused:
        """The plan for the current texts, if the decision still applies to it."""
        moved = rebase_plan(plan, now.read)
        return check_permission_scope(moved, self.permitted) or moved

    async def _keeping(self, plan: EditPlan, *, confirm: bool) -> _Tried:
        """Try while the files are kept; continue if the run is cancelled while the editor works."""
        await self.kept.before([path for change in plan.files for path in _paths(change)])
        tried: _Tried | None = None
        try:
            # what is applied from here on is applied to what was kept
            refused = await asyncio.to_thread(check_permission_scope, plan, self.permitted)
            tried = _TRY_AGAIN if refused else await self._try(plan, confirm=confirm)
        except asyncio.CancelledError:
            await asyncio.shield(self._late(plan))
            raise
        finally:
            await self._settled(plan, tried)
        return self._as_saved(tried)

    async def _try(self, plan: EditPlan, *, confirm: bool) -> _Tried:
        with self.waiting() if confirm else nullcontext():
            made = await in_editor.apply(self.host, self.port, plan, confirm=confirm)
        match made:
            case NotApplied(reason, behind):
                return _Tried(Refused(_BEHIND if behind else _DECLINED.format(reason.rstrip("."))))
            case NotMade(accepted=True, again=False) if not confirm:
                return _Tried(Refused(_NOT_SENT))
            case NotMade(accepted, again):
                return _Tried(Refused(_NOT_SEEN if accepted else _TYPING), again=again)
            case Made():
                return await self._applied(plan, made, confirm=confirm)

    async def _applied(self, plan: EditPlan, made: Made, *, confirm: bool) -> _Tried:
        now = self.host.snapshot()
        staying = wait.left_open(plan, now)
        if staying and await self._moved_back(plan):
            names = ", ".join(now.relative(each.path) for each in staying[:_MAX_PLACES])
            return _Tried(Refused(_STAYING.format(names)))
        found = (*(now.read(path) for path in in_editor.paths_of(plan)), *staying)
        documents = {each.path: each for each in found if isinstance(each, Document)}
        for change in plan.files:
            document = documents.get(change.path)
            if isinstance(change, FileEdit) and document is not None and document.version is None:
                self.host.written(document)
        note, unwanted = _note(made), made.left_out if confirm else ()
        if unwanted:
            note = _rejections(plan, unwanted)
        elif not note and not wait.changed(plan, now):
            note = _TAKEN_BACK
        done = keep(plan, {hunk.id for hunk in plan.hunks} - {hunk.id for hunk in made.left_out})
        return _Tried(Applied(tuple(documents.values()), note, _ids(unwanted)), done.files)

    async def _moved_back(self, plan: EditPlan) -> bool:
        """Whether the editor took a move back."""
        renames = [change for change in plan.files if isinstance(change, FileRename)]
        back = EditPlan.of("Undo", *(change.reverse for change in renames))
        refusal = await self.port.apply_edit(back, confirm=False)
        self.host.apply(DiskChanged(frozenset(in_editor.paths_of(plan))))
        return refusal is None

    async def _settled(self, plan: EditPlan, tried: _Tried | None) -> None:
        """Settle a try, and nearly as much if the run is cancelled while the editor saves."""
        settling = asyncio.create_task(self._settle(plan, tried))
        try:
            await asyncio.shield(settling)
        except asyncio.CancelledError:
            await asyncio.wait({settling}, timeout=_SAVE_SECONDS)
            raise

    async def _settle(self, plan: EditPlan, tried: _Tried | None) -> None:
        """Note which files the plan changed, apart from what others changed."""
        now = self.host.snapshot()
        await self.kept.after(*await asyncio.to_thread(_changed, plan, tried, now))

    def _as_saved(self, tried: _Tried) -> _Tried:
        """The outcome with the current texts, since editors format as they save."""
        if not isinstance(tried.outcome, Applied):
            return tried
        now = self.host.snapshot()
        found = (now.read(each.path) for each in tried.outcome.documents)
        documents = tuple(each for each in found if isinstance(each, Document))
        return replace(tried, outcome=replace(tried.outcome, documents=documents))

    async def _late(self, plan: EditPlan) -> None:
        """Wait a little for what the editor was asked before the run was cancelled."""
        changed = partial(wait.changed, plan)
        await wait.until(self.host, changed, wait.LATE_SECONDS)


@dataclass(frozen=True, slots=True)
class _Tried:
    """The outcome of one try, and what was done of the plan; `again`: it is to be tried again."""

    outcome: Applied | Refused
    done: tuple[FileChange, ...] = ()
    again: bool = False


_TRY_AGAIN = _Tried(Refused(_TYPING), again=True)


def _paths(change: FileChange) -> tuple[str, ...]:
    """All files that the change is about, those of a folder that is moved one by one."""
    return change.files if isinstance(change, FileRename) else (change.path,)


def _made(change: FileChange) -> dict[str, str | None]:
    """The texts of its paths after a change; None where it makes no text."""
    if isinstance(change, FileEdit):
        return {change.path: change.result}
    return dict.fromkeys(_paths(change))


def _changed(
    plan: EditPlan, tried: _Tried | None, now: WorkspaceSnapshot
) -> tuple[dict[str, str | None], list[str]]:
    """The paths that a plan changed, and those it did not; a try that was cut off leaves gaps."""
    done = {change.path: change for change in tried.done} if tried else {}
    changed: dict[str, str | None] = {}
    untouched: list[str] = []
    for change in plan.files:
        if change.path in done:
            changed |= _made(done[change.path])
        elif wait.is_done(change, now):
            changed |= _made(change)
        elif tried or wait.is_unchanged(change, now):
            untouched += _paths(change)
    return changed, untouched


def _note(made: Made) -> str:
    """What went wrong, for the model; empty if nothing did."""
    if made.misplaced:
        is_known = all(each.made is not None for each in made.misplaced)
        return _MISPLACED.format("made" if is_known else "may have made")
    return _PUT_RIGHT if made.moved else ""


def _ids(hunks: Iterable[Hunk]) -> tuple[str, ...]:
    return tuple(hunk.id for hunk in hunks)


def _rejections(plan: EditPlan, rejected: Sequence[Hunk], words: str = "") -> str:
    """What the user decided about a plan, for the model; people read the first line."""
    if not rejected:
        return f"The user says: {words}" if words else ""
    what, it = "this edit", "it"
    if len(rejected) < len(plan.hunks) and not plan.as_one:
        lines = [f"line {hunk.first_line}" for hunk in rejected]
        places = ", ".join(lines[:_MAX_PLACES] + ["…"] * (len(lines) > _MAX_PLACES))
        it = "them"
        what = f"{len(rejected)} of {len(plan.hunks)} changes ({places})"
    then = f"The user says: {words}" if words else f"Do not make {it} again unasked."
    return f"The user rejected {what}.\n{then}"


def _told(outcome: EditOutcome) -> str:
    """The part that people read; what follows the first line is for the model."""
    match outcome:
        case Applied(_, note):
            return note.partition("\n")[0]
        case Refused(reason):
            return reason.partition("\n")[0]
        case Conflict(note=note):
            meanwhile = f"The place to edit was changed meanwhile. {note}"
            return meanwhile.partition("\n")[0].rstrip()
