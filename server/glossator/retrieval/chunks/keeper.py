"""Keeps the index of chunks current: the worker reads what changed, the server says what that is.

One task does one sync after the other. Until the first is complete, and while one fails, searches
read files (see `retrieval/retriever.py`), so they are right without it. What found no room on disk
is searched by reading, too, until there is room.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace

from glossator.core.errors import UsageError
from glossator.retrieval.chunks.jobs import CheckChunks, RenewChunks, SyncChunks
from glossator.retrieval.chunks.requests import CheckRequest, ChunkStatus, Synced, SyncRequest
from glossator.settings import WorkspaceSettings
from glossator.symbols import Library
from glossator.worker import JobFailed, JobProgress, Worker, WorkerGone
from glossator.workspace import (
    STAMP,
    FileEntry,
    Prune,
    Roots,
    WorkspaceHost,
    WorkspaceSnapshot,
    index_base,
    index_folder,
    outermost,
)

_log = logging.getLogger(__name__)

_COLLECT_SECONDS = 0.02  # seconds, in which changes are collected
_BUSY_SECONDS = 1.0  # until asking again whether another server still writes
_FAILED_SECONDS = 60.0
_MAX_WORKER_DEATHS = 5  # in a row, after which `settle` does not wait for the next try
_COMPARE_ALL_FROM = 2_000  # changed files, from which on all are compared
_SHOWN_ABOVE = 1_000  # files; reading fewer shows no progress
_CHUNKS_SHARE = 1 / 2  # of `workspace.indexBytes`, at most, for the index of chunks
_OUTLINES_SHARE = 1 / 8  # likewise for outlines
_ROOMY_SHARE = 0.9  # of what an index may take; below it, the files are tried again


class ChunkKeeper:
    """Keeps the chunks of a workspace indexed; for the event-loop thread."""

    def __init__(
        self,
        host: WorkspaceHost,
        worker: Worker,
        settings: WorkspaceSettings,
        progress: Callable[[JobProgress | None], None],
        notice: Callable[[str], None],
        patience: float,
        indexed: Callable[[Library, str, Iterable[str]], None],
    ) -> None:
        """Index nothing in the first `patience` seconds, unless somebody waits for it.

        `indexed` hears which files of a root, by relative path, are in the index now.
        """
        self._indexed = indexed
        self.contexts = ""  # the file with what a model wrote about chunks; "": none is indexed
        self._host, self._worker, self._settings = host, worker, settings
        self._progress, self._notice, self._patience = progress, notice, patience
        self._wanted = asyncio.Event()  # somebody waits for the index
        self._changed: set[str] = set()
        self._again: set[str] = set()  # of these, what is to be indexed though it did not change
        self._reading: AbstractSet[str] = frozenset()  # what the sync at work reads
        self._synced: tuple[str, ...] | None = None  # the roots that were compared as a whole
        self._left = LeftFiles()
        self._heard: set[str] = set()  # the roots whose files `indexed` heard of
        self._files = self._disk_bytes = self._deaths = 0
        self._building: JobProgress | None = None
        self._problem = ""
        self._stopped = False
        self._told: set[str] = set()
        self._wake, self._rested = asyncio.Event(), asyncio.Event()
        self._turn = asyncio.Lock()  # of the work, one thing at a time
        self._task: asyncio.Task[None] | None = None
        self._job: asyncio.Task[Synced] | None = None  # the worker's sync of one root
        self._unsubscribe: Callable[[], None] | None = None

    def start(self) -> None:
        """Begin to index in the background."""
        if self._settings.index and self._task is None:
            self._unsubscribe = self._host.subscribe(self._note)
            self._task = asyncio.create_task(self._run(), name="glossator-chunks")
            self._task.add_done_callback(_log_failure)

    async def close(self) -> None:
        """End the work; what was committed stays."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def settle(self) -> None:
        """Wait until everything is indexed that can be."""
        if self._task is None:
            return
        self._wanted.set()
        rested = asyncio.ensure_future(self._rested.wait())
        await asyncio.wait({rested, self._task}, return_when=asyncio.FIRST_COMPLETED)
        rested.cancel()

    async def build(self) -> None:
        """Index all files, also after `cancel_build`, and wait for it."""
        self._stopped = False
        self._nudge()
        await self.settle()

    async def rebuild(self) -> None:
        """Delete the index and build it again; searches read files until then.

        Raises `UsageError` when it cannot be written.
        """
        if self._task is None:
            return
        async with self._turn:
            self._synced = None  # searches read files from now on
            folders = self._host.folders
            for root in outermost(folders.paths):
                try:
                    renewed = await self._worker.run(RenewChunks(root, folders.reading(root)))
                except (WorkerGone, JobFailed) as error:
                    raise UsageError(
                        f"The index for Search was not rebuilt: {error} Try again later."
                    ) from error
                if not renewed:
                    raise UsageError(
                        "The index for Search was not rebuilt, because another server of the"
                        " workspace writes it; wait until it is done."
                    )
        await self.build()

    def cancel_build(self) -> None:
        """Cancel the current work; nothing is indexed before `build` or `rebuild`."""
        self._stopped = True
        if self._job is not None:
            self._job.cancel()  # what was committed stays
        self._nudge()

    async def check(self, on_progress: Callable[[JobProgress], None]) -> tuple[str, ...]:
        """What is wrong with the index. Raises `WorkerGone` or `JobFailed`."""
        if not self._settings.index:
            return ()
        problems: list[str] = []
        snapshot = self._host.snapshot()
        library = replace(self.library_of(snapshot), open_texts={})
        async with self._turn:
            for root in outermost(snapshot.roots):
                stamps, _ = await asyncio.to_thread(stamps_below, snapshot, root, None)
                asked = CheckRequest(library, root, stamps)
                problems += await self._worker.run(CheckChunks(asked), on_progress)
        return tuple(problems)

    def status(self) -> ChunkStatus:
        """Figures for the user and for logs."""
        listed = self._host.snapshot().file_count
        state = "on"
        if not self._settings.index:
            state = "off: workspace.index is false"
        elif self._stopped:
            state = "building was ended by the user"
        files = max(self._files, self._building.done if self._building is not None else 0)
        pending = len(self._left.paths | self.fresh)
        if self._synced is None:
            pending = max(0, listed - files)
        return ChunkStatus(
            state,
            files,
            listed,
            self._building,
            self._problem,
            pending if self._settings.index else listed,
            self._disk_bytes,
            self._stopped,
        )

    @property
    def files(self) -> int:
        """How many files were in the index after the last sync."""
        return self._files

    @property
    def fresh(self) -> AbstractSet[str]:
        """The files that changed since they were indexed, by absolute path."""
        return self._changed | self._reading

    def covers(self, roots: tuple[str, ...]) -> bool:
        """Whether all files below the roots are indexed, but for those that are `fresh`."""
        return (
            self._synced == roots and not self._left.paths and len(self.fresh) <= _COMPARE_ALL_FROM
        )

    def refresh(self, paths: Iterable[str]) -> None:
        """Index these files again, by absolute path, though their texts are the same."""
        self._again.update(paths)
        self._note(self._again)

    def distrust(self) -> None:
        """Compare all files again, since a search could not read the index."""
        self._synced = None
        self._nudge()

    def library_of(self, snapshot: WorkspaceSnapshot) -> Library:
        """Where jobs read texts."""
        texts = {path: overlay.text for path, overlay in snapshot.overlays.items()}
        settings = self._settings
        kept = int(settings.index_bytes * _OUTLINES_SHARE) if settings.index else 0
        return Library.of(snapshot.folders, settings.max_file_bytes, kept, texts)

    def _note(self, paths: AbstractSet[str]) -> None:
        self._changed.update(paths)
        self._nudge()

    def _nudge(self) -> None:
        self._rested.clear()
        self._wake.set()

    async def _run(self) -> None:
        await self._host.ready()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                await self._wanted.wait()
        while True:
            self._wake.clear()
            async with self._turn:
                seconds = await self._step()
            waits = (
                seconds is not None
                and seconds < _FAILED_SECONDS
                and self._deaths < _MAX_WORKER_DEATHS
            )
            if not waits and not self._wake.is_set():
                self._rested.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._wake.wait()
            await asyncio.sleep(_COLLECT_SECONDS)

    async def _step(self) -> float | None:
        """Index what changed; the seconds until the next try, None if there is nothing to do."""
        snapshot = self._host.snapshot()
        if self._stopped or not snapshot.index_complete:
            return None  # the scan, when it ends, wakes this
        roots = tuple(outermost(snapshot.roots))
        self._reading, self._changed = frozenset(self._changed), set()
        whole = self._synced != roots or len(self._reading) > _COMPARE_ALL_FROM
        if not (whole or self._reading):
            return None
        if whole:
            self._synced = None
        done = False
        try:
            wait = await self._sync(snapshot, roots, None if whole else self._reading)
            done = wait is None
            self._deaths = 0
        except WorkerGone as gone:
            self._deaths += 1
            wait = gone.retry_after + _COLLECT_SECONDS
        except JobFailed as failure:
            self._problem = (
                f"The index for Search cannot be kept ({failure}), so searches read files; make"
                " sure that the disk is not full and the state folder can be written to."
            )
            _log.warning("%s", self._problem)
            wait = _FAILED_SECONDS
        finally:
            if not done:
                self._changed |= self._reading
            self._reading = frozenset()
            if self._building is not None:
                self._building = None
                self._progress(None)
        if done and whole:
            self._synced = roots
        return wait

    async def _sync(
        self, snapshot: WorkspaceSnapshot, roots: tuple[str, ...], tried: AbstractSet[str] | None
    ) -> float | None:
        """Sync the files `tried` (None: all) of each root; the seconds until it can be done."""
        whole = tried is None
        library = replace(self.library_of(snapshot), open_texts={})
        again = frozenset(self._again)
        most = int(self._settings.index_bytes * _CHUNKS_SHARE) // len(roots)
        synced: dict[str, Synced] = {}
        failures: list[JobFailed] = []
        for root in roots:  # one that fails or is busy does not hold up the others
            stamps, gone = await asyncio.to_thread(stamps_below, snapshot, root, tried)
            if self._stopped:
                return 0.0
            asked = SyncRequest(library, root, stamps, gone, whole, most, self.contexts, again)
            try:
                done = await self._sync_root(asked)
            except JobFailed as failure:
                failures.append(failure)
                continue
            if done is None:
                return 0.0  # by the user; nothing more is done then
            synced[root] = done
            if not done.busy:
                self._hear(asked, done)
            if done.damage and not whole:
                self._synced = None
                return 0.0
        if failures:
            raise failures[0]
        if busy := [root for root, done in synced.items() if done.busy]:
            self._problem = (
                f"Another server of the workspace writes the index for Search of {busy[0]}, which"
                " is shared; wait until it is done."
            )
            return _BUSY_SECONDS
        self._again -= again
        self._account(synced, tried, most)
        if whole:
            await make_room(self._worker, snapshot.folders, synced, self._settings.index_bytes)
        return None

    async def _sync_root(self, asked: SyncRequest) -> Synced | None:
        """None if `cancel_build` ended it. Raises `WorkerGone` and `JobFailed`."""
        self._job = asyncio.create_task(self._worker.run(SyncChunks(asked), self._show))
        try:
            await asyncio.wait({self._job})
        finally:
            self._job.cancel()
        return None if self._job.cancelled() else self._job.result()

    def _account(
        self, synced: dict[str, Synced], tried: AbstractSet[str] | None, most: int
    ) -> None:
        """Add up what a sync of all roots did; `tried` files, None for all, are not behind."""
        self._files = sum(each.files for each in synced.values())
        self._disk_bytes = sum(each.disk_bytes for each in synced.values())
        self._left.update(synced, tried)
        self._problem = self._left.problem
        if roomy := self._left.again(synced, most):
            self._note(roomy)

    def _hear(self, asked: SyncRequest, done: Synced) -> None:
        """Tell what a sync of a root did."""
        if done.read or asked.root not in self._heard:
            self._indexed(asked.library, asked.root, asked.stamps)
            self._heard.add(asked.root)
        if done.damage:
            self._tell(
                f"The index for Search of {asked.root} was damaged and is built again"
                f" ({done.damage}). Searches miss nothing meanwhile."
            )

    def _show(self, progress: JobProgress) -> None:
        if progress.total >= _SHOWN_ABOVE:
            self._building = progress
            self._progress(progress)

    def _tell(self, message: str) -> None:
        """Tell the user, once."""
        if message not in self._told:
            self._told.add(message)
            self._notice(message)


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("The index of chunks is no longer kept current", exc_info=error)


