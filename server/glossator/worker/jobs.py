"""Jobs of the worker process, the messages between server and worker, and jobs without a worker.

A job is a frozen dataclass that can be pickled. Its `run` is a generator in the worker process: it
yields at least every 50 ms of work, so that urgent jobs and cancellation get their turn, and
returns the result, which is pickled too. What must outlive the process is on disk. Without a
worker, a small job runs in a thread of this process.
"""

from __future__ import annotations

import asyncio
import pickle
import struct
import threading
from abc import ABC, abstractmethod
from collections.abc import Generator
from dataclasses import dataclass
from typing import IO, ClassVar, Generic, TypeAlias, TypeVar

from glossator.worker.items import Item, Trouble, Troubles

R_co = TypeVar("R_co", covariant=True)
HEADER = struct.Struct(">Q")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class JobProgress:
    """How far a job is; each job has its own unit."""

    done: int
    total: int


Slices: TypeAlias = Generator[JobProgress | None, None, R_co]


class Job(ABC, Generic[R_co]):
    """Something the worker does.

    A `GlossatorError` or `OSError` is reported by its message, any other with its traceback.
    """

    __slots__ = ()

    urgent: ClassVar[bool] = False  # the user waits for it: it runs before the others

    @abstractmethod
    def run(self) -> Slices[R_co]:
        """Work in the worker: do a slice, yield progress or None; return the result at the end."""


@dataclass(frozen=True, slots=True)
class Start:
    """Begin a job."""

    number: int
    job: bytes


@dataclass(frozen=True, slots=True)
class Drop:
    """Cancel a job."""

    number: int


@dataclass(frozen=True, slots=True)
class Spare:
    """Skip these items, and no others (see `items.py`)."""

    troubles: tuple[Trouble, ...]


Request: TypeAlias = Start | Drop | Spare


@dataclass(frozen=True, slots=True)
class Ready:
    """The process has started."""


@dataclass(frozen=True, slots=True)
class Alive:
    """The process is working."""


@dataclass(frozen=True, slots=True)
class Advanced:
    """A job made progress."""

    number: int
    progress: JobProgress


@dataclass(frozen=True, slots=True)
class Done:
    """A job returned."""

    number: int
    result: bytes


@dataclass(frozen=True, slots=True)
class Failed:
    """A job raised."""

    number: int
    message: str


@dataclass(frozen=True, slots=True)
class Told:
    """An item could not be worked on, or one works again."""

    news: Trouble | Item


Report: TypeAlias = Ready | Alive | Advanced | Done | Failed | Told


def frame(message: Request | Report) -> bytes:
    """The message as a frame: an 8-byte length and a pickle.

    Both ends are our own code of one version, and only they hold the pipes, so unpickling is safe.
    Jobs and results are pickles inside the message: one that cannot be unpickled fails alone.
    """
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return HEADER.pack(len(body)) + body


def read_request(pipe: IO[bytes]) -> Request | None:
    """Wait for the next message to the worker; None at the end of the stream."""
    header = pipe.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    (size,) = HEADER.unpack(header)
    body = pipe.read(size)
    if len(body) < size:
        return None
    request: Request = pickle.loads(body)  # noqa: S301 - from our own server, see `frame`
    return request


def finished(slices: Slices[R]) -> R:
    """Run slices to their end and return the result."""
    try:
        while True:
            next(slices)
    except StopIteration as end:
        result: R = end.value
        return result


async def run_here(job: Job[R], troubles: Troubles) -> R:
    """Run a small job in a thread; cancelling the await ends it at the next slice."""
    cancelled = threading.Event()

    def work() -> R:
        slices = job.run()
        try:
            while not cancelled.is_set():
                next(slices)
        except StopIteration as end:
            result: R = end.value
            return result
        finally:
            slices.close()
        raise asyncio.CancelledError

    try:
        return await asyncio.to_thread(troubles.within, work)
    finally:
        cancelled.set()
