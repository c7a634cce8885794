"""The time that a run, or a call, takes without the time in which it waits for the user."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager


class RunClock:
    """Begins with the run, or the call; belongs to the event loop."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._waited = 0.0
        self._waits = 0  # how many questions the user has not answered
        self._since = 0.0  # the first of them
        self._limits: dict[asyncio.Timeout, float | None] = {}  # with what is left while it waits

    @property
    def seconds(self) -> float:
        """How long the run has worked."""
        return time.monotonic() - self._began - self.waited

    @property
    def waited(self) -> float:
        """How many seconds the user was waited for."""
        return self._waited + (time.monotonic() - self._since if self._waits else 0.0)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """For the user: no limit is reached meanwhile."""
        if not self._waits:
            self._since = time.monotonic()
            self._limits = {limit: _stop(limit) for limit in self._limits}
        self._waits += 1
        try:
            yield
        finally:
            self._waits -= 1
            if not self._waits:
                self._waited += time.monotonic() - self._since
                for limit, left in self._limits.items():
                    _go_on(limit, left)

    def waiting_also(
        self, around: Callable[[], AbstractContextManager[object]]
    ) -> Callable[[], AbstractContextManager[None]]:
        """Its `waiting`, in which what is `around` waits as well."""

        @contextmanager
        def both() -> Iterator[None]:
            with around(), self.waiting():
                yield

        return both

    @asynccontextmanager
    async def limit(self, seconds: float) -> AsyncIterator[None]:
        """The block may work so long. Raises `TimeoutError`."""
        async with asyncio.timeout(seconds) as limit:
            self._limits[limit] = _stop(limit) if self._waits else None
            try:
                yield
            finally:
                del self._limits[limit]


def _stop(limit: asyncio.Timeout) -> float | None:
    when = limit.when()
    if when is None or limit.expired():
        return None
    limit.reschedule(None)
    return when - asyncio.get_running_loop().time()


def _go_on(limit: asyncio.Timeout, left: float | None) -> None:
    if left is not None:
        limit.reschedule(asyncio.get_running_loop().time() + left)