class LeftFiles:
    """Files that found no room, by absolute path."""

    def __init__(self) -> None:
        self.paths: frozenset[str] = frozenset()

    @property
    def problem(self) -> str:
        """What the user may want to do about them, or ""."""
        if not self.paths:
            return ""
        return (
            f"The index for Search takes all the disk space it may; {len(self.paths):,} files are"
            " searched by reading. Raise workspace.indexBytes."
        )

    def update(self, synced: Mapping[str, Synced], tried: AbstractSet[str] | None) -> None:
        """Note the result of a sync, by root, of the files `tried` (None: all)."""
        still = frozenset() if tried is None else self.paths - tried
        self.paths = still.union(
            os.path.join(root, path) for root, each in synced.items() for path in each.left
        )

    def again(self, synced: Mapping[str, Synced], most: int) -> frozenset[str]:
        """Those to try again, as a sync that left out nothing finds room; `most` is in bytes."""
        if any(each.left for each in synced.values()):
            return frozenset()
        roomy = [
            os.path.join(root, "")
            for root, each in synced.items()
            if each.disk_bytes < _ROOMY_SHARE * most
        ]
        return frozenset(path for path in self.paths if path.startswith(tuple(roomy)))


async def make_room(worker: Worker, roots: Roots, synced: Mapping[str, Synced], limit: int) -> None:
    """If files were read, remove what other roots do not use, above `limit` bytes in all."""
    if not any(each.read for each in synced.values()):
        return
    own = frozenset(str(index_folder(root, roots.reading(root))) for root in synced)
    try:
        await worker.run(Prune(str(index_base()), own, limit))
    except (WorkerGone, JobFailed) as error:
        _log.warning("Unused indexes were not removed: %s", error)


def stamps_below(
    snapshot: WorkspaceSnapshot, root: str, paths: Collection[str] | None
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """The stamps of files below a root by relative path, open and recent ones first.

    Of `paths` only, if given; those of them that are not listed are the second result.
    """
    prefix = os.path.join(root, "")
    if paths is None:
        listed: Iterable[FileEntry] = snapshot.listing.files
        gone: tuple[str, ...] = ()
    else:
        entries = {path: snapshot.listing.get(path) for path in paths if path.startswith(prefix)}
        listed = [entry for entry in entries.values() if entry is not None]
        gone = tuple(path[len(prefix) :] for path, entry in entries.items() if entry is None)
    chosen = [each for each in listed if not each.is_link and each.path.startswith(prefix)]
    opened = snapshot.overlays
    chosen.sort(key=lambda entry: (entry.path not in opened, -entry.mtime_ns))
    stamps = {
        entry.path[len(prefix) :]: STAMP.pack(
            entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode
        )
        for entry in chosen
    }
    return stamps, gone
