"""The server's side of the worker: one child process, started when it is first needed.

When the process dies, or hangs and is killed, pending calls get `WorkerGone`, and new calls too for
a while, longer each time. Finished work is on disk; the next call goes on from there.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar, cast

from glossator.core.errors import GlossatorError
from glossator.core.resources import is_exhaustion
from glossator.worker.connection import Connection, launch, unpickled
from glossator.worker.jobs import Job, JobProgress

_FIRST_WAIT = 0.5  # seconds after the first failure, doubled with each further one
_LONGEST_WAIT = 60.0  # seconds
_PATIENCE = 30.0  # seconds without a sign of life; a slice may read a file from a slow disk
_TOO_MANY_FILES = "too many files are open; raise the limit with ulimit -n, or restart Glossator"
_RECOVERED = 60.0  # seconds of life, after which earlier failures do not count

_log = logging.getLogger(__name__)
_R = TypeVar("_R")


class WorkerGone(GlossatorError):
    """There is no worker now: do without it, or try again in `retry_after` seconds."""

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class WorkerPhase(Enum):
    """The state of the process."""

    OFF = "off"  # the next call starts it, or it is closed
    STARTING = "starting"
    READY = "ready"
    BACKING_OFF = "backing off"  # it died, and calls do not start it again yet


@dataclass(frozen=True, slots=True)
class WorkerState:
    """For the status; `failures` in a row, `retry_after` in seconds while backing off.

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
    ) -> None:
        self._patience = patience
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

    async def run(
        self, job: Job[_R], on_progress: Callable[[JobProgress], None] | None = None
    ) -> _R:
        """The result of the job. Raises `WorkerGone`, or `JobFailed` when the job raised.

        When this call is cancelled, the job ends after its current slice.
        """
        # in a thread, as a job may hold thousands of paths
        pickled = await asyncio.to_thread(pickle.dumps, job, pickle.HIGHEST_PROTOCOL)
        connection = await self._connect()
        result = await connection.ask(pickled, on_progress)
        if result is None:
            raise self._gone()
        return cast(_R, await unpickled(result))

    async def close(self) -> None:
        """End the process and wait for its end; safe to call again."""
        self._closed = True
        async with self._starting:
            if self._connection is not None:
                await self._connection.close()

    async def _connect(self) -> Connection:
        async with self._starting:
            if self._closed or (self._connection is None and self._remaining() > 0):
                raise self._gone()
            if self._connection is None:
                try:
                    launched = await launch()
                except OSError as error:
                    why = _TOO_MANY_FILES if is_exhaustion(error) else str(error)
                    self._note_failure(f"could not be started ({why})", 0.0)
                    raise self._gone() from error
                self._connection = Connection(launched, self._patience, self._ended)
            return self._connection

    def _ended(self, how: str, lived: float) -> None:
        self._connection = None
        if not self._closed:
            self._note_failure(how, lived)

    def _note_failure(self, how: str, lived: float) -> None:
        self._how = how
        self._failures = 1 if lived > _RECOVERED else self._failures + 1
        wait = min(self._first_wait * 2 ** min(self._failures - 1, 30), self._longest_wait)
        self._resume_at = asyncio.get_running_loop().time() + wait
        _log.warning("The worker process %s; it can be started again in %.3g s.", how, wait)

    def _remaining(self) -> float:
        return max(0.0, self._resume_at - asyncio.get_running_loop().time())

    def _gone(self) -> WorkerGone:
        if self._closed:
            return WorkerGone("The worker process was closed with the workspace.", 0.0)
        wait = self._remaining()
        return WorkerGone(
            f"The worker process {self._how}; it can be started again in {wait:.3g} s.", wait
        )
