"""Texts that the editor holds and the disk does not, which is where commands look.

Before a command, documents that only the session's own turns have changed are saved, through the
editor. What the user typed is never saved unasked: those documents are named, to the model with
each result, to the user once in a run.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from dataclasses import dataclass

from glossator.core.encoding import decode
from glossator.core.ports import EditorPort
from glossator.core.shown import some_of
from glossator.documents import DiskChanged, Overlay, WorkspaceHost, WorkspaceSnapshot
from glossator.edits import wait
from glossator.permissions import HiddenFiles
from glossator.sessions import Run
from glossator.undo import Checkpoints, Content, DiskFiles

_NAMES = 5  # documents named
_WIDEST = 4  # bytes that a character takes in any encoding of ours
_FOR_MODEL = "[Not saved in the editor: {names}. The command saw what is on disk instead.]"
_FOR_USER = (
    "Commands see the files on disk, and the editor holds other text, not saved, for {names}. Where"
    " that matters, save it and have the command run again."
)


@dataclass(frozen=True, slots=True)
class Saving:
    """Saves what a session's turns left unsaved."""

    host: WorkspaceHost
    port: EditorPort
    disk: DiskFiles
    checkpoints: Checkpoints

    async def save(self, turn: str, *, undo: bool = False) -> tuple[str, ...]:
        """Save what may be saved, as part of a turn; gives the paths that stay unsaved.

        Of an `undo`, where the editor had saved what was taken back.
        """
        now = self.host.snapshot()  # the user may type on; only what is looked at is saved
        found = await self.unsaved(now)
        may = found and self.port.saves
        own = await self.checkpoints.own(found, turn if undo else None) if may else {}
        if not own:
            return found
        told = await self.port.save([now.overlays[path].document for path in own])
        saved = frozenset(document.path for document in told)
        await self.checkpoints.saved(turn, {path: own[path] for path in saved})
        self.host.apply(DiskChanged(saved))
        # what an editor did to a text as it saved it may be told after its answer
        await wait.until(
            self.host,
            lambda now: not unsaved(now, self.disk, saved),
            wait.SETTLE_SECONDS,
        )
        return await self.unsaved(self.host.snapshot())

    async def unsaved(self, now: WorkspaceSnapshot) -> tuple[str, ...]:
        """The paths of the open documents whose file holds another text."""
        return await asyncio.to_thread(unsaved, now, self.disk, now.overlays)


@dataclass(frozen=True, slots=True)
class SavingFirst:
    """What is done before each command of a run; one that `only_reads` has nothing saved."""

    saving: Saving
    hidden: HiddenFiles | None
    run: Run
    only_reads: bool

    async def __call__(self) -> str:
        """A sentence for the model about what is not saved; empty if all is."""
        now = self.saving.host.snapshot()
        if self.only_reads:
            paths = await self.saving.unsaved(now)
        else:
            paths = await self.saving.save(self.run.id)
        relative = now.relative
        shown = [relative(path) for path in paths if self.hidden is None or not self.hidden(path)]
        if not shown:
            return ""
        names = some_of(shown, _NAMES)
        self.run.notice_once("unsaved", _FOR_USER.format(names=names))
        return _FOR_MODEL.format(names=names)


def unsaved(now: WorkspaceSnapshot, disk: DiskFiles, paths: Iterable[str]) -> tuple[str, ...]:
    """Those of the open documents inside the workspace whose file holds another text; blocking."""
    return tuple(
        path
        for path in sorted(paths)
        if os.path.isabs(path)
        and now.folders.owner(path) is not None
        and (overlay := now.overlays.get(path)) is not None
        and not _is_on_disk(overlay, disk)
    )


def _is_on_disk(overlay: Overlay, disk: DiskFiles) -> bool:
    match disk.look(overlay.path, _WIDEST * (len(overlay.text) + 1)):
        case Content(data):
            decoded = decode(data)
            text = decoded[0] if decoded else data.decode("utf-8", "replace")
            return text == overlay.text
        case _:
            return False
