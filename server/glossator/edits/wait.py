"""Waits for an editor: its answer to an edit, and the changes of documents that it sends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from glossator.core.document import Document, Missing, is_absent
from glossator.core.edit import EditPlan, FileChange, FileEdit, FileRename
from glossator.core.ports import EditorPort
from glossator.workspace import WorkspaceHost, WorkspaceSnapshot, is_inside

ARRIVAL_SECONDS = 2.0  # for the first change of an edit that was applied; editors collect changes
SETTLE_SECONDS = 0.3  # for the rest of it
LATE_SECONDS = 0.5  # for the user's typing that made the editor refuse, or an edit cut off
BEHIND_SECONDS = 4.0  # for typing that an editor says it has not sent yet

QUIET_SECONDS = 0.2  # without a change; editors collect what is typed for 0.15 s
_TYPING_SECONDS = 2.0  # that are waited for quiet

Condition = Callable[[WorkspaceSnapshot], bool]
Texts = Mapping[str, Sequence[str]]  # by path: the text before the edit, and after each change


async def until(host: WorkspaceHost, condition: Condition, seconds: float) -> bool:
    """Wait up to `seconds` until the workspace meets a condition; whether it does."""
    if condition(host.snapshot()):
        return True
    changed = asyncio.Event()
    end = host.subscribe(lambda _: changed.set())
    try:
        async with asyncio.timeout(seconds):
            while not condition(host.snapshot()):
                changed.clear()
                await changed.wait()
    except TimeoutError:
        return False
    finally:
        end()
    return True


async def quiet(host: WorkspaceHost, port: EditorPort, paths: Iterable[str]) -> None:
    """Wait, but not for long, until nothing more is typed into documents that are to be edited.

    Only editors that may edit a text they have not sent are waited for.
    """
    if not port.edits_blindly:
        return
    names = tuple(paths)
    with suppress(TimeoutError):
        async with asyncio.timeout(_TYPING_SECONDS):
            while (left := QUIET_SECONDS - _age(host, names)) > 0:  # noqa: ASYNC110 - time itself is waited for
                await asyncio.sleep(left)


async def arrived(host: WorkspaceHost, plan: EditPlan, texts: Texts) -> bool:
    """Wait for a plan that was applied; whether any change came.

    The change need not be the planned one: the user leaves parts out, and editors format.
    """

    def any_came(now: WorkspaceSnapshot) -> bool:
        return changed(plan, now) or any(len(seen) > 1 for seen in texts.values())

    def all_came(now: WorkspaceSnapshot) -> bool:
        return not left_open(plan, now) and all(
            (isinstance(change, FileEdit) and change.result in texts[change.path][1:])
            or is_done(change, now)
            for change in plan.files
        )

    if not await until(host, any_came, ARRIVAL_SECONDS):
        return False
    moves = any(isinstance(change, FileRename) for change in plan.files)  # the disk shows it first
    await until(host, all_came, ARRIVAL_SECONDS if moves else SETTLE_SECONDS)
    return True


def changed(plan: EditPlan, now: WorkspaceSnapshot) -> bool:
    """Whether any file is no longer as the plan found it."""
    return not all(is_unchanged(change, now) for change in plan.files)


def is_unchanged(change: FileChange, now: WorkspaceSnapshot) -> bool:
    """Whether the file is as the change found it."""
    if isinstance(change, FileRename):
        return is_absent(now.read(change.new_path))
    found = now.read(change.path)
    if isinstance(found, Missing):
        return change.base is None
    return change.base is not None and change.base.sha256 == found.sha256


def is_done(change: FileChange, now: WorkspaceSnapshot) -> bool:
    """Whether the file is as the change is to make it."""
    found = now.read(change.path)
    if isinstance(change, FileEdit):
        return isinstance(found, Document) and found.text == change.result
    if isinstance(change, FileRename):
        return is_absent(found) and not is_absent(now.read(change.new_path))
    return is_absent(found)


def left_open(plan: EditPlan, now: WorkspaceSnapshot) -> list[Document]:
    """The documents that are open under a path that a move was to take away."""
    old = [change.path for change in plan.files if isinstance(change, FileRename)]
    overlays = now.overlays.values() if old else ()
    return [each.document for each in overlays if any(is_inside(each.path, path) for path in old)]


def _age(host: WorkspaceHost, paths: Iterable[str]) -> float:
    """Seconds since the newest change of open documents."""
    overlays = (host.overlays.get(path) for path in paths)
    changed = [each.changed_ns for each in overlays if each is not None]
    return (time.time_ns() - max(changed, default=0)) / 1e9
