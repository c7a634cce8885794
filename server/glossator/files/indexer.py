"""Keeping the file index current: the one stream of all that is told about the disk.

Whoever tells of a change tells a path only; what is there now is looked up. A few files are looked
at on the spot, all else by one worker thread, and what was seen later is never replaced by what was
seen earlier. Now and then, and whenever events may have been lost, a sweep looks at everything.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress

from glossator.core.errors import TooManyOpenFiles, UsageError
from glossator.files.entries import Files, PathSet
from glossator.files.folder_file import FolderFile, Memory
from glossator.files.ignore import IgnoreRules
from glossator.files.listing import FileIndex
from glossator.files.listing_cache import ListingCache, Recording, recall
from glossator.files.mounts import mounted_below
from glossator.files.rescan import Differences, Rescan, Surroundings, is_folder, widen
from glossator.files.roots import Roots
from glossator.files.sweep import Suspension, Sweep, SweepSlot, interval
from glossator.files.walk import Found, examine
from glossator.files.watch import choose_watcher
from glossator.files.watcher import Watcher
from glossator.settings import WorkspaceSettings

_FEW = 32  # paths looked at on the spot, at most 3 ms of the event loop
_FLOOD = 1000  # paths told of without a break, after which some may be missing
_QUIET_SECONDS = 1.0  # a sweep waits this long for the rest of a flood or of a git command
_TICK_SECONDS = 10
_EXHAUSTED_SECONDS = 0.5  # until files can be opened again, perhaps
_AFTER_START_SECONDS = 5.0  # until all folders are listed that the start knew from before
_MOVED_BY_GIT = tuple(f"{os.sep}.git{os.sep}{name}" for name in ("HEAD", "index"))

_log = logging.getLogger(__name__)

_Identities = tuple[list[tuple[int, int] | None], frozenset[tuple[bytes, str]]]


class Indexer:
    """What keeps the index of one set of roots; for the event-loop thread only."""

    def __init__(
        self,
        index: FileIndex,
        roots: Roots,
        settings: WorkspaceSettings,
        on_listing: Callable[[Files, Collection[str]], None],
        on_change: Callable[[AbstractSet[str]], None],
        on_seen: Callable[[Mapping[str, FolderFile]], None] = lambda _: None,
    ) -> None:
        """`index`, empty at first, is changed by this alone.

        `on_listing` is told, at once, of new or changed files and of paths no longer listed.

        `on_change` is told all those paths, soon.

        `on_seen` is given what every sweep saw of folders, by outermost root.
        """
        self.index = index
        self.rules = IgnoreRules(roots, settings)
        self.last_sweep: Sweep | None = None
        self._roots = roots
        self._settings = settings
        self._on_listing = on_listing
        self._on_change = on_change
        self._on_seen = on_seen
        self._watcher = Watcher("not started")
        self._dirty: set[str] = set()
        self._looks: list[Rescan] = []  # at work; the second goes between the first one's steps
        self._slot = SweepSlot(settings.sweep_seconds)
        self._suspension = Suspension()
        self._identities: _Identities = ([], frozenset())  # at the last sweep
        self._told = 0  # paths since there was nothing to do
        self._wake = asyncio.Event()
        self._settled = asyncio.Event()
        self._stopping = False
        self._task: asyncio.Task[None] | None = None

    @property
    def complete(self) -> bool:
        """Whether all is listed that is known to be there."""
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
        """Wait until `complete`. Raises what ended the scan early, if something did."""
        if self._task is None:
            raise UsageError("The workspace was not started; call start() before ready().")
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
        """Look again at what the watcher tells of."""
        changed = self.refresh(paths)
        if changed and not self._stopping:
            self._on_change(changed)

    def refresh(self, paths: Iterable[str]) -> frozenset[str]:
        """Look again at these paths; returns what changed at once, the rest is reported later."""
        wanted = set(paths)
        if self._task is None:
            return self._look_on_the_spot(wanted)
        if any(path.endswith(_MOVED_BY_GIT) for path in wanted):
            self.sweep("git", _QUIET_SECONDS)
        self._told += len(wanted)
        if self._told > _FLOOD:
            self._told = 0
            self.sweep("many changes", _QUIET_SECONDS)
        changed: set[str] = set()
        if len(wanted) <= _FEW:
            with suppress(TooManyOpenFiles):  # the thread looks at all of them
                wide = {path for path in map(self._widen, wanted) if path is not None}
                deep = {path for path in wide if self.index.holds_folder(path) or is_folder(path)}
                for path in wide - deep:
                    changed |= self._glance(path)
                wanted = deep
        if wanted:
            self._dirty |= wanted
            self._settled.clear()
            self._wake.set()
        return frozenset(changed)

    def sweep(self, cause: str, wait: float | None = None) -> None:
        """Look at the whole disk; at once, or in `wait` seconds if the listing may be right."""
        self._slot.ask(cause, wait)
        if wait is None:
            self._settled.clear()
        self._wake.set()

    def _widen(self, path: str) -> str | None:
        return widen(path, self._roots, self.rules)

    def _glance(self, path: str) -> set[str]:
        """Look at one file; returns it if it changed."""
        found = Found()
        for part in examine(path, self._roots, self.rules):
            found.extend(part)
        for look in self._looks:
            look.newer.add(path)
        left_out_as_before = found.skipped.get(path) == self.index.skipped.get(path)
        if left_out_as_before and not found.folders and path not in self.index:
            return set()
        changed = self.index.replace(path, found)
        listed = Files.of(entry for entry in map(self.index.get, changed) if entry is not None)
        self._on_listing(listed, changed - listed.keys())
        return changed if left_out_as_before else {path, *changed}

    def _look_on_the_spot(self, paths: set[str]) -> frozenset[str]:
        look = self._look(paths)
        look.prepare()
        look.begin()
        changed: set[str] = set()
        while not look.done:
            changed.update(self._take_in(look.step(), look))
        return frozenset(changed)

    def _look(
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
                    await self._try_next(pool)
        finally:
            self._watcher.stop()

    def _choose_watcher(self) -> None:
        """From the thread, because this may start a program."""
        self._watcher = choose_watcher(self._roots, self._settings, self.hear, self.sweep)

    async def _try_next(self, pool: Executor) -> None:
        try:
            await self._next(pool)
        except TooManyOpenFiles as error:
            _log.warning("%s The workspace is looked at again.", error)
            self.sweep("too many files were open")
            await asyncio.sleep(_EXHAUSTED_SECONDS)

    async def _next(self, pool: Executor) -> None:
        if self._slot.seconds_left() == 0:
            await self._sweep(pool)
        elif self._dirty:
            await self._look_again(pool)
        else:
            await self._idle(pool)

    async def _sweep(self, pool: Executor) -> None:
        urgent, cause = self._slot.urgent, self._slot.take()
        at, began = time.time(), time.monotonic()
        self._identities = await self._identify(pool)
        memory = await asyncio.get_running_loop().run_in_executor(pool, self._memory)
        look = self._look(self._roots.paths, gentle=not urgent, memory=memory)
        differences = await self._run(look, pool)
        if look.done:
            seconds = time.monotonic() - began
            self.last_sweep = Sweep(cause, at, seconds, differences)
            asked = self._settings.sweep_seconds
            self._slot.done(seconds, interval(asked, seconds, watched=self._watcher.reliable))
            self._settle()
            if isinstance(memory, Recording):
                self._on_seen(memory.files)
            elif isinstance(memory, ListingCache):
                self.sweep("the start listed few folders", _AFTER_START_SECONDS)

    def _memory(self) -> Memory:
        """What the next sweep remembers, and whether of before or for later."""
        if not self._settings.index:
            return Memory()
        first = self.last_sweep is None
        return (recall(self._roots) if first else None) or Recording(self._roots, time.time_ns())

    async def _look_again(self, pool: Executor) -> None:
        paths, self._dirty = self._dirty, set()
        await self._run(self._look(paths), pool)
        self._settle()

    async def _run(self, look: Rescan, pool: Executor) -> int:
        """Take a look to its end; returns the number of paths that differ."""
        loop = asyncio.get_running_loop()
        count = 0
        await loop.run_in_executor(pool, look.prepare)
        look.begin()
        self._looks.append(look)
        try:
            while not look.done and not self._stopping:
                found = await loop.run_in_executor(pool, look.step)
                changed = self._take_in(found, look)
                count += len(changed)
                if changed and not self._stopping:
                    # called by the loop, so that a failing listener cannot end the indexing
                    loop.call_soon(self._on_change, changed)
                if self._dirty and len(self._looks) == 1:
                    await self._look_again(pool)
        finally:
            self._looks.remove(look)
        for outer in self._looks:
            outer.watches |= look.watches
        return count

    def _take_in(self, found: Differences, look: Rescan) -> AbstractSet[str]:
        """Apply what `look` found and nobody has looked at since; returns the changed paths."""
        if look.newer:
            found = found.without(look.newer)
        for outer in self._looks:
            if outer is not look:
                outer.newer |= found.paths()
        changed = self.index.add(found.found)
        self.index.remove(found.gone, found.lifted)
        self._on_listing(changed, found.gone)
        return PathSet(changed, (*found.found.skipped, *found.gone, *found.lifted))

    def _settle(self) -> None:
        """Note that the index is complete, if it is."""
        needed = self._dirty or self._slot.urgent or not all(look.gentle for look in self._looks)
        if not needed and not self._stopping and not self._settled.is_set():
            self._settled.set()
            asyncio.get_running_loop().call_soon(self._on_change, frozenset())

    async def _idle(self, pool: Executor) -> None:
        """Wait until there is something to do."""
        self._told = 0
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
            pool, lambda: (list(map(_identity, paths)), mounted_below(paths))
        )


def _identity(folder: str) -> tuple[int, int] | None:
    try:
        status = os.lstat(folder)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("The file index is no longer kept current", exc_info=error)
