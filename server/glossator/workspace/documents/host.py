"""The workspace in memory: open documents change only through `WorkspaceHost.apply`."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from glossator.core.document import Document
from glossator.core.text import PositionEncoding
from glossator.settings import WorkspaceSettings
from glossator.worker import JobProgress, Worker
from glossator.workspace.documents.overlays import (
    Change,
    Closed,
    DiskChanged,
    Edited,
    Opened,
    Overlay,
    Overlays,
    RootsChanged,
    Saved,
)
from glossator.workspace.documents.snapshot import WorkspaceSnapshot
from glossator.workspace.files.cache import ReadCache
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.files.indexer import Indexer
from glossator.workspace.files.listing import FileIndex
from glossator.workspace.files.long import LongFiles
from glossator.workspace.files.roots import EncodingRule, Roots, real_path
from glossator.workspace.index.index import TextIndex
from glossator.workspace.index.manager import TextIndexManager
from glossator.workspace.index.merge_policy import Hooks
from glossator.workspace.status import WorkspaceStatus

Listener = Callable[[AbstractSet[str]], None]


@dataclass(frozen=True, slots=True)
class Save:
    """When (ns since 1970) and with which text a document was last written to disk."""

    at_ns: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Indexing:
    """What the text index needs: the worker, and callbacks (see `Hooks`).

    Indexing begins by itself after `patience` seconds.
    """

    worker: Worker
    notice: Callable[[str], None]
    progress: Callable[[JobProgress | None], None]
    patience: float = 2.0


class WorkspaceHost:
    """Open documents and file index of one workspace; for the event-loop thread only."""

    def __init__(
        self,
        roots: tuple[str, ...],
        settings: WorkspaceSettings,
        indexing: Indexing,
        encoding: PositionEncoding = "utf-16",
        encodings: tuple[EncodingRule, ...] = (),
    ) -> None:
        """`encodings` are declared for files, see `Roots`."""
        self.encoding: PositionEncoding = encoding
        self.saves: dict[str, Save] = {}  # by path; also of documents that are closed by now
        self.moves: dict[str, int] = {}  # when the editor deleted or renamed something, by path
        self._settings = settings
        self._indexing = indexing
        self._overlays = Overlays(encoding)
        self._cache = ReadCache(settings.read_cache_bytes, settings.max_file_bytes)
        self._listeners: list[Listener] = []
        self._revision = 0
        self._snapshot: WorkspaceSnapshot | None = None
        self._started = self._closed = False
        self._ending_managers: set[asyncio.Task[None]] = set()  # of roots that were replaced
        self._ending_indexers: set[asyncio.Task[None]] = set()
        self._take_roots(Roots.of(roots, encodings))

    async def start(self) -> None:
        """Begin to watch and scan the disk, in the background."""
        if not self._started and not self._closed:
            self._started = True
            self._run()

    async def ready(self) -> None:
        """Wait until the scan is complete and the index on disk is in use."""
        manager = None
        while manager is not self.index_manager:  # after a change of roots, wait again
            manager = self.index_manager
            await self._indexer.ready()
            manager.look()
            await manager.opened()

    def sweep(self, cause: str) -> None:
        """Look at the whole disk again; `ready` waits for it."""
        self._indexer.sweep(cause)

    async def close(self) -> None:
        """End watching, scanning and indexing; safe to call again."""
        self._closed = True
        for part in (self.index_manager, self._indexer):
            await part.close()
        if ending := self._ending_managers | self._ending_indexers:
            await asyncio.wait(ending)

    def snapshot(self) -> WorkspaceSnapshot:
        """The current workspace; the same object until something changes."""
        if self._snapshot is None:
            self._snapshot = WorkspaceSnapshot(
                self._revision,
                self._roots,
                self._indexer.complete,
                self.overlays,
                self._indexer.index.freeze(),
                self._text.freeze(),
                self._open_files(),
                self._unlisted(),
                self._cache,
                self._settings.ripgrep,
                self._settings.exclude,
                self._long_files,
            )
        return self._snapshot

    @property
    def roots(self) -> tuple[str, ...]:
        """The workspace's folders, as real paths; from any thread."""
        return self._roots.paths

    @property
    def folders(self) -> Roots:
        """The same, with the encodings declared for their files; from any thread."""
        return self._roots

    def encoding_of(self, path: str) -> str:
        """The encoding declared for a file (see `Roots.encoding`); from any thread."""
        return self._roots.encoding(path)

    @property
    def disk_changes(self) -> int:
        """How often a change on disk was found, without the scans at the start."""
        return self._indexer.noticed

    @property
    def overlays(self) -> Mapping[str, Overlay]:
        """The open documents by path."""
        return self._overlays.view()

    @property
    def opened(self) -> tuple[Opened, ...]:
        """What would open the documents that are open now, in another workspace, too."""
        return tuple(Opened(each.uri, each.version, each.text) for each in self._overlays.all())

    def apply(self, change: Change) -> None:
        """Apply a change. Raises `UsageError` and changes nothing if that is impossible."""
        match change:
            case Opened():
                self._changed(frozenset({self._overlays.open(change)}))
            case Edited():
                self._changed(frozenset({self._overlays.edit(change)}))
            case Closed(uri):
                self._look_again(frozenset({self._overlays.close(uri)}))
            case Saved(uri):
                document = self._overlays.get(uri).document
                self.written(document)
                self._look_again(frozenset({document.path}))
            case DiskChanged(paths):
                if changed := self._indexer.refresh(map(self.canonical, paths)):
                    self._listed(changed)
            case RootsChanged(added, removed):
                self._change_roots(added, removed)

    def written(self, document: Document) -> None:
        """Note that the editor or an edit, not a command, wrote this text to disk."""
        self.saves[document.path] = Save(time.time_ns(), document.sha256)

    def moved(self, paths: Iterable[str]) -> None:
        """Note that the editor deleted or renamed these files."""
        self.moves.update(dict.fromkeys(map(self.canonical, paths), time.time_ns()))

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with the absolute paths of every change; the result unsubscribes it.

        A scan calls it several times. A listener must not raise.
        """
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    def canonical(self, path: str) -> str:
        """`path` with its folder's links resolved, as the index knows it."""
        if self._roots.owner(path) is not None:
            return path
        folder, name = os.path.split(path)
        return os.path.join(real_path(folder) or folder, name)

    def is_ignored(self, path: str) -> bool:
        """Whether a rule leaves out the file at this absolute path, now; blocking."""
        return self._indexer.rules.excluding(path, is_dir=False) is not None

    def status(self) -> WorkspaceStatus:
        """Figures for the user and for logs."""
        snapshot = self.snapshot()
        return WorkspaceStatus(
            snapshot.roots,
            len(self._indexer.index),
            len(self._overlays),
            self._revision,
            self._indexer.scanning,
            self._indexer.watching,
            self._indexer.last_sweep,
            self.index_manager.status(),
            self._cache.statistics(),
            snapshot.skipped,
        )

    def _look_again(self, paths: frozenset[str]) -> None:
        self._listed(paths | self._indexer.refresh(paths))

    def _listed(self, paths: AbstractSet[str]) -> None:
        """Note that the listing of these paths changed, or may have."""
        self.index_manager.listing_changed(complete=self._indexer.complete)
        self._changed(paths)

    def _changed(self, paths: AbstractSet[str]) -> None:
        self._revision += bool(paths)  # no paths: a scan ended, and the listing is now complete
        self._snapshot = None
        for listener in tuple(self._listeners):
            listener(paths)

    def _change_roots(self, added: tuple[str, ...], removed: tuple[str, ...]) -> None:
        before = set(self._roots.paths)
        leaving = set(Roots.of(removed).paths)
        kept = [root for root in self._roots.paths if root not in leaving]
        if self._started:
            self._indexer.stop()
            _begin_closing(self._indexer, self._ending_indexers)
            _begin_closing(self.index_manager, self._ending_managers)
        self._take_roots(Roots.of((*kept, *added), self._roots.encodings))
        if self._started and not self._closed:
            self._run()
        self._changed(frozenset(before ^ set(self._roots.paths)))

    def _take_roots(self, roots: Roots) -> None:
        self._roots = roots
        self._cache.clear()
        self._long_files = LongFiles()
        files = FileIndex()
        self._text = TextIndex(files.get)
        hooks = Hooks(self._view_changed, self._indexing.notice, self._indexing.progress)
        worker, patience = self._indexing.worker, self._indexing.patience
        self.index_manager = TextIndexManager(
            self._text, roots, self._settings, worker, hooks, patience
        )
        self._indexer = Indexer(
            files,
            roots,
            self._settings,
            self._text.changed,
            self._listed,
            self.index_manager.remember,
        )

    def _run(self) -> None:
        self.index_manager.start(after=frozenset(self._ending_managers))  # one at a time writes
        self._indexer.start()

    def _view_changed(self) -> None:
        self._snapshot = None

    def _open_files(self) -> tuple[FileEntry, ...]:
        listed = map(self._indexer.index.get, self.overlays)
        return tuple(entry for entry in listed if entry is not None)

    def _unlisted(self) -> tuple[FileEntry, ...]:
        index, rules = self._indexer.index, self._indexer.rules
        return tuple(
            FileEntry(
                overlay.path,
                self._roots.relative(overlay.path),
                len(overlay.text.encode("utf-8", "surrogatepass")),
                overlay.changed_ns,
            )
            for overlay in self.overlays.values()
            if overlay.path not in index
            and os.path.isabs(overlay.path)
            and self._roots.owner(overlay.path) is not None
            and rules.excluding(overlay.path, is_dir=False) is None
        )


def _begin_closing(part: Indexer | TextIndexManager, closing: set[asyncio.Task[None]]) -> None:
    task = asyncio.create_task(part.close(), name="glossator-closing")
    closing.add(task)
    task.add_done_callback(closing.discard)
