"""The edits of a session that only the editor has, until they are saved or lost.

An edit that was left unsaved is over once its document is closed, or as on disk. If the file has
the content of before then, the edit is gone, else it was saved. This is kept with the session.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from glossator.application.saving import is_on_disk
from glossator.core.ports import EditorPort
from glossator.core.run_events import UnsavedFile, UnsavedFiles
from glossator.core.uri import to_uri
from glossator.sessions import Session
from glossator.undo import Content, DiskFiles
from glossator.workspace import Overlay, WorkspaceHost

UNSAVED = "unsavedEdits"  # what is kept: {run, path, before, shown, state}, the newest of a file

_TOGETHER = 0.2  # seconds: who types changes the same document again and again
_LARGEST = 100_000_000  # bytes of a file that is compared

_log = logging.getLogger(__name__)


class _State(StrEnum):
    UNSAVED = "unsaved"
    GONE = "gone"
    SAVED = "saved"


@dataclass(slots=True)
class _Edit:
    """What a run left unsaved in a document, when the file's content had the hash `before`.

    `shown` is the hash of the last unsaved text. `seen`: this server saw it unsaved.
    """

    before: str
    shown: str
    state: _State = _State.UNSAVED
    seen: bool = True


class UnsavedEdits:
    """For the event loop; files are compared in threads."""

    def __init__(
        self, session: Session, host: WorkspaceHost, disk: DiskFiles, port: EditorPort
    ) -> None:
        self._session = session
        self._host = host
        self._disk = disk
        self._port = port
        self._edits = _kept(session)  # by run and path
        self._changed: set[str] = set()
        self._looking: asyncio.Task[None] | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self._follow()

    @property
    def files(self) -> tuple[UnsavedFile, ...]:
        """Those that are not on disk, as they were found last."""
        relative = self._host.snapshot().relative
        return tuple(
            UnsavedFile(run_id, relative(path), to_uri(path), edit.state is _State.GONE)
            for (run_id, path), edit in self._edits.items()
        )

    async def left(self, run_id: str, paths: Iterable[str]) -> None:
        """A run's edits of these open documents were not saved."""
        for path in paths:
            before = await asyncio.to_thread(_content, self._disk, path)
            overlay = self._host.overlays.get(path)
            if overlay is None:
                continue
            known = self._edits.get((run_id, path))
            if known is not None and known.state is _State.UNSAVED:
                before = known.before
            self._edits[run_id, path] = _Edit(before, overlay.document.sha256)
            self._keep(run_id, path)
            self._tell()
        self._follow()

    async def look(self, paths: AbstractSet[str] | None = None) -> None:
        """Find out what became of the edits, of all or those of some files."""
        for (run_id, path), edit in tuple(self._edits.items()):
            if paths is not None and path not in paths:
                continue
            overlay = self._host.overlays.get(path)
            state = await asyncio.to_thread(_stands, edit, overlay, self._disk, path)
            if self._host.overlays.get(path) is not overlay:
                self._changed.add(path)  # look again
            elif self._edits.get((run_id, path)) is edit:
                self._found(run_id, path, edit, state, overlay)
        self._follow()

    def close(self) -> None:
        """Follow them no more."""
        if self._looking is not None:
            self._looking.cancel()
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None

    def _found(
        self, run_id: str, path: str, edit: _Edit, state: _State, overlay: Overlay | None
    ) -> None:
        if state is _State.UNSAVED and overlay is not None:
            edit.shown, edit.seen = overlay.document.sha256, True
        if state is edit.state:
            return
        edit.state = state
        self._keep(run_id, path)
        if state is _State.SAVED:
            del self._edits[run_id, path]
        self._tell()

    def _keep(self, run_id: str, path: str) -> None:
        edit = self._edits[run_id, path]
        value = {"run": run_id, "path": path, "before": edit.before, "shown": edit.shown}
        self._session.keep(UNSAVED, value | {"state": edit.state.value})

    def _tell(self) -> None:
        self._port.show(UnsavedFiles(self._session.id, self.files))

    def _follow(self) -> None:
        if self._edits and self._unsubscribe is None:
            self._unsubscribe = self._host.subscribe(self._on_change)
        elif not self._edits and self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None

    def _on_change(self, paths: AbstractSet[str]) -> None:
        self._changed |= {path for _, path in self._edits if path in paths}
        if self._changed and self._looking is None:
            self._looking = asyncio.create_task(self._look_soon())

    async def _look_soon(self) -> None:
        try:
            while self._changed:
                await asyncio.sleep(_TOGETHER)
                changed, self._changed = self._changed, set()
                await self.look(changed)
        finally:
            self._looking = None


def _stands(edit: _Edit, overlay: Overlay | None, disk: DiskFiles, path: str) -> _State:
    """What became of an edit; blocking."""
    if overlay is not None and not is_on_disk(overlay, disk):
        was_gone = edit.state is _State.GONE and edit.seen
        is_other = was_gone and overlay.document.sha256 != edit.shown  # the user typed it later
        return _State.GONE if is_other else _State.UNSAVED
    return _State.GONE if _content(disk, path) == edit.before else _State.SAVED


def _content(disk: DiskFiles, path: str) -> str:
    """The hash of a file's bytes; "" where there is none that can be read. Blocking."""
    match disk.look(path, _LARGEST):
        case Content(data):
            return hashlib.sha256(data).hexdigest()
        case _:
            return ""


def _kept(session: Session) -> dict[tuple[str, str], _Edit]:
    """What the session kept, but for what was saved; what another version kept is left out."""
    edits: dict[tuple[str, str], _Edit] = {}
    for value in session.kept(UNSAVED):
        try:
            key, state = (value["run"], value["path"]), _State(value["state"])
            seen = state is _State.GONE
            edits[key] = _Edit(value["before"], value["shown"], state, seen)
        except (KeyError, TypeError, ValueError) as error:
            _log.warning("An unsaved edit that was kept cannot be read: %r", error)
            continue
        if state is _State.SAVED:
            del edits[key]
    return edits
