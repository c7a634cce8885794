"""Files as the user sees them: open documents through the editor, the rest on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace

from glossator.core.document import Document
from glossator.core.edit import EditPlan, FileDeletion, FileEdit
from glossator.core.line_diff import line_replacements
from glossator.core.ports import EditorPort, NotApplied
from glossator.edits import wait
from glossator.edits.in_editor import Made, NotMade, apply
from glossator.undo import (
    Content,
    DiskFiles,
    FileState,
    FoundState,
    NoFile,
    ReadFileState,
    Restoration,
    Restored,
    as_state,
)
from glossator.workspace import DiskChanged, Overlay, WorkspaceHost, is_inside

_REFUSED = "could not be changed in the editor: {}"
_MISPLACED = "may be edited in a wrong place, as you were typing; look at it in the editor"
_TYPING = "could not be changed while you were typing; undo again"
_CLOSE_FIRST = "is open in the editor; close it there first"


class EditorFiles:
    """Implements `file_states.RestorableFiles`."""

    def __init__(self, host: WorkspaceHost, port: EditorPort, disk: DiskFiles) -> None:
        self._host = host
        self._port = port
        self._disk = disk

    def now(self) -> ReadFileState:
        """What the editor shows, in the encoding of the file; else what is on disk."""
        overlays = self._host.overlays

        def look(path: str, limit: int) -> FoundState:
            overlay = overlays.get(path)
            if overlay is None:
                return self._disk.look(path, limit)
            return self._disk.with_text(path, overlay.text, limit)

        return look

    def saved(self, path: str, since: int) -> str | None:
        """The hash of the text that the editor last saved there, if it did since (ns, 1970)."""
        save = self._host.saves.get(path)
        return save.sha256 if save is not None and save.at_ns >= since else None

    def moved(self, path: str, since: int) -> bool:
        """Whether the editor told since that it, or a folder above, was deleted or renamed."""
        moves = self._host.moves.items()
        return any(at >= since and is_inside(path, each) for each, at in moves)

    async def restore(self, plan: Iterable[Restoration], limit: int) -> Restored:
        """Bring back what was, in place of what has at most `limit` bytes."""
        steps = tuple(plan)
        overlays = self._host.overlays
        closed = [step for step in steps if step.path not in overlays]
        done = await self._disk.restore(closed, limit)
        for step in steps:
            if step.path in overlays:
                done.add(await self._restore_open(step, limit))
        self._host.apply(DiskChanged(frozenset(step.path for step in steps)))
        return done

    async def _restore_open(self, step: Restoration, limit: int) -> Restored:
        """Give an open document its text back, or close it; what it shows already, to the disk."""
        await wait.quiet(self._host, self._port, [step.path])
        overlay = self._overlay(step.path)
        if overlay is None:
            return Restored(changed=[step.path])
        change = await asyncio.to_thread(self._restoring, step, overlay.document)
        now = as_state(await asyncio.to_thread(self.now(), step.path, limit))
        is_shown = isinstance(change, FileEdit) and change.result == change.before
        if overlay is not self._overlay(step.path) or (now != step.expected and not is_shown):
            return Restored(changed=[step.path])
        if is_shown:
            return await self._below(step, now, limit)
        if change is None:
            return Restored(failed={step.path: _CLOSE_FIRST})
        return await self._apply(step, change, limit)

    async def _apply(
        self, step: Restoration, change: FileEdit | FileDeletion, limit: int
    ) -> Restored:
        """Have the editor make a change."""
        match await apply(self._host, self._port, EditPlan.of("Undo", change)):
            case Made(misplaced=()):
                return await self._restored(step, limit)
            case Made():
                return Restored(failed={step.path: _MISPLACED})
            case NotApplied(behind=True):
                return Restored(failed={step.path: _TYPING})
            case NotApplied(reason) if isinstance(change, FileEdit):
                return Restored(failed={step.path: _REFUSED.format(reason)})
            case NotMade(again=True):
                return Restored(changed=[step.path])
        return Restored(failed={step.path: _CLOSE_FIRST})

    async def _below(self, step: Restoration, shown: FileState, limit: int) -> Restored:
        """Give the file below an open document the text that is shown already."""
        below = await self._disk.restore([step], limit)
        if not below.changed or shown != step.expected:
            return below
        missing = await self._disk.restore([replace(step, expected=NoFile())], limit)
        return await self._restored(step, limit) if missing.changed else missing

    async def _restored(self, step: Restoration, limit: int) -> Restored:
        """What the editor restored, even if the user has typed since; sets the file's mode."""
        if (text := self._text(step)) is not None and isinstance(step.found, Content):
            why_not = await asyncio.to_thread(self._disk.give_mode, step.path, step.found.mode)
            left = as_state(await asyncio.to_thread(self._disk.with_text, step.path, text, limit))
            return Restored({step.path: left}, failed={step.path: why_not} if why_not else {})
        # the folders that were made for it
        return await self._disk.restore([replace(step, expected=NoFile())], limit)

    def _overlay(self, path: str) -> Overlay | None:
        return self._host.overlays.get(path)

    def _restoring(self, step: Restoration, document: Document) -> FileEdit | FileDeletion | None:
        """What the editor can be asked for; None for what only the disk can hold."""
        if isinstance(step.found, NoFile):
            return FileDeletion(document)
        if (text := self._text(step)) is None:
            return None
        lines = line_replacements(document.text, text)  # what is typed elsewhere can stay
        return FileEdit(document.uri, document.path, document, lines)

    def _text(self, step: Restoration) -> str | None:
        """The text that is restored, if it is one."""
        if not isinstance(step.found, Content):
            return None
        decoded = self._disk.decoded(step.path, step.found.data)
        return None if decoded is None else decoded[0]
