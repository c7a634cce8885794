"""Waiting for what an editor was asked to do: it answers, and tells of its documents by itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from glossator.core.document import Document, Missing, is_absent
from glossator.core.edit import Conflict, EditPlan, FileChange, FileEdit, FileRename, Hunk
from glossator.workspace.editing.merge import is_made, rebase
from glossator.workspace.host import WorkspaceHost
from glossator.workspace.roots import is_inside
from glossator.workspace.snapshot import WorkspaceSnapshot

ARRIVAL_SECONDS = 2.0  # for the first change of an edit that was applied; editors collect changes
SETTLE_SECONDS = 0.3  # for the rest of it

QUIET_SECONDS = 0.2  # without a change; editors collect what is typed for 0.15 s
_TYPING_SECONDS = 2.0  # that are waited for quiet

Condition = Callable[[WorkspaceSnapshot], bool]


async def until(host: WorkspaceHost, holds: Condition, seconds: float) -> bool:
    """Whether `holds` is true of the workspace at once, or after a change within `seconds`."""
    if holds(host.snapshot()):
        return True
    changed = asyncio.Event()
    end = host.subscribe(lambda _: changed.set())
    try:
        async with asyncio.timeout(seconds):
            while not holds(host.snapshot()):
                changed.clear()
                await changed.wait()
    except TimeoutError:
        return False
    finally:
        end()
    return True


async def quiet(host: WorkspaceHost, plan: EditPlan) -> None:
    """Wait until nothing more is typed into the documents of a plan, but not for long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_TYPING_SECONDS):
            while (left := QUIET_SECONDS - _age(host, plan)) > 0:  # noqa: ASYNC110 - time itself is waited for
                await asyncio.sleep(left)


async def arrived(host: WorkspaceHost, plan: EditPlan) -> bool:
    """Wait for a plan that was applied; whether any of it is to be seen.

    What comes need not be what was planned: the user leaves parts out, and editors format.
    """
    if not await until(host, lambda now: changed(plan, now), ARRIVAL_SECONDS):
        return False
    moves = any(isinstance(change, FileRename) for change in plan.files)  # the disk shows it first
    await until(host, lambda now: is_done(plan, now), ARRIVAL_SECONDS if moves else SETTLE_SECONDS)
    return True


def changed(plan: EditPlan, now: WorkspaceSnapshot) -> bool:
    """Whether any file is no longer as the plan found it."""
    return not all(stands(change, now) for change in plan.files)


def stands(change: FileChange, now: WorkspaceSnapshot) -> bool:
    """Whether the file is as the change found it."""
    if isinstance(change, FileRename):
        return is_absent(now.read(change.new_path))
    found = now.read(change.path)
    if isinstance(found, Missing):
        return change.base is None
    return change.base is not None and change.base.sha256 == found.sha256


def left_open(plan: EditPlan, now: WorkspaceSnapshot) -> list[Document]:
    """The documents that are open under a path that a move was to take away."""
    old = [change.path for change in plan.files if isinstance(change, FileRename)]
    overlays = now.overlays.values() if old else ()
    return [each.document for each in overlays if any(is_inside(each.path, path) for path in old)]


def is_done(plan: EditPlan, now: WorkspaceSnapshot) -> bool:
    """Whether every file is as the plan wants it."""
    return not left_open(plan, now) and all(holds(change, now) for change in plan.files)


def left_out(plan: EditPlan, now: WorkspaceSnapshot) -> list[Hunk]:
    """The hunks of an applied plan whose place is as it was."""
    if is_done(plan, now):
        return []
    return [
        hunk
        for change in plan.files
        for hunk in change.hunks
        if stands(change, now) or _is_untouched(change, hunk, now)
    ]


def holds(change: FileChange, now: WorkspaceSnapshot) -> bool:
    """Whether the file is as the change wants it."""
    found = now.read(change.path)
    if isinstance(change, FileEdit):
        return isinstance(found, Document) and found.text == change.result
    if isinstance(change, FileRename):
        return is_absent(found) and not is_absent(now.read(change.new_path))
    return is_absent(found)


def _is_untouched(change: FileChange, hunk: Hunk, now: WorkspaceSnapshot) -> bool:
    found = now.read(change.path)
    if not isinstance(change, FileEdit) or change.base is None or not isinstance(found, Document):
        return False
    # where lines are repeated, the place seems untouched by an edit that stands beside it, too
    untouched = not isinstance(rebase(change.base.text, (hunk.replacement,), found), Conflict)
    return untouched and not is_made(change, found)


def _age(host: WorkspaceHost, plan: EditPlan) -> float:
    """Seconds since the newest change of the plan's open documents."""
    overlays = (host.overlays.get(change.path) for change in plan.files)
    changed = [each.changed_ns for each in overlays if each is not None]
    return (time.time_ns() - max(changed, default=0)) / 1e9
