"""The server's side of the worker: one child process, started when it is first needed.

When the process dies, or hangs and is killed, pending calls get `WorkerGone`, and new calls too for
a while, longer each time. Finished work is on disk; the next call goes on from there. If it was the
fault of one file (see `items.py`), another process takes over the calls at once. A process may end
at rest, to give back its memory; the next call starts another.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeVar, cast

from glossator.core.errors import GlossatorError
from glossator.core.own_process import is_exhaustion
from glossator.worker.connection import Connection, End, launch, unpickled
from glossator.worker.items import Item, Trouble, Troubles, load, save
from glossator.worker.jobs import Job, JobProgress

_FIRST_WAIT = 0.5  # seconds after the first failure, doubled with each further one
_LONGEST_WAIT = 60.0  # seconds
_PATIENCE = 30.0  # seconds without a sign of life; a slice may read a file from a slow disk
_TOO_MANY_FILES = "too many files are open; raise the limit with ulimit -n, or restart Glossator"
_RECOVERED = 60.0  # seconds of life, after which earlier failures do not count
_MAX_ENDED_PROCESSES = 8  # processes in a row that files ended, after which calls wait, too

_log = logging.getLogger(__name__)
_R = TypeVar("_R")


class WorkerGone(GlossatorError):
    """There is no worker now: go on without it, or try again in `retry_after` seconds.

    `at_job`: the process ended, or was ended, while it had the job.
    """

    def __init__(self, message: str, retry_after: float, *, at_job: bool = False) -> None:
        super().__init__(message)
        self.retry_after, self.at_job = retry_after, at_job


class WorkerPhase(Enum):
    """The state of the process."""

    OFF = "off"  # the next call starts it, or it is closed
    STARTING = "starting"
    READY = "ready"
    BACKING_OFF = "backing off"  # it died, and calls do not start it again yet


@dataclass(frozen=True, slots=True)
class WorkerState:
    """The state for the status command; `failures` in a row, `retry_after` in seconds.

    `how` completes the sentence "it …" while backing off: how it ended, or why it did not start.
    """

    phase: WorkerPhase
    failures: int = 0
    retry_after: float = 0.0
    process_id: int | None = None
    how: str = ""


class Worker:
    """Runs jobs in the worker process; for the event-loop thread only."""

    def __init__(
        self,
        *,
        first_wait: float = _FIRST_WAIT,
        longest_wait: float = _LONGEST_WAIT,
        patience: float = _PATIENCE,
        saved: Callable[[], Path | None] = lambda: None,
        rest: float | None = None,
    ) -> None:
        """`saved` says where to keep, for the next start, which files failed.

        The process ends after `rest` seconds without a call.
        """
        self._troubles = Troubles(self._note_change)
        self._saved = saved
        self._loaded, self._unsaved = False, False
        self._suspect: Item | None = None  # what the last process was at that was killed
        self._spared = 0  # processes in a row that items ended
        self._patience = patience
        self._rest = rest
        self._calls = 0  # that wait for their result
        self._timer: asyncio.TimerHandle | None = None  # set while none waits
        self._ending: asyncio.Task[None] | None = None
        self._at_rest = False  # the process is being ended as nothing was asked for
        self._first_wait = first_wait
        self._longest_wait = longest_wait
        self._connection: Connection | None = None
        self._starting = asyncio.Lock()
        self._closed = False
        self._failures = 0
        self._how = "ended"
        self._resume_at = 0.0  # in the loop's time

    @property
    def state(self) -> WorkerState:
        """The current state of the process."""
        if self._connection is not None:
            phase = WorkerPhase.READY if self._connection.ready else WorkerPhase.STARTING
            return WorkerState(phase, self._failures, 0.0, self._connection.process_id)
        if self._closed or self._failures == 0:
            return WorkerState(WorkerPhase.OFF)
        if (wait := self._remaining()) > 0:
            return WorkerState(WorkerPhase.BACKING_OFF, self._failures, wait, how=self._how)
        return WorkerState(WorkerPhase.OFF, self._failures)  # the next call starts it

    @property
    def troubles(self) -> Troubles:
        """This worker's troubles, for work in this process."""
        return self._troubles

    async def failed(self) -> tuple[Trouble, ...]:
        """The items that could not be worked on, now and before this start."""
        async with self._starting:
            await self._load()
        return self._troubles.listed

    def try_all_again(self) -> None:
        """Forget which files failed, so that they are tried again."""
        self._troubles.replace(())
        self._unsaved = True
        if self._connection is not None:
            self._connection.spare(())

    async def run(
        self, job: Job[_R], on_progress: Callable[[JobProgress], None] | None = None
    ) -> _R:
        """Run a job and return its result. Raises `WorkerGone`, or `JobFailed` when the job raised.

        When this call is cancelled, the job ends after its current slice.
        """
        self._calls += 1
        if self._timer is not None:
            self._timer.cancel()
        try:
            # in a thread, as a job may hold thousands of paths
            pickled = await asyncio.to_thread(pickle.dumps, job, pickle.HIGHEST_PROTOCOL)
            while True:
                connection = await self._connect()
                result = await connection.ask(pickled, on_progress)
                await self._save()
                if result is not None:
                    return cast(_R, await unpickled(result))
                if not connection.over_items:
                    raise self._gone(at_job=True)
        finally:
            self._calls -= 1
            if self._rest is not None and not self._calls and not self._closed:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(self._rest, self._put_to_rest)

    async def close(self) -> None:
        """End the process and wait for its end; safe to call again."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        await self._save()
        async with self._starting:
            if self._connection is not None:
                await self._connection.close()

    def _put_to_rest(self) -> None:
        self._ending = asyncio.create_task(self._end_idle_process())

    async def _end_idle_process(self) -> None:
        async with self._starting:  # a call that comes now waits, and starts another process
            if not self._calls and self._connection is not None:
                self._at_rest = True
                try:
                    await self._connection.close()
                finally:
                    self._at_rest = False

    async def _connect(self) -> Connection:
        async with self._starting:
            if self._closed or (self._connection is None and self._remaining() > 0):
                raise self._gone()
            if self._connection is None:
                await self._load()
                try:
                    launched = await launch()
                except OSError as error:
                    why = _TOO_MANY_FILES if is_exhaustion(error) else str(error)
                    self._note_failure(f"could not be started ({why})", 0.0)
                    raise self._gone() from error
                self._connection = Connection(launched, self._patience, self._troubles, self._ended)
            return self._connection

    def _ended(self, end: End) -> bool:
        """Whether another process may take over the jobs at once."""
        self._connection = None
        if self._closed or self._at_rest:
            return False
        known = end.item is not None and not (end.outside and end.item != self._suspect)
        self._suspect = end.item
        if end.item is None or not known:
            self._note_failure(end.how, end.lived)
            return False
        _log.warning("%s", self._troubles.note_end(end.item, end.how).in_words)
        self._spared = 1 if end.lived > _RECOVERED else self._spared + 1
        if self._spared > _MAX_ENDED_PROCESSES:
            self._note_failure(end.how, end.lived)
            return False
        return True

    def _note_change(self, _news: Trouble | Item) -> None:
        self._unsaved = True

    async def _load(self) -> None:
        place = None if self._loaded else self._saved()
        if place is not None:
            self._loaded = True
            self._troubles.replace(await asyncio.to_thread(load, place))

    async def _save(self) -> None:
        place = self._saved() if self._unsaved else None
        if place is not None:
            self._unsaved = False
            try:
                await asyncio.to_thread(save, place, self._troubles.listed)
            except OSError as error:
                _log.warning("The next start tries files again that failed: %s", error)

    def _note_failure(self, how: str, lived: float) -> None:
        self._how = how
        self._failures = 1 if lived > _RECOVERED else self._failures + 1
        wait = min(self._first_wait * 2 ** min(self._failures - 1, 30), self._longest_wait)
        self._resume_at = asyncio.get_running_loop().time() + wait
        _log.warning("The worker process %s; it can be started again in %.3g s.", how, wait)

    def _remaining(self) -> float:
        return max(0.0, self._resume_at - asyncio.get_running_loop().time())

    def _gone(self, *, at_job: bool = False) -> WorkerGone:
        if self._closed:
            return WorkerGone("The worker process was closed with the workspace.", 0.0)
        wait = self._remaining()
        message = f"The worker process {self._how}; it can be started again in {wait:.3g} s."
        return WorkerGone(message, wait, at_job=at_job)
