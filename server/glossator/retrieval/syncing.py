"""One sync of a root's index after the other, each of which the user may cancel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from glossator.retrieval.jobs import SyncChunks
from glossator.retrieval.requests import Synced, SyncRequest
from glossator.worker import JobProgress, Worker


class RootSync:
    """Has the worker sync roots, and shows its progress."""

    def __init__(self, worker: Worker, show: Callable[[JobProgress], None]) -> None:
        self._worker, self._show = worker, show
        self._job: asyncio.Task[Synced] | None = None

    async def run(self, asked: SyncRequest) -> Synced | None:
        """None if `cancel` ended it. Raises `WorkerGone` and `JobFailed`."""
        self._job = asyncio.create_task(self._worker.run(SyncChunks(asked), self._show))
        try:
            await asyncio.wait({self._job})
        finally:
            self._job.cancel()
        return None if self._job.cancelled() else self._job.result()

    def cancel(self) -> None:
        """End the current sync; what was committed stays."""
        if self._job is not None:
            self._job.cancel()
