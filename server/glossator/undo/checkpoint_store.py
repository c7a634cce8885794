"""The bytes that checkpoints keep, and the one thread that may use them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from glossator.core.errors import StoreUnavailable
from glossator.store.log import unavailable
from glossator.store.objects import Objects

T = TypeVar("T")

MAX_BYTES = 2_000_000_000  # on disk, of all workspaces


class CheckpointStore:
    """One file of objects; shared by the sessions of a server.

    The user is told once that it cannot be used; whoever wanted it is told each time.
    """

    def __init__(
        self, path: Path, max_bytes: int = MAX_BYTES, tell: Callable[[str], None] = lambda _: None
    ) -> None:
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="checkpoints")
        self._path = path
        self._max_bytes = max_bytes
        self._tell = tell
        self._told = False
        self._objects: Objects | None = None

    async def run(self, work: Callable[[Objects], T]) -> T:
        """Do work with the objects. Raises `StoreUnavailable`."""
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._threads, lambda: work(self._open())
            )
        except StoreUnavailable as error:
            if not self._told:
                self._told = True
                self._tell(f"{error} Until then, edits and commands are refused; reading goes on.")
            raise

    async def close(self) -> None:
        """Give the file back."""
        if self._objects is not None:
            await self.run(Objects.close)
        self._threads.shutdown()

    def _open(self) -> Objects:
        if self._objects is None:
            try:
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise unavailable(str(self._path.parent), error) from error
            self._objects = Objects(str(self._path), self._max_bytes)
        return self._objects
