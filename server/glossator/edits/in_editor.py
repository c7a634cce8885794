"""Has the editor make a plan, finds out what it made of it, and has misplaced edits put right."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from glossator.core.document import Document, Missing
from glossator.core.edit import EditPlan, FileChange, FileEdit, FileRename, Hunk
from glossator.core.ports import EditorPort, NotApplied
from glossator.documents.change import DiskChanged
from glossator.documents.host import WorkspaceHost
from glossator.documents.snapshot import WorkspaceSnapshot
from glossator.edits import wait
from glossator.edits.was_made import Misplaced, not_made, texts_seen

_REPAIRS = 4  # while the user types on
_TELL = (
    "An edit of {} may be in a wrong place: you were typing, and your editor had not sent that yet."
    " Look at it, and undo it in the editor if it is."
)


@dataclass(frozen=True, slots=True)
class Made:
    """The editor made a plan but for the hunks `left_out`.

    What is still `misplaced` the user has been told; `moved`: all that was misplaced was put right.
    """

    left_out: tuple[Hunk, ...] = ()
    misplaced: tuple[Misplaced, ...] = ()
    moved: bool = False


@dataclass(frozen=True, slots=True)
class NotMade:
    """Nothing of a plan was made; `again`: somebody changed the text, and it may be tried again.

    `accepted`: the editor said that it had applied it.
    """

    accepted: bool = False
    again: bool = True


async def apply(
    host: WorkspaceHost, port: EditorPort, plan: EditPlan, *, confirm: bool = False
) -> Made | NotMade | NotApplied:
    """Have the editor make a plan, if its files are as it found them; put right what goes wrong.

    `confirm`: the editor is to ask the user.
    """
    made = await _ask(host, port, plan, confirm=confirm)
    if not isinstance(made, Made) or not made.misplaced:
        return made
    if await _put_right(host, port, plan.label, made.misplaced):
        return replace(made, misplaced=(), moved=True)
    relative = host.snapshot().relative
    port.tell(_TELL.format(", ".join(relative(each.path) for each in made.misplaced)))
    return made


def paths_of(plan: EditPlan) -> tuple[str, ...]:
    """The paths that the plan names."""
    new = (change.new_path for change in plan.files if isinstance(change, FileRename))
    return (*(change.path for change in plan.files), *new)


async def _put_right(
    host: WorkspaceHost, port: EditorPort, label: str, misplaced: tuple[Misplaced, ...]
) -> bool:
    """Have misplaced edits moved to their places; a repair can be misplaced as well."""
    for _ in range(_REPAIRS):
        await wait.quiet(host, port, [each.path for each in misplaced])
        repair = await asyncio.to_thread(_repair, label, misplaced, host.snapshot())
        if repair is None:
            return False
        match await _ask(host, port, repair, confirm=False):
            case Made(misplaced=still) if still:
                misplaced = still
            case Made():
                return True
            case NotMade(again=True):
                pass
            case _:
                return False
    return False


def _repair(
    label: str, misplaced: tuple[Misplaced, ...], now: WorkspaceSnapshot
) -> EditPlan | None:
    repairs: list[FileEdit] = []
    for each in misplaced:
        current = now.read(each.path)
        repair = each.repair(current) if isinstance(current, Document) else None
        if repair is None:
            return None
        repairs.append(repair)
    return EditPlan.of(label, *repairs)


async def _ask(
    host: WorkspaceHost, port: EditorPort, plan: EditPlan, *, confirm: bool
) -> Made | NotMade | NotApplied:
    with texts_seen(host, plan) as texts:
        if await asyncio.to_thread(wait.changed, plan, host.snapshot()):
            return NotMade()
        refusal = await port.apply_edit(plan, confirm=confirm)
        # a client that writes to the disk sends no change
        host.apply(DiskChanged(frozenset(paths_of(plan))))
        if refusal is None:
            if not await wait.arrived(host, plan, texts):
                return NotMade(accepted=True, again=False)
        elif not await _late(host, plan, refusal):
            return refusal

        now, blind, refused = host.snapshot(), port.edits_blindly, refusal is not None

        def find(change: FileChange) -> tuple[Hunk, ...] | Misplaced:
            if isinstance(change, FileEdit):
                seen = _with_current(texts[change.path], now.read(change.path))
                asked = {"refused": refused, "blind": blind, "confirm": confirm}
                return not_made(change, seen, host.encoding, **asked)
            if isinstance(change, FileRename) and not refused:
                return change.hunks if wait.is_unchanged(change, now) else ()
            return () if wait.is_done(change, now) else change.hunks

        found = await asyncio.to_thread(lambda: [find(change) for change in plan.files])
    left_out = tuple(hunk for each in found if not isinstance(each, Misplaced) for hunk in each)
    if len(left_out) == len(plan.hunks):
        return NotMade(accepted=not refused, again=refused or not confirm)
    return Made(left_out, tuple(each for each in found if isinstance(each, Misplaced)))


async def _late(host: WorkspaceHost, plan: EditPlan, refusal: NotApplied) -> bool:
    """Whether a text changed, or does soon, so that the editor may apply the plan next time."""
    is_open = any(change.base and change.base.version is not None for change in plan.files)
    seconds = wait.BEHIND_SECONDS if refusal.behind else wait.LATE_SECONDS
    changed = partial(wait.changed, plan)
    return await wait.until(host, changed, seconds if is_open else 0.0)


def _with_current(seen: Sequence[str], current: Document | Missing) -> Sequence[str]:
    """The texts that were seen, and what a file holds that no editor tells of."""
    if isinstance(current, Missing) or current.text == seen[-1]:
        return seen
    return (*seen, current.text)
