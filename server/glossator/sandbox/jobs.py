"""Commands in the background: started, polled, stopped; all of them end with their owner."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

from glossator.core.errors import UsageError
from glossator.core.run_events import BackgroundJob
from glossator.sandbox.output import Exit, Output, end_text, exit_text
from glossator.sandbox.process import Process

MOST_RUNNING = 8
_MAX_KNOWN = 32  # with those that ended and were not asked about


@dataclass(frozen=True, slots=True)
class Polled:
    """A job's output since the last poll; `exit` is None while it runs.

    `notes` as of `Finished`.
    """

    command: str
    output: Output
    exit: Exit | None
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Job:
    """A job; `reported`: the model was told of its end, and it is there for people alone."""

    command: str
    process: Process
    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    reported: bool = False


class Jobs:
    """The jobs of one owner, by numbers from 1 on; `changed` is called when one begins or ends."""

    def __init__(self) -> None:
        self._jobs: dict[str, _Job] = {}
        self._count = 0
        self._watching: set[asyncio.Task[None]] = set()
        self.changed: Callable[[], None] = lambda: None

    @property
    def running(self) -> tuple[str, ...]:
        """The names of the running jobs."""
        return tuple(name for name, job in self._jobs.items() if job.process.exit is None)

    def check_room(self) -> None:
        """Raises `UsageError` if as many jobs run as may."""
        if len(self.running) >= MOST_RUNNING:
            raise UsageError(
                f"{MOST_RUNNING} jobs are running, which is the maximum.\nStop one of "
                f"{', '.join(self.running)} first."
            )

    def add(self, command: str, process: Process) -> str:
        """Take over a process; returns the name of its job."""
        ended = [name for name, job in self._jobs.items() if job.process.exit is not None]
        if len(self._jobs) >= _MAX_KNOWN and ended:
            del self._jobs[next((name for name in ended if self._jobs[name].reported), ended[0])]
        self._count += 1
        name = str(self._count)
        self._jobs[name] = _Job(command, process)
        watching = asyncio.create_task(self._watch(process))
        self._watching.add(watching)
        watching.add_done_callback(self._watching.discard)
        self.changed()
        return name

    @property
    def all(self) -> tuple[BackgroundJob, ...]:
        """The running jobs and those that ended last, oldest first, for people."""
        return tuple(_shown(name, job) for name, job in self._jobs.items())

    def look(self, name: str) -> tuple[BackgroundJob, str]:
        """A job and the end of its output, for people. Raises `UsageError` for an unknown name."""
        job = self._for_people(name)
        return _shown(name, job), end_text(job.process.end_of_output())

    async def end(self, name: str) -> BackgroundJob:
        """End a job for people; the model hears of it when it looks. Raises `UsageError`."""
        job = self._for_people(name)
        await job.process.stop()
        return _shown(name, job)

    async def poll(self, name: str, seconds: float = 0) -> Polled:
        """The new output, after waiting so long for the job's end; an ended job is then forgotten.

        Raises `UsageError` for an unknown name.
        """
        job = self._job(name)
        if job.process.exit is None and seconds:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await job.process.wait()
        if job.process.exit is not None:
            job.reported = True
        return Polled(job.command, job.process.take(), job.process.exit)

    async def ended(self, name: str) -> None:
        """Wait for a job's end. Raises `UsageError` for an unknown name."""
        await self._job(name).process.wait()

    async def stop(self, name: str) -> Polled:
        """Stop a job and return its new output. Raises `UsageError` for an unknown name."""
        await self._job(name).process.stop()
        return await self.poll(name)

    async def close(self) -> None:
        """End all jobs."""
        jobs = list(self._jobs.values())
        self._jobs.clear()
        await asyncio.gather(*(job.process.stop() for job in jobs))

    def _job(self, name: str) -> _Job:
        job = self._jobs.get(name)
        if job is None or job.reported:
            names = [name for name, each in self._jobs.items() if not each.reported]
            known = f"there are {', '.join(names)}" if names else "there are none now"
            raise UsageError(f"There is no job {name!r}: {known}.\nAn ended job is reported once.")
        return job

    def _for_people(self, name: str) -> _Job:
        if name not in self._jobs:
            raise UsageError(f"There is no job {name!r} in this server. List the jobs.")
        return self._jobs[name]

    async def _watch(self, process: Process) -> None:
        await process.wait()
        self.changed()


def _shown(name: str, job: _Job) -> BackgroundJob:
    ended = job.process.exit
    outcome = "" if ended is None else exit_text(ended).strip("[]")
    began = job.began.isoformat(timespec="seconds")
    return BackgroundJob(name, job.command, began, outcome, ended not in (None, Exit(0)))
