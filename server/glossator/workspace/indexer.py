"""Keeping the file index current: the first scan, and what changed since.

A few changed files are looked at on the spot. Scans of directories run in one worker thread, and
while one runs every further change waits behind it, so an older look never replaces a newer one.
"""

from __future__ import annotations

import asyncio
import logging
import os
import stat
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor

from glossator.core.errors import UsageError
from glossator.settings.model import WorkspaceSettings
from glossator.workspace.ignore import IGNORE_FILES, IgnoreRules
from glossator.workspace.index import FileIndex
from glossator.workspace.roots import Roots, outermost
from glossator.workspace.walk import Found, examine

_FEW = 64  # paths looked at on the spot; more go to the worker
_FLOOD = 1000  # paths in one batch from which events may have been lost: scan everything
_SLICE_SECONDS = 0.004  # the worker pauses this often, so that the event loop gets its turn
_PAUSE_SECONDS = 0.0005
_PUBLISH = 500  # files handed over at once during the first scan
_RULES_OF_GIT = ("HEAD", os.path.join("info", "exclude"))

_log = logging.getLogger(__name__)


class Indexer:
    """The index of one set of roots; used from the event-loop thread, scans in a worker thread."""

    def __init__(
        self,
        roots: Roots,
        settings: WorkspaceSettings,
        on_change: Callable[[frozenset[str]], None],
    ) -> None:
        self.index = FileIndex()
        self.rules = IgnoreRules(roots, settings)
        self._roots = roots
        self._on_change = on_change
        self._dirty: set[str] = set()
        self._wake = asyncio.Event()
        self._settled = asyncio.Event()
        self._stopping = threading.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def complete(self) -> bool:
        """Whether the first scan and all scans asked for since are done."""
        return self._settled.is_set()

    @property
    def scanning(self) -> bool:
        """Whether the worker has something to do."""
        return self._task is not None and not self._task.done() and not self.complete

    def start(self) -> None:
        """Begin the first scan in the background."""
        self._task = asyncio.create_task(self._work(), name="glossator-index")
        self._task.add_done_callback(_log_failure)

    async def ready(self) -> None:
        """Wait until `complete`. Raises what ended the scan early, if something did."""
        if self._task is None:
            raise UsageError("The workspace was not started; call start() before ready().")
        settled = asyncio.ensure_future(self._settled.wait())
        try:
            await asyncio.wait({settled, self._task}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            settled.cancel()
        if self._task.done() and not self._task.cancelled():
            self._task.result()

    def stop(self) -> None:
        """End the worker soon; nothing is reported any more."""
        self._stopping.set()
        self._wake.set()

    async def close(self) -> None:
        """End the worker and wait until it is gone."""
        self.stop()
        if self._task is not None:
            await asyncio.wait({self._task})

    def refresh(self, paths: Iterable[str]) -> frozenset[str]:
        """Look again at these paths; returns what changed at once, the rest is reported later."""
        wanted = {wide for path in paths if (wide := self._widen(path)) is not None}
        if len(wanted) >= _FLOOD:
            wanted = set(self._roots.paths)
        few = self.complete and len(wanted) <= _FEW and not any(map(_is_folder, wanted))
        if self._task is None or few:
            return frozenset().union(*map(self._replace, outermost(wanted)))
        self._dirty |= wanted
        self._settled.clear()
        self._wake.set()
        return frozenset()

    def _widen(self, path: str) -> str | None:
        """The path to look at again when `path` changed; None when it cannot matter."""
        root = self._roots.owner(path)
        if root is None:
            return None
        folder, name = os.path.split(path)
        above, git, inner = path.removeprefix(root).partition(f"{os.sep}.git{os.sep}")
        if git:
            return root + above if inner in _RULES_OF_GIT else None
        if path != root and isinstance(self.rules.within(folder), str):
            return None  # below a directory that is left out
        return folder if name in IGNORE_FILES or name == ".git" else path

    def _replace(self, path: str) -> set[str]:
        found = Found()
        for part in self._look(path):
            found.extend(part)
        return self.index.replace(path, found)

    def _look(self, path: str) -> Iterable[Found]:
        if self.index.holds_folder(path) or _is_folder(path):
            self.rules.forget(path)
        return examine(path, self._roots, self.rules)

    async def _work(self) -> None:
        with ThreadPoolExecutor(1, "glossator-index") as pool:
            try:
                changed = await self._first_scan(pool)
                while not self._stopping.is_set():
                    changed |= await self._catch_up(pool)
                    if not self._dirty and not self._stopping.is_set():
                        # called by the loop, so that a failing listener cannot end the indexing
                        asyncio.get_running_loop().call_soon(self._on_change, frozenset(changed))
                        changed = set()
                        self._settled.set()
                        self._wake.clear()
                        await self._wake.wait()
            finally:
                self._stopping.set()  # or leaving the pool would wait for a whole scan

    async def _first_scan(self, pool: Executor) -> set[str]:
        loop = asyncio.get_running_loop()
        changed: set[str] = set()
        for root in outermost(self._roots.paths):
            found = await loop.run_in_executor(pool, self._scan, root, loop)
            changed |= self.index.add(found)
        return changed

    async def _catch_up(self, pool: Executor) -> set[str]:
        """Look again at what is dirty now; returns what changed."""
        loop = asyncio.get_running_loop()
        changed: set[str] = set()
        paths, self._dirty = outermost(self._dirty), set()
        for path in paths:
            found = await loop.run_in_executor(pool, self._scan, path, None)
            if self._stopping.is_set():
                break  # the scan was cut short
            changed |= self.index.replace(path, found)
        return changed

    def _scan(self, path: str, loop: asyncio.AbstractEventLoop | None) -> Found:
        """In the worker: what is at and below `path`; with `loop`, most of it is handed over."""
        found = Found()
        pause_at = time.perf_counter() + _SLICE_SECONDS
        for part in self._look(path):
            if self._stopping.is_set():
                break
            found.extend(part)
            if loop is not None and len(found.files) >= _PUBLISH:
                loop.call_soon_threadsafe(self._publish, found)
                found = Found()
            if time.perf_counter() > pause_at:
                time.sleep(_PAUSE_SECONDS)
                pause_at = time.perf_counter() + _SLICE_SECONDS
        return found

    def _publish(self, found: Found) -> None:
        if not self._stopping.is_set():
            self._on_change(frozenset(self.index.add(found)))


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("The file index is no longer kept current", exc_info=error)
