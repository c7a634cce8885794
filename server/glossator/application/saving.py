"""Saves what turns changed and only the editor has, or follows it until it is saved or lost.

By default only a document that nobody but the session's turns has changed since it was read from
disk is saved: what the user typed is never saved unasked. If the editor formats while saving, that
is part of the turn. Following an unsaved edit ends when its document is closed or equals the file.
If the file then has its old content, the edit is lost, else it was saved. This is kept with the
session. See docs/decisions/0058.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
from collections.abc import Callable, Collection, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

from glossator.core.encoding import is_guessed
from glossator.core.ports import EditorPort
from glossator.core.run_events import UnsavedFile, UnsavedFiles
from glossator.core.shown import some_of
from glossator.core.uri import to_uri
from glossator.edits import wait
from glossator.permissions import HiddenFiles
from glossator.sessions import Run, Session
from glossator.undo import Checkpoints, Content, DiskFiles, NoFile
from glossator.workspace import DiskChanged, Overlay, WorkspaceHost, WorkspaceSnapshot

_NAMED_DOCUMENTS = 5  # documents named
_CHARACTER_BYTES = 4  # bytes that a character takes in any encoding of ours
_FOR_MODEL = "[Not saved in the editor: {names}. The command saw what is on disk instead.]"
_FOR_USER = (
    "Commands see the files on disk, and the editor holds other text, not saved, for {names}. Where"
    " that matters, save it and have the command run again."
)
UNSAVED = "unsavedEdits"  # what is kept: {run, path, before, shown, state}, the newest of a file

_TOGETHER_SECONDS = 0.2  # seconds: who types changes the same document again and again
_LARGEST_BYTES = 100_000_000  # bytes of a file that is compared

_log = logging.getLogger(__name__)


class KeepsCheckpoints(Protocol):
    """Holds what lets a session act; its checkpoints are made once something acts."""

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

        Only the latter are saved with what the user typed, if the setting is `always`. After an
        `undo`, files are saved if the disk still has what the undone turns left. Returns the paths
        that stay unsaved.
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
            self.host, lambda now: not unsaved(now, self.disk, saved), wait.SETTLE_SECONDS
        )
        return await self.unsaved(self.host.snapshot(), changed)

    async def unsaved(
        self, now: WorkspaceSnapshot, paths: Collection[str] | None = None
    ) -> tuple[str, ...]:
        """The paths of open documents, of all or some, whose file holds another text."""
        wanted = now.overlays if paths is None else [each for each in paths if each in now.overlays]
        return await asyncio.to_thread(unsaved, now, self.disk, wanted) if wanted else ()


@dataclass(frozen=True, slots=True)
class SavingFirst:
    """Saves before each command of a run; for a run that `only_reads`, nothing is saved."""

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
        names = some_of(shown, _NAMED_DOCUMENTS)
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
    """Whether the file holds the text of the open document; blocking."""
    match disk.look(overlay.path, _CHARACTER_BYTES * (len(overlay.text) + 1)):
        case Content(data):
            decoded = disk.decoded(overlay.path, data)
            text = decoded[0] if decoded else data.decode("utf-8", "replace")
            return text == overlay.text
        case _:
            return False


def _is_sure(disk: DiskFiles, path: str) -> bool:
    """Whether a file's encoding is no guess, so that the editor reads it the same; blocking.

    Misread text must not be saved: the file's content would be lost.
    """
    match disk.look(path, _LARGEST_BYTES):
        case Content(data):
            decoded = disk.decoded(path, data)
            return decoded is not None and not is_guessed(decoded[1])
        case NoFile():
            return True
        case _:
            return False


class _State(StrEnum):
    UNSAVED = "unsaved"
    GONE = "gone"
    SAVED = "saved"


@dataclass(slots=True)
class _Edit:
    """An edit that a run left unsaved, when the file's content had the hash `before`.

    `shown` is the hash of the last unsaved text. `seen`: this server saw it unsaved.
    """

    before: str
    shown: str
    state: _State = _State.UNSAVED
    seen: bool = True


class UnsavedEdits:
    """Follows unsaved edits; for the event loop. Files are compared in threads."""

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
        """The edits that are not on disk, as last found."""
        relative = self._host.snapshot().relative
        return tuple(
            UnsavedFile(run_id, relative(path), to_uri(path), edit.state is _State.GONE)
            for (run_id, path), edit in self._edits.items()
        )

    async def left(self, run_id: str, paths: Iterable[str]) -> None:
        """Note that a run's edits of these open documents were not saved."""
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
        """Find out what happened to the edits, of all files or some."""
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
        """Stop following."""
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
                await asyncio.sleep(_TOGETHER_SECONDS)
                changed, self._changed = self._changed, set()
                await self.look(changed)
        finally:
            self._looking = None


def _stands(edit: _Edit, overlay: Overlay | None, disk: DiskFiles, path: str) -> _State:
    """The state of an edit; blocking."""
    if overlay is not None and not is_on_disk(overlay, disk):
        was_gone = edit.state is _State.GONE and edit.seen
        is_other = was_gone and overlay.document.sha256 != edit.shown  # the user typed it later
        return _State.GONE if is_other else _State.UNSAVED
    return _State.GONE if _content(disk, path) == edit.before else _State.SAVED


def _content(disk: DiskFiles, path: str) -> str:
    """The hash of a file's bytes; "" if no file can be read. Blocking."""
    match disk.look(path, _LARGEST_BYTES):
        case Content(data):
            return hashlib.sha256(data).hexdigest()
        case _:
            return ""


def _kept(session: Session) -> dict[tuple[str, str], _Edit]:
    """What the session kept, without what was saved or written by another version."""
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
