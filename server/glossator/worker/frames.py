"""What server and worker process say to each other: frames of an 8-byte length and a pickle.

Both ends are our own code of one version, and nobody else holds the pipes between them, so
pickle's dangers do not apply. Jobs and results travel as pickles inside the message: one that
cannot be taken apart is a failure of its job alone.
"""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass
from typing import IO, TypeAlias

from glossator.worker.jobs import Progress

HEADER = struct.Struct(">Q")


@dataclass(frozen=True, slots=True)
class Start:
    """Begin a job."""

    number: int
    job: bytes


@dataclass(frozen=True, slots=True)
class Drop:
    """Nobody waits for this job any more."""

    number: int


Request: TypeAlias = Start | Drop


@dataclass(frozen=True, slots=True)
class Ready:
    """The process is up."""


@dataclass(frozen=True, slots=True)
class Alive:
    """The process goes on with its jobs, and has nothing else to tell."""


@dataclass(frozen=True, slots=True)
class Advanced:
    """A job has come so far."""

    number: int
    progress: Progress


@dataclass(frozen=True, slots=True)
class Done:
    """A job has ended well."""

    number: int
    result: bytes


@dataclass(frozen=True, slots=True)
class Failed:
    """A job has ended with an error."""

    number: int
    message: str


Report: TypeAlias = Ready | Alive | Advanced | Done | Failed


def frame(message: Request | Report) -> bytes:
    """The message as it goes over the pipe."""
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return HEADER.pack(len(body)) + body


def read_request(pipe: IO[bytes]) -> Request | None:
    """The next message to the worker, once it is there; None at the end of the stream."""
    header = pipe.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    (size,) = HEADER.unpack(header)
    body = pipe.read(size)
    if len(body) < size:
        return None
    request: Request = pickle.loads(body)  # noqa: S301 - from our own server, see above
    return request
