"""Who may write to the terminal: while the user is asked something, everything else waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager


class Floor:
    """One question at a time; what happens meanwhile is shown after the answer, in its order."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._asking = False
        self._waiting: list[Callable[[], None]] = []

    def show(self, write: Callable[[], None]) -> None:
        """Write something now, or as soon as nothing is asked."""
        if self._asking:
            self._waiting.append(write)
        else:
            write()

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[None]:
        """The user is asked something in the block."""
        async with self._turn:
            self._asking = True
            try:
                yield
            finally:
                self.release()

    def release(self) -> None:
        """Nobody will answer any more, or somebody has: write what waits."""
        self._asking = False
        waiting, self._waiting = self._waiting, []
        for write in waiting:
            write()
