"""The bytes that checkpoints keep, and the one thread that may use them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from glossator.store.objects import Objects

T = TypeVar("T")

MAX_BYTES = 2_000_000_000  # on disk, of all workspaces


class CheckpointStore:
    """One file of objects; shared by the sessions of a server."""

    def __init__(self, path: str, max_bytes: int = MAX_BYTES) -> None:
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="checkpoints")
        self._path = path
        self._max_bytes = max_bytes
        self._objects: Objects | None = None

    async def run(self, work: Callable[[Objects], T]) -> T:
        """Do work with the objects. Raises `StoreUnavailable`."""
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, lambda: work(self._open())
        )

    async def close(self) -> None:
        """Give the file back."""
        if self._objects is not None:
            await self.run(Objects.close)
        self._threads.shutdown()

    def _open(self) -> Objects:
        if self._objects is None:
            self._objects = Objects(self._path, self._max_bytes)
        return self._objects
