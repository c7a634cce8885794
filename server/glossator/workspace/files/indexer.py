"""Keeps the file index current.

Watchers and editors report only paths; the indexer reads the disk. It checks a few files at once,
all else in one worker thread, and never replaces a newer result by an older one. From time to time,
and whenever events may have been lost, it sweeps the whole disk.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress

from glossator.core.errors import TooManyOpenFiles, UsageError
from glossator.settings import WorkspaceSettings
from glossator.workspace.files.entries import Files, PathSet
from glossator.workspace.files.ignore import IgnoreRules
from glossator.workspace.files.listing import FileIndex
from glossator.workspace.files.listing_cache import (
    FolderFile,
    ListingCache,
    Memory,
    Recording,
    recall,
)
from glossator.workspace.files.rescan import (
    Differences,
    Rescan,
    Surroundings,
    Suspension,
    SweepSlot,
    interval,
    is_folder,
    mounted_below,
    widen,
)
from glossator.workspace.files.roots import Roots, folder_identity
from glossator.workspace.files.walk import Found, examine
from glossator.workspace.files.watch import FilesWatcher, Watcher
from glossator.workspace.status import Sweep

_MAX_AT_ONCE = 32  # paths checked at once, at most 3 ms of the event loop
_MAX_READS = 50  # of a watcher's queue; more than it holds, as programs may go on writing
_FLOOD = 1000  # paths reported without a break, after which some may be missing
_QUIET_SECONDS = 1.0  # a sweep waits this long for the rest of a flood or of a git command
_TICK_SECONDS = 10
_EXHAUSTED_SECONDS = 0.5  # until files can be opened again, perhaps
_AFTER_START_SECONDS = 5.0  # until all folders are listed that the start knew from before
_MOVED_BY_GIT = tuple(f"{os.sep}.git{os.sep}{name}" for name in ("HEAD", "index"))

_log = logging.getLogger(__name__)

_Identities = tuple[list[tuple[int, int] | None], frozenset[tuple[bytes, str]]]


class Indexer:
    """Keeps the index of one set of roots; for the event-loop thread only."""

    def __init__(
        self,
        index: FileIndex,
        roots: Roots,
        settings: WorkspaceSettings,
        on_listing: Callable[[Files, Collection[str]], None],
        on_change: Callable[[AbstractSet[str]], None],
        on_seen: Callable[[Mapping[str, FolderFile]], None] = lambda _: None,
    ) -> None:
        """Only the indexer changes `index`, which is empty at first.

        `on_listing` gets new or changed files and paths no longer listed, at once; `on_change` all
        those paths, soon; `on_seen` the folders that a sweep saw, by outermost root.
        """
        self.index = index
        self.rules = IgnoreRules(roots, settings)
        self.last_sweep: Sweep | None = None
        self.noticed = 0  # times that something differed on disk, after the first sweep of it
        self._roots = roots
        self._settings = settings
        self._on_listing = on_listing
        self._on_change = on_change
        self._on_seen = on_seen
        self._watcher = Watcher("not started")
        self._dirty: set[str] = set()
        self._rescans: list[Rescan] = []  # running; the second runs between the steps of the first
        self._slot = SweepSlot(settings.sweep_seconds)
        self._suspension = Suspension()
        self._identities: _Identities = ([], frozenset())  # at the last sweep
        self._reported = 0  # paths since there was nothing to do
        self._wake = asyncio.Event()
        self._settled = asyncio.Event()
        self._stopping = False
        self._task: asyncio.Task[None] | None = None

    @property
    def complete(self) -> bool:
        """Whether every known path is listed."""
        return self._settled.is_set()

    @property
    def scanning(self) -> bool:
        """Whether the worker has something to do before the index is complete."""
        return self._task is not None and not self._task.done() and not self.complete

    @property
    def watching(self) -> str:
        """How changes are noticed: "inotify: 2,031 folders", "watchfiles" or "off: reason"."""
        return self._watcher.status

    def start(self) -> None:
        """Begin to watch, and to scan in the background."""
        self.sweep("start")
        self._task = asyncio.create_task(self._work(), name="glossator-index")
        self._task.add_done_callback(_log_failure)

    async def ready(self) -> None:
        """Wait until `complete`, and until what was reported or noted by now is listed.

        Raises what ended the scan early, if something did.
        """
        if self._task is None:
            raise UsageError("The workspace was not started; call start() before ready().")
        for _ in range(_MAX_READS):
            noted = self._watcher.catch_up()
            await asyncio.sleep(0)  # and listeners hear of it
            if not noted:
                break
        if self._settled.is_set() and not self._task.done():
            return
        settled = asyncio.ensure_future(self._settled.wait())
        try:
            await asyncio.wait({settled, self._task}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            settled.cancel()
        if self._task.done() and not self._task.cancelled():
            self._task.result()

    def stop(self) -> None:
        """End the worker soon; nothing is reported any more."""
        self._stopping = True
        self._wake.set()
        self._watcher.stop()

    async def close(self) -> None:
        """End the worker and wait until it is gone."""
        self.stop()
        await self._watcher.close()
        if self._task is not None:
            await asyncio.wait({self._task})

    def hear(self, paths: frozenset[str]) -> None:
        """Check paths that the watcher reports."""
        changed = self.refresh(paths)
        if changed and not self._stopping:
            self._on_change(changed)

    def refresh(self, paths: Iterable[str]) -> frozenset[str]:
        """Check these paths again; returns what changed so far, and reports the rest later."""
        wanted = set(paths)
        if self._task is None:
            return self._rescan_at_once(wanted)
        if any(path.endswith(_MOVED_BY_GIT) for path in wanted):
            self.sweep("git", _QUIET_SECONDS)
        self._reported += len(wanted)
        if self._reported > _FLOOD:
            self._reported = 0
            self.sweep("many changes", _QUIET_SECONDS)
        changed: set[str] = set()
        if len(wanted) <= _MAX_AT_ONCE:
            with suppress(TooManyOpenFiles):  # the thread checks all of them
                wide = {at for path in wanted if (at := widen(path, self._roots, self.rules))}
                deep = {path for path in wide if self.index.holds_folder(path) or is_folder(path)}
                for path in wide - deep:
                    changed |= self._check_file(path)
                wanted = deep
        if wanted:
            self._dirty |= wanted
            self._settled.clear()
            self._wake.set()
        self.noticed += bool(wanted or changed)
        return frozenset(changed)

    def sweep(self, cause: str, wait: float | None = None) -> None:
        """Check the whole disk at once, or in `wait` seconds if the listing may be right."""
        self._slot.ask(cause, wait)
        if wait is None:
            self._settled.clear()
        self._wake.set()

    def _check_file(self, path: str) -> set[str]:
        """Check one file; returns it if it changed."""
        found = Found()
        for part in examine(path, self._roots, self.rules):
            found.extend(part)
        for rescan in self._rescans:
            rescan.newer.add(path)
        left_out_as_before = found.skipped.get(path) == self.index.skipped.get(path)
        if left_out_as_before and not found.folders and path not in self.index:
            return set()
        changed = self.index.replace(path, found)
        listed = Files.of(entry for entry in map(self.index.get, changed) if entry is not None)
        self._on_listing(listed, changed - listed.keys())
        return changed if left_out_as_before else {path, *changed}

    def _rescan_at_once(self, paths: set[str]) -> frozenset[str]:
        rescan = self._rescan(paths)
        rescan.prepare()
        rescan.begin()
        changed: set[str] = set()
        while not rescan.done:
            changed.update(self._take_in(rescan.step(), rescan))
        return frozenset(changed)

    def _rescan(
        self, paths: Iterable[str], *, gentle: bool = False, memory: Memory | None = None
    ) -> Rescan:
        around = Surroundings(self._roots, self.rules, self.index, self._watcher)
        return Rescan(paths, around, gentle=gentle, memory=memory)

    async def _work(self) -> None:
        try:
            with ThreadPoolExecutor(1, "glossator-index") as pool:
                await asyncio.get_running_loop().run_in_executor(pool, self._choose_watcher)
                self._watcher.start()
                while not self._stopping:
                    await self._step(pool)
        finally:
            self._watcher.stop()

    def _choose_watcher(self) -> None:
        """Choose the watcher; in the thread, because this may start a program.

        Kept there, too: a loop that is cancelled meanwhile gets no result, and must stop it.
        """
        self._watcher = self._chosen_watcher()

    def _chosen_watcher(self) -> Watcher:
        """The watcher the settings name; "auto" is inotify on Linux and watchfiles elsewhere."""
        linux, kind = sys.platform == "linux", self._settings.watcher
        if kind == "off":
            return Watcher("the setting workspace.watcher says so")
        if kind == "watchfiles" or (kind == "auto" and not linux):
            return FilesWatcher(self._roots, self.hear)
        if not linux:
            return Watcher("inotify exists on Linux only; set workspace.watcher to auto")
        from glossator.workspace.files.watch_inotify import InotifyWatcher  # noqa: PLC0415 - Linux only

        try:
            return InotifyWatcher(self._roots, self.hear, self.sweep)
        except OSError as error:
            # watchfiles needs the same from the system
            _log.warning("Changes on disk are not noticed at once: %s", error)
            return Watcher(f"{error.strerror}; raise fs.inotify.max_user_instances")

    async def _step(self, pool: Executor) -> None:
        try:
            if self._slot.seconds_left() == 0:
                await self._sweep(pool)
            elif self._dirty:
                await self._rescan_dirty(pool)
            else:
                await self._idle(pool)
        except TooManyOpenFiles as error:
            _log.warning("%s The workspace is looked at again.", error)
            self.sweep("too many files were open")
            await asyncio.sleep(_EXHAUSTED_SECONDS)

    async def _sweep(self, pool: Executor) -> None:
        urgent, cause = self._slot.urgent, self._slot.take()
        at, began = time.time(), time.monotonic()
        self._identities = await self._identify(pool)
        memory = await asyncio.get_running_loop().run_in_executor(pool, self._memory)
        rescan = self._rescan(self._roots.paths, gentle=not urgent, memory=memory)
        differences = await self._run(rescan, pool)
        if rescan.done:
            seconds = time.monotonic() - began
            self.noticed += bool(self.last_sweep and differences)
            self.last_sweep = Sweep(cause, at, seconds, differences)
            asked = self._settings.sweep_seconds
            self._slot.done(seconds, interval(asked, seconds, watched=self._watcher.reliable))
            self._settle()
            if isinstance(memory, Recording):
                self._on_seen(memory.files)
            elif isinstance(memory, ListingCache):
                self.sweep("the start listed few folders", _AFTER_START_SECONDS)

    def _memory(self) -> Memory:
        """The folders that the first sweep remembers, or that a later one keeps."""
        if not self._settings.index:
            return Memory()
        first = self.last_sweep is None
        return (recall(self._roots) if first else None) or Recording(self._roots, time.time_ns())

    async def _rescan_dirty(self, pool: Executor) -> None:
        paths, self._dirty = self._dirty, set()
        await self._run(self._rescan(paths), pool)
        self._settle()

    async def _run(self, rescan: Rescan, pool: Executor) -> int:
        """Run `rescan` to its end; returns the number of paths that differ."""
        loop = asyncio.get_running_loop()
        count = 0
        await loop.run_in_executor(pool, rescan.prepare)
        rescan.begin()
        self._rescans.append(rescan)
        try:
            while not rescan.done and not self._stopping:
                found = await loop.run_in_executor(pool, rescan.step)
                changed = self._take_in(found, rescan)
                count += len(changed)
                if changed and not self._stopping:
                    # called by the loop, so that a failing listener cannot end the indexing
                    loop.call_soon(self._on_change, changed)
                if self._dirty and len(self._rescans) == 1:
                    await self._rescan_dirty(pool)
        finally:
            self._rescans.remove(rescan)
        for outer in self._rescans:
            outer.watches |= rescan.watches
        return count

    def _take_in(self, found: Differences, rescan: Rescan) -> AbstractSet[str]:
        """Apply what `rescan` found, except for newer paths; returns the changed paths."""
        if rescan.newer:
            found = found.without(rescan.newer)
        for outer in self._rescans:
            if outer is not rescan:
                outer.newer |= found.paths()
        changed = self.index.add(found.found)
        self.index.remove(found.gone, found.lifted)
        self._on_listing(changed, found.gone)
        return PathSet(changed, (*found.found.skipped, *found.gone, *found.lifted))

    def _settle(self) -> None:
        """Note that the index is complete, if it is."""
        needed = (
            self._dirty or self._slot.urgent or not all(rescan.gentle for rescan in self._rescans)
        )
        if not needed and not self._stopping and not self._settled.is_set():
            self._settled.set()
            asyncio.get_running_loop().call_soon(self._on_change, frozenset())

    async def _idle(self, pool: Executor) -> None:
        """Wait until there is something to do."""
        self._reported = 0
        wait = min(self._slot.seconds_left(), _TICK_SECONDS)
        try:
            async with asyncio.timeout(wait):
                await self._wake.wait()
        except TimeoutError:  # time to see whether a sweep is due
            folders, mounts = await self._identify(pool)
            if folders != self._identities[0]:
                self.sweep("a workspace folder was replaced")
            elif mounts != self._identities[1]:
                self.sweep("something was mounted or unmounted")
        self._wake.clear()
        if self._suspension.ended():
            self.sweep("the machine was asleep")

    async def _identify(self, pool: Executor) -> _Identities:
        """Which folder is at each root now, and what is mounted below.

        What is moved above a root, and what is mounted, happens without an event.
        """
        paths, loop = self._roots.paths, asyncio.get_running_loop()
        return await loop.run_in_executor(
            pool, lambda: (list(map(folder_identity, paths)), mounted_below(paths))
        )


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("The file index is no longer kept current", exc_info=error)
