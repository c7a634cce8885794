"""Jobs for tests; a worker started by a test imports them as `tests.worker.jobs`."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from glossator.core.errors import UsageError
from glossator.index.jobs import BuildSegment, Built, Busy, Stale
from glossator.worker.jobs import Job, JobProgress, Slices


@dataclass(frozen=True, slots=True)
class Echo(Job[object]):
    value: object

    def run(self) -> Slices[object]:
        yield None
        return self.value


@dataclass(frozen=True, slots=True)
class UrgentEcho(Echo):
    urgent: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Count(Job[int]):
    """Counts; with `trace`, says in a file that it was closed."""

    slices: int
    trace: str | None = None

    def run(self) -> Slices[int]:
        try:
            for done in range(self.slices):
                yield JobProgress(done, self.slices)
                time.sleep(0.001)
            return self.slices
        finally:
            if self.trace is not None:
                Path(self.trace).touch()


@dataclass(frozen=True, slots=True)
class Quiet(Job[None]):
    """Works for some seconds, and tells nothing."""

    seconds: float

    def run(self) -> Slices[None]:
        until = time.monotonic() + self.seconds
        while time.monotonic() < until:
            time.sleep(0.01)
            yield None


@dataclass(frozen=True, slots=True)
class Refuse(Job[None]):
    """Fails: with a message for people, or by a fault."""

    message: str | None = None

    def run(self) -> Slices[None]:
        yield None
        if self.message is not None:
            raise UsageError(self.message)
        print("a stray line")  # noqa: T201 - it must not disturb the frames
        raise ZeroDivisionError


@dataclass(frozen=True, slots=True)
class Unpicklable(Job[object]):
    def run(self) -> Slices[object]:
        yield None
        return lambda: None


@dataclass(frozen=True, slots=True)
class Die(Job[None]):
    def run(self) -> Slices[None]:
        yield None
        os._exit(3)


@dataclass(frozen=True, slots=True)
class Environment(Job[dict[str, str]]):
    def run(self) -> Slices[dict[str, str]]:
        yield None
        return dict(os.environ) | {"cwd": os.getcwd(), "nice": str(os.nice(0))}


@dataclass(frozen=True, slots=True)
class Stuck(Job[None]):
    """A slice that never ends, in Python code."""

    started: str

    def run(self) -> Slices[None]:
        yield None
        Path(self.started).touch()
        while True:
            pass


@dataclass(frozen=True, slots=True)
class Endless(BuildSegment):
    """Writing files into an index that begins, and gets no further."""

    def run(self) -> Slices[Built | Busy | Stale]:
        while self.paths:
            yield JobProgress(0, len(self.paths))
            time.sleep(0.01)
        return (yield from BuildSegment.run(self))
