"""Keeps the text index current with its segments on disk and the listing of files.

One task does one step at a time: it adopts published segments, then indexes pending files: a few
in memory, many on disk by the worker, which also writes those in memory when nothing changes for a
while. Searches are correct without it, because they read files that are not indexed.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from glossator.core.errors import UsageError
from glossator.settings import WorkspaceSettings
from glossator.worker import JobProgress, Worker
from glossator.workspace.files.roots import Roots
from glossator.workspace.index.index import TextIndex
from glossator.workspace.index.merge_policy import Hooks, Rest
from glossator.workspace.status import TextIndexStatus

if TYPE_CHECKING:
    from glossator.workspace.files.listing_cache import FolderFile
    from glossator.workspace.index.index_work import IndexWork
    from glossator.workspace.index.jobs import CheckReport

_UNTIL_RIPE = 2.5  # seconds until files that were changed just now can be indexed
_LOOK_SECONDS = 0.5  # between two checks whether another server published segments
_CLOSED = "The work on the index was ended, because the workspace's folders changed; ask again."

_log = logging.getLogger(__name__)


class TextIndexManager:
    """Keeps the `TextIndex` of one set of roots current; for the event-loop thread only."""

    def __init__(
        self,
        index: TextIndex,
        roots: Roots,
        settings: WorkspaceSettings,
        worker: Worker,
        hooks: Hooks,
        patience: float = 0.0,
    ) -> None:
        """Index nothing in the first `patience` seconds, except by `build` and `rebuild`.

        A server that answers one question and ends has no use for an index.
        """
        self._index = index
        self._patience = patience
        self._started_at = 0.0  # in the loop's time
        self._worker = worker
        self._begin = lambda: _begin(index, roots, settings, worker, hooks)
        self._work: IndexWork | None = None  # until it is imported
        self._complete = False  # whether the listing is
        self._seen: Mapping[str, FolderFile] = {}  # that a sweep saw, to be kept
        self._changed_at = self._look_at = 0.0  # in the loop's time
        self._turn = asyncio.Lock()  # of the work, one thing at a time
        self._wake = asyncio.Event()
        self._begun = asyncio.Event()
        self._opened = asyncio.Event()
        self._rested = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self, after: Collection[asyncio.Task[None]] = ()) -> None:
        """Begin in the background, once the tasks `after` are over."""
        self._started_at = asyncio.get_running_loop().time()
        self._task = asyncio.create_task(self._run(after), name="glossator-index-manager")
        self._task.add_done_callback(_log_failure)

    def listing_changed(self, *, complete: bool) -> None:
        """The listing changed; no file is indexed before it is `complete`."""
        if self._task is None:
            return  # the scan, which begins after this, reports every file
        self._complete = complete
        self._changed_at = asyncio.get_running_loop().time()
        self._nudge()

    def remember(self, seen: Mapping[str, FolderFile]) -> None:
        """Store the folders that a sweep saw, for the next start, by outermost root."""
        self._seen = seen
        self._nudge()

    def look(self) -> None:
        """Check whether another server published segments, unless this was just checked."""
        now = asyncio.get_running_loop().time()
        if self._work is not None and now >= self._look_at:
            self._look_at = now + _LOOK_SECONDS
            if self._work.news:
                self._nudge()

    async def opened(self) -> None:
        """Wait until the index on disk is in use, or cannot be used."""
        if self._task is not None:
            await _first(self._opened, self._task)

    async def settle(self) -> None:
        """Wait until all files are indexed that can be. Raises the error that ended the task."""
        await self._unless_ended(self._rested)

    async def build(self) -> None:
        """Write all files to the index on disk, also after `cancel_build`, and wait for it.

        Files that keep changing stay pending.
        """
        work = await self._working()
        work.stopped, work.wanted = False, True
        work.waits_until = time.monotonic() + _UNTIL_RIPE
        self._nudge()
        await self.settle()

    async def rebuild(self) -> None:
        """Build the index again; searches use the old one until then.

        Raises `UsageError` when it cannot be written.
        """
        work = await self._working()
        async with self._turn:
            await work.renew()
        await self.build()

    def cancel_build(self) -> None:
        """Cancel the current writing; nothing is written before `build` or `rebuild`."""
        if self._work is not None:
            self._work.stopped = True
            self._work.stop()

    async def check(
        self, on_progress: Callable[[JobProgress], None] | None = None
    ) -> tuple[CheckReport, ...]:
        """Compare the index of each root with its files. Raises `WorkerGone` or `JobFailed`."""
        work = await self._working()
        async with self._turn:
            return await work.check(on_progress)

    def status(self) -> TextIndexStatus:
        """Figures for the user and for logs."""
        text, worker, work = self._index.statistics(), self._worker.state, self._work
        if work is None:
            return TextIndexStatus(text, (), None, False, (), worker)
        return TextIndexStatus(
            text, work.disk, work.progress, work.stopped, work.problems, worker, work.never
        )

    async def close(self) -> None:
        """End the task; the index on disk stays intact."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        if self._work is not None:
            await self._work.close()

    def _nudge(self) -> None:
        self._rested.clear()
        self._wake.set()

    async def _run(self, after: Collection[asyncio.Task[None]]) -> None:
        if after:
            await asyncio.wait(after)
        self._work = await asyncio.to_thread(self._begin)
        self._begun.set()
        while True:
            self._wake.clear()
            async with self._turn:
                rest = await self._step(self._work)
            if rest is None:
                continue
            if rest.settled and not self._wake.is_set():
                self._work.end_progress()
                self._work.wanted = False
                self._rested.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(None if rest.seconds == math.inf else rest.seconds):
                    await self._wake.wait()

    async def _step(self, work: IndexWork) -> Rest | None:
        if not (self._complete or self._opened.is_set()):
            return Rest(settled=False)  # segments are compared with the complete listing
        await work.take_over_news()
        self._opened.set()
        if not self._complete:
            return Rest(settled=False)
        if seen := self._seen:
            self._seen = {}
            await work.remember(seen)
        now = asyncio.get_running_loop().time()
        if not work.wanted and now < self._started_at + self._patience:
            return Rest(self._started_at + self._patience - now, settled=False)
        return await work.advance(now - self._changed_at)

    async def _working(self) -> IndexWork:
        await self._unless_ended(self._begun)
        if self._work is None:
            raise UsageError(_CLOSED)
        return self._work

    async def _unless_ended(self, event: asyncio.Event) -> None:
        """Wait for the event, or raise the error that ended the task."""
        if self._task is None:
            raise UsageError("The index manager was not started; call start() first.")
        await _first(event, self._task)
        if self._task.cancelled() and not event.is_set():
            raise UsageError(_CLOSED)
        if self._task.done() and not self._task.cancelled():
            self._task.result()


async def _first(event: asyncio.Event, task: asyncio.Task[None]) -> None:
    """Wait until the event happens or the task ends."""
    if event.is_set():
        return
    happened = asyncio.ensure_future(event.wait())
    try:
        await asyncio.wait({happened, task}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        happened.cancel()


def _begin(
    index: TextIndex, roots: Roots, settings: WorkspaceSettings, worker: Worker, hooks: Hooks
) -> IndexWork:
    from glossator.workspace.index.index_work import IndexWork  # noqa: PLC0415 - imports numpy

    return IndexWork(index, roots, settings, worker, hooks)


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("The text index is no longer kept current", exc_info=error)
