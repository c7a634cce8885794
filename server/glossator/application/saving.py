"""Has the editor save what turns changed, and says what stays unsaved.

By default only a document that nobody but the session's turns has changed since it was read from
disk is saved: what the user typed is never saved unasked. Editors format as they save; what comes
of that is part of the turn.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from glossator.core.encoding import is_guessed
from glossator.core.ports import EditorPort
from glossator.core.shown import some_of
from glossator.edits import wait
from glossator.permissions import HiddenFiles
from glossator.sessions import Run
from glossator.undo import Checkpoints, Content, DiskFiles, NoFile
from glossator.workspace import DiskChanged, Overlay, WorkspaceHost, WorkspaceSnapshot

_MOST_BYTES = 100_000_000
_NAMES = 5  # documents named
_WIDEST = 4  # bytes that a character takes in any encoding of ours
_FOR_MODEL = "[Not saved in the editor: {names}. The command saw what is on disk instead.]"
_FOR_USER = (
    "Commands see the files on disk, and the editor holds other text, not saved, for {names}. Where"
    " that matters, save it and have the command run again."
)


class KeepsCheckpoints(Protocol):
    """What lets a session act; its checkpoints are made once something does."""

    @property
    def checkpoints(self) -> Checkpoints:
        """What the turns found in the files they changed."""


@dataclass(frozen=True, slots=True)
class Saving:
    """Saves what a session's turns left unsaved; `when` is the setting `edits.save`."""

    host: WorkspaceHost
    port: EditorPort
    disk: DiskFiles
    acting: KeepsCheckpoints
    when: Literal["clean", "always", "never"]

    async def save(
        self, turn: str, changed: Collection[str] | None = None, *, undo: bool = False
    ) -> tuple[str, ...]:
        """Save what may be saved of the open documents, or of those that the turn just `changed`.

        Only the latter are saved with what the user typed, if the setting is `always`. Of an
        `undo`, what is on disk as the turns left it that it takes back. Gives the paths that stay
        unsaved.
        """
        now = self.host.snapshot()  # the user may type on; only what is looked at is saved
        found = await self.unsaved(now, changed)
        if not found or self.when == "never" or not self.port.saves:
            return found
        checkpoints = self.acting.checkpoints
        own = await checkpoints.own(found, turn if undo else None)
        is_all = self.when == "always" and changed is not None
        others = [path for path in found if path not in own] if is_all else []
        typed = await asyncio.to_thread(
            lambda: [path for path in others if _is_sure(self.disk, path)]
        )
        if not own and not typed:
            return found
        if typed:
            await checkpoints.before(turn, typed)
        told = await self.port.save([now.overlays[path].document for path in (*own, *typed)])
        saved = frozenset(document.path for document in told)
        await checkpoints.saved(turn, {path: own[path] for path in own if path in saved})
        if typed:
            await checkpoints.after(turn, {path: None for path in typed if path in saved})
        self.host.apply(DiskChanged(saved))
        # the editor may send changes that it made while saving after its answer
        await wait.until(
            self.host,
            lambda now: not unsaved(now, self.disk, saved),
            wait.SETTLE_SECONDS,
        )
        return await self.unsaved(self.host.snapshot(), changed)

    async def unsaved(
        self, now: WorkspaceSnapshot, paths: Collection[str] | None = None
    ) -> tuple[str, ...]:
        """The paths of the open documents, of all or of some, whose file holds another text."""
        wanted = now.overlays if paths is None else [each for each in paths if each in now.overlays]
        return await asyncio.to_thread(unsaved, now, self.disk, wanted) if wanted else ()


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
    """The open documents in the workspace whose file has another text; blocking."""
    return tuple(
        path
        for path in sorted(paths)
        if os.path.isabs(path)
        and now.folders.owner(path) is not None
        and (overlay := now.overlays.get(path)) is not None
        and not is_on_disk(overlay, disk)
    )


def is_on_disk(overlay: Overlay, disk: DiskFiles) -> bool:
    """Whether the file of an open document has its text; blocking."""
    match disk.look(overlay.path, _WIDEST * (len(overlay.text) + 1)):
        case Content(data):
            decoded = disk.decoded(overlay.path, data)
            text = decoded[0] if decoded else data.decode("utf-8", "replace")
            return text == overlay.text
        case _:
            return False


def _is_sure(disk: DiskFiles, path: str) -> bool:
    """Whether a file's encoding is no guess, so that the editor reads it alike; blocking.

    What was misread must not be saved: it would be lost.
    """
    match disk.look(path, _MOST_BYTES):
        case Content(data):
            decoded = disk.decoded(path, data)
            return decoded is not None and not is_guessed(decoded[1])
        case NoFile():
            return True
        case _:
            return False
