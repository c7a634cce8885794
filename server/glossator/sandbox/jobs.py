"""Commands in the background: started, polled, stopped; all of them end with their owner."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from glossator.core.errors import UsageError
from glossator.sandbox.output import Exit, Output
from glossator.sandbox.process import Process

MOST_RUNNING = 8
_MOST_KNOWN = 32  # with those that ended and were not asked about


@dataclass(frozen=True, slots=True)
class Polled:
    """A job's output since the last poll; `exit` is None while it runs.

    `notes` as of `Finished`.
    """

    command: str
    output: Output
    exit: Exit | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Job:
    command: str
    process: Process


class Jobs:
    """The jobs of one owner, by numbers from 1 on."""

    def __init__(self) -> None:
        self._jobs: dict[str, _Job] = {}
        self._count = 0

    @property
    def running(self) -> tuple[str, ...]:
        """The names of those that run."""
        return tuple(name for name, job in self._jobs.items() if job.process.exit is None)

    def check_room(self) -> None:
        """Raises `UsageError` if as many jobs run as may."""
        if len(self.running) >= MOST_RUNNING:
            raise UsageError(
                f"{MOST_RUNNING} jobs are running, which is the most.\nStop one of "
                f"{', '.join(self.running)} first."
            )

    def add(self, command: str, process: Process) -> str:
        """Own a process from now on; its name."""
        ended = (name for name, job in self._jobs.items() if job.process.exit is not None)
        if len(self._jobs) >= _MOST_KNOWN and (oldest := next(ended, None)):
            del self._jobs[oldest]
        self._count += 1
        name = str(self._count)
        self._jobs[name] = _Job(command, process)
        return name

    async def poll(self, name: str, seconds: float = 0) -> Polled:
        """What is new, after waiting so long for its end; an ended job is then forgotten.

        Raises `UsageError` for an unknown name.
        """
        job = self._job(name)
        if job.process.exit is None and seconds:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await job.process.wait()
        if job.process.exit is not None:
            self._jobs.pop(name, None)
        return Polled(job.command, job.process.take(), job.process.exit)

    async def ended(self, name: str) -> None:
        """Wait for a job's end. Raises `UsageError` for an unknown name."""
        await self._job(name).process.wait()

    async def stop(self, name: str) -> Polled:
        """End a job; what was new. Raises `UsageError` for an unknown name."""
        await self._job(name).process.stop()
        return await self.poll(name)

    async def close(self) -> None:
        """End all jobs."""
        jobs = list(self._jobs.values())
        self._jobs.clear()
        await asyncio.gather(*(job.process.stop() for job in jobs))

    def _job(self, name: str) -> _Job:
        job = self._jobs.get(name)
        if job is None:
            known = f"there are {', '.join(self._jobs)}" if self._jobs else "there are none now"
            raise UsageError(f"There is no job {name!r}: {known}.\nAn ended job is reported once.")
        return job
