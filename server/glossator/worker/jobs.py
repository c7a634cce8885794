"""What the worker process is asked to do: a job, done in slices.

A job is a frozen dataclass that can be pickled. Its `run` is a generator in the worker process:
it yields at least every 50 ms of work, so that a more urgent job gets its turn and a cancelled one
ends, and returns the result, which is pickled too. What must outlive the process is on disk.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeAlias, TypeVar

R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job has come; the unit is the job's own."""

    done: int
    total: int


Slices: TypeAlias = Generator[Progress | None, None, R_co]


class Job(ABC, Generic[R_co]):
    """Something the worker does.

    A `GlossatorError` or `OSError` it raises is told by its message, any other with its traceback.
    """

    __slots__ = ()

    urgent: ClassVar[bool] = False  # someone waits for it: it goes before the others

    @abstractmethod
    def run(self) -> Slices[R_co]:
        """In the worker: do a slice, yield (with progress or None), and at the end return."""
