"""Files as the user sees them: open documents through the editor, the rest on disk."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from glossator.core.document import Document
from glossator.core.edit import EditPlan, FileDeletion, FileEdit
from glossator.core.encoding import decode, encode
from glossator.core.ports import EditorPort
from glossator.core.replacement import Replacement
from glossator.service.arrival import arrived
from glossator.service.file_states import Absent, Content, DiskFiles, Found, Restoration, Unkept
from glossator.workspace.change import DiskChanged
from glossator.workspace.host import WorkspaceHost

_CLOSE_FIRST = "is open in the editor; close it there first"
_NEW_MODE = 0o644  # of a document that is open and on no disk


class EditorFiles:
    """Implements `file_states.Files`."""

    def __init__(self, host: WorkspaceHost, port: EditorPort, disk: DiskFiles) -> None:
        self._host = host
        self._port = port
        self._disk = disk

    def look(self, path: str, limit: int) -> Found:
        """What the editor shows, in the encoding of the file; else what is on disk."""
        on_disk = self._disk.look(path, limit)
        overlay = self._host.snapshot().overlays.get(path)
        if overlay is None:
            return on_disk
        mode, encoding = _NEW_MODE, "utf-8"
        if isinstance(on_disk, Content):
            mode = on_disk.mode
            if (decoded := decode(on_disk.data)) is not None:
                if decoded[0] == overlay.text:
                    return on_disk
                encoding = decoded[1]
        data = _bytes(overlay.text, encoding)
        if data is None:
            return Unkept("holds characters that no file can hold")
        if len(data) > limit:
            return Unkept(f"has {len(data):,} bytes, and at most {limit:,} are kept of a file")
        return Content(data, mode)

    async def restore(self, plan: Iterable[Restoration]) -> dict[str, str]:
        """Bring back what was; gives the paths that could not be, and why."""
        overlays = self._host.snapshot().overlays
        steps = tuple(plan)
        in_editor = [step for step in steps if step.path in overlays]
        failed = await self._disk.restore(step for step in steps if step.path not in overlays)
        for step in in_editor:
            if (reason := await self._restore_open(step)) is not None:
                failed[step.path] = reason
        self._host.apply(DiskChanged(frozenset(step.path for step in steps)))
        return failed

    async def _restore_open(self, step: Restoration) -> str | None:
        """Give an open document its text back, or close it; None when done, else why not."""
        document = self._host.snapshot().overlays[step.path].document
        change = _restoring(step, document)
        if change is None:
            return _CLOSE_FIRST
        if isinstance(change, FileEdit) and change.result == document.text:
            return None
        plan = EditPlan.of("Undo", change)
        reason = await self._port.apply_edit(plan, confirm=False)
        if isinstance(change, FileEdit) and reason is not None:
            return f"could not be changed in the editor: {reason}"
        self._host.apply(DiskChanged(frozenset({step.path})))
        if reason is not None or not await arrived(self._host, plan):
            return _CLOSE_FIRST
        if isinstance(change, FileDeletion):  # the folders that were made for it
            return (await self._disk.restore([step])).get(step.path)
        return None


def _bytes(text: str, encoding: str) -> bytes | None:
    """The text as a file, in UTF-8 if the encoding lacks a character of it."""
    for name in (encoding, "utf-8"):
        with contextlib.suppress(UnicodeEncodeError):
            return encode(text, name)
    return None


def _restoring(step: Restoration, document: Document) -> FileEdit | FileDeletion | None:
    """What the editor can be asked for; None for what only the disk can hold."""
    if isinstance(step.found, Absent):
        return FileDeletion(document)
    if isinstance(step.found, Content) and (decoded := decode(step.found.data)) is not None:
        whole = Replacement(0, len(document.text), decoded[0])
        return FileEdit(document.uri, document.path, document, (whole,))
    return None
