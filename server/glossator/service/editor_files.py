"""Files as the user sees them: open documents through the editor, the rest on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace

from glossator.core.document import Document
from glossator.core.edit import EditPlan, FileDeletion, FileEdit
from glossator.core.encoding import decode
from glossator.core.ports import EditorPort
from glossator.core.replacement import Replacement
from glossator.service import arrival
from glossator.service.file_states import (
    Absent,
    Content,
    DiskFiles,
    Found,
    Look,
    Restoration,
    Restored,
    State,
    described,
    holding,
)
from glossator.workspace.change import DiskChanged
from glossator.workspace.host import WorkspaceHost
from glossator.workspace.overlays import Overlay

_CLOSE_FIRST = "is open in the editor; close it there first"


class EditorFiles:
    """Implements `file_states.Files`."""

    def __init__(self, host: WorkspaceHost, port: EditorPort, disk: DiskFiles) -> None:
        self._host = host
        self._port = port
        self._disk = disk

    def now(self) -> Look:
        """What the editor shows, in the encoding of the file; else what is on disk."""
        overlays = self._host.overlays

        def look(path: str, limit: int) -> Found:
            on_disk = self._disk.look(path, limit)
            overlay = overlays.get(path)
            return on_disk if overlay is None else holding(overlay.text, on_disk, limit)

        return look

    def saved(self, path: str, since: int) -> str | None:
        """The hash of the text that the editor last saved there, if it did since (ns, 1970)."""
        save = self._host.saves.get(path)
        return save.sha256 if save is not None and save.at_ns >= since else None

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
        overlay = self._overlay(step.path)
        now = described(await asyncio.to_thread(self.now(), step.path, limit))
        if overlay is None or overlay is not self._overlay(step.path):
            return Restored(changed=[step.path])
        change = _restoring(step, overlay.document)
        if isinstance(change, FileEdit) and change.result == change.before:
            return await self._below(step, now, limit)
        if now != step.expected:
            return Restored(changed=[step.path])
        reason = _CLOSE_FIRST if change is None else await self._refusal(change)
        if reason is None:
            return await self._restored(step, limit)
        if overlay is not self._overlay(step.path):
            return Restored(changed=[step.path])
        return Restored(failed={step.path: reason})

    async def _below(self, step: Restoration, shown: State, limit: int) -> Restored:
        """Give the file below an open document the text that is shown already."""
        below = await self._disk.restore([step], limit)
        if not below.changed or shown != step.expected:
            return below
        missing = await self._disk.restore([replace(step, expected=Absent())], limit)
        return await self._restored(step, limit) if missing.changed else missing

    async def _refusal(self, change: FileEdit | FileDeletion) -> str | None:
        """Have the editor make a change; None when it did, else why not."""
        plan = EditPlan.of("Undo", change)
        refusal = await self._port.apply_edit(plan, confirm=False)
        if isinstance(change, FileEdit) and refusal is not None:
            return f"could not be changed in the editor: {refusal.reason}"
        self._host.apply(DiskChanged(frozenset({change.path})))
        if refusal is not None or not await arrival.arrived(self._host, plan):
            return _CLOSE_FIRST
        left_out = await asyncio.to_thread(arrival.left_out, plan, self._host.snapshot())
        if len(left_out) == len(plan.hunks):  # what arrived was typed
            return "could not be changed in the editor: the user is typing in it"
        return None

    async def _restored(self, step: Restoration, limit: int) -> Restored:
        """What the editor brought back, whatever the user has typed since; modes are left to us."""
        if isinstance(step.found, Content) and (decoded := decode(step.found.data)) is not None:
            why_not = await asyncio.to_thread(self._disk.give_mode, step.path, step.found.mode)
            on_disk = await asyncio.to_thread(self._disk.look, step.path, limit)
            left = described(holding(decoded[0], on_disk, limit))
            return Restored({step.path: left}, failed={step.path: why_not} if why_not else {})
        # the folders that were made for it
        return await self._disk.restore([replace(step, expected=Absent())], limit)

    def _overlay(self, path: str) -> Overlay | None:
        return self._host.overlays.get(path)


def _restoring(step: Restoration, document: Document) -> FileEdit | FileDeletion | None:
    """What the editor can be asked for; None for what only the disk can hold."""
    if isinstance(step.found, Absent):
        return FileDeletion(document)
    if isinstance(step.found, Content) and (decoded := decode(step.found.data)) is not None:
        whole = Replacement(0, len(document.text), decoded[0])
        return FileEdit(document.uri, document.path, document, (whole,))
    return None
