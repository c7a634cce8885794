"""The working time of a run, which stands still while the user is asked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager


class RunClock:
    """The working time of a run or a call, without waiting for the user. For the event loop."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._waited = 0.0
        self._waits = 0  # open questions to the user
        self._since = 0.0  # when the first of them was asked
        self._limits: dict[asyncio.Timeout, float | None] = {}  # seconds left, while it waits

    @property
    def seconds(self) -> float:
        """The working time so far."""
        return time.monotonic() - self._began - self.waited

    @property
    def waited(self) -> float:
        """The time spent waiting for the user."""
        return self._waited + (time.monotonic() - self._since if self._waits else 0.0)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Wait for the user in this block; limits pause."""
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
        """A context manager that enters both `around` and `waiting`."""

        @contextmanager
        def both() -> Iterator[None]:
            with around(), self.waiting():
                yield

        return both

    @asynccontextmanager
    async def limit(self, seconds: float) -> AsyncIterator[None]:
        """Limit the working time of the block. Raises `TimeoutError`."""
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
