"""Jobs for tests; a worker started by a test imports them as `tests.worker.jobs`."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from glossator.core.errors import UsageError
from glossator.worker.items import Item, Trouble, attempt, attempt_steps
from glossator.worker.jobs import Job, JobProgress, Slices
from glossator.workspace.index.jobs import BuildSegment, Built, Busy, Stale


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
class UrgentEnvironment(Environment):
    urgent: ClassVar[bool] = True


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


@dataclass(frozen=True, slots=True)
class Each(Job[dict[str, str]]):
    """Works on each name; of those in `harms`, it does what is said there. `trace` counts tries."""

    names: tuple[str, ...]
    harms: dict[str, str]
    trace: str
    version: str = "1"

    def run(self) -> Slices[dict[str, str]]:
        made = {}
        for name in self.names:
            item = Item(name, "is not made", self.version)
            if self.harms.get(name) == "second step":
                done = yield from attempt_steps(item, self._steps(name))
            else:
                done = attempt(item, lambda name=name: self._make(name))  # type: ignore[misc]
            made[name] = done.in_words if isinstance(done, Trouble) else done
            yield None
        return made

    def _steps(self, name: str) -> Generator[None, None, str]:
        yield None
        return self._make(name)

    def _make(self, name: str) -> str:
        with Path(self.trace).open("a") as file:
            file.write(f"{name}\n")
        match self.harms.get(name):
            case "raises" | "second step":
                return f"{1 / 0}"
            case "crashes":
                ctypes.string_at(0)
            case "is killed":
                os.kill(os.getpid(), signal.SIGKILL)
                threading.Event().wait()
            case "exits":
                os._exit(7)
            case "loops":
                while True:
                    pass
            case "recurses":
                return self._make(name)
        return name.upper()
