"""When to look at the whole disk: one sweep is due at a time, with a cause."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

_TIMER = "timer"
_REST = 20  # a sweep that can wait waits this many times as long as the last one took
_RARELY = 200  # times as long: with what follows a sweep, less than 0.5 % of a processor, …
_RAREST_SECONDS = 3_600  # … unless it is a very long one, or the disk a slow one
_UNWATCHED_SECONDS = 30  # between sweeps, at most, when changes may go unreported
_ASLEEP_SECONDS = 1.0  # a gap between the clocks that is no rounding


@dataclass(frozen=True, slots=True)
class Sweep:
    """A look at the whole disk that was completed; `at` is the time since 1970 it began."""

    cause: str
    at: float
    seconds: float
    differences: int


def interval(asked: float, seconds: float, *, watched: bool) -> float:
    """Seconds until the timer's next sweep, where `asked` are set and the last one took `seconds`.

    `watched`: every change is reported, so a sweep should find nothing.
    """
    if not watched:
        return min(asked, _UNWATCHED_SECONDS)
    return max(asked, min(_RARELY * seconds, _RAREST_SECONDS))


class SweepSlot:
    """The one sweep that is due next: of several asked for the earliest, with its cause."""

    def __init__(self, interval: float) -> None:
        self.urgent = False  # whether the listing may be wrong until it is done
        self._cause = _TIMER
        self._due_at = time.monotonic() + interval
        self._rested_at = 0.0

    def ask(self, cause: str, wait: float | None = None) -> None:
        """Sweep in `wait` seconds, unless the last one was just now; None: at once."""
        now = time.monotonic()
        due_at = now if wait is None else max(now + wait, self._rested_at)
        if due_at < self._due_at:
            self._due_at, self._cause = due_at, cause
        self.urgent |= wait is None

    def seconds_left(self) -> float:
        """Until the sweep is due."""
        return max(0.0, self._due_at - time.monotonic())

    def take(self) -> str:
        """Begin the sweep and return its cause."""
        cause, self._cause = self._cause, _TIMER
        self._due_at = math.inf
        self.urgent = False
        return cause

    def done(self, seconds: float, interval: float) -> None:
        """The sweep that was taken is done, and took so long; the next is due in `interval`."""
        now = time.monotonic()
        self._rested_at = now + _REST * seconds
        self._due_at = min(self._due_at, now + interval)


class Suspension:
    """Notices that the machine was asleep, by a clock that went on meanwhile."""

    def __init__(self, seconds_asleep: Callable[[], float] | None = None) -> None:
        self._seconds_asleep = seconds_asleep or _seconds_asleep
        self._before = self._seconds_asleep()

    def ended(self) -> bool:
        """Whether the machine was asleep since this was last asked."""
        before, self._before = self._before, self._seconds_asleep()
        return self._before - before > _ASLEEP_SECONDS


def _seconds_asleep() -> float:
    """Time spent asleep since the machine started; always 0 where the system does not tell."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return 0.0 if clock is None else time.clock_gettime(clock) - time.monotonic()
