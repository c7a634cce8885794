"""Where checkpoints keep the bytes of files, and looking at files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from glossator.core.document import text_hash
from glossator.core.errors import StoreUnavailable
from glossator.store import Objects, unavailable
from glossator.undo.file_states import (
    Content,
    DiskFiles,
    FileState,
    FoundState,
    RestorableFiles,
    Stored,
    as_state,
    same,
)

T = TypeVar("T")

MAX_BYTES = 2_000_000_000  # on disk, of all workspaces


class CheckpointStore:
    """One file of objects; shared by the sessions of a server.

    The user reads once that it cannot be used; each caller gets the error.
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
                self._tell(f"{error} Until then, edits and commands are refused; reading works.")
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


@dataclass(frozen=True, slots=True)
class FileStateReader:
    """Looks at files of at most `limit` bytes."""

    store: CheckpointStore
    files: RestorableFiles
    disk: DiskFiles
    limit: int

    async def seen(self, paths: Iterable[str]) -> dict[str, FileState]:
        """The states of files as the user sees them."""
        return await self._states(paths, self._seen())

    async def on_disk(self, paths: Iterable[str]) -> dict[str, FileState]:
        """The states of files on disk, as commands see them."""
        return await self._states(paths, self._on_disk)

    async def kept(
        self, paths: Iterable[str], on_disk: Collection[str] = ()
    ) -> dict[str, FileState]:
        """The states as the user sees them, or those `on_disk` as commands do, with bytes kept.

        Raises `StoreUnavailable`.
        """
        seen = self._seen()

        def keep(objects: Objects) -> dict[str, FileState]:
            found = {path: (self._on_disk if path in on_disk else seen)(path) for path in paths}
            objects.put([item.data for item in found.values() if isinstance(item, Content)])
            return {path: as_state(item) for path, item in found.items()}

        return await self.store.run(keep)

    async def left(self, changed: Mapping[str, str | None]) -> dict[str, FileState]:
        """The states of files that were changed to a text, or (None) to what the user sees."""
        seen = self._seen()

        def look(path: str) -> FoundState:
            text = changed[path]
            return seen(path) if text is None else self.disk.with_text(path, text, self.limit)

        return await self._states(changed, look)

    def holds(self, path: str, state: FileState, sha256: str) -> bool:
        """Whether the file, known as `state`, holds the text of this hash; blocking."""
        found = self._on_disk(path)
        return isinstance(found, Content) and (
            self._text_hash(path, found.data) == sha256 and same(state, as_state(found))
        )

    def text_hashes(self, path: str, states: Iterable[FileState], objects: Objects) -> set[str]:
        """The hashes of those texts of a file whose bytes are kept. Raises `StoreUnavailable`."""
        contents = (objects.get(state.object) for state in states if isinstance(state, Stored))
        hashes = (self._text_hash(path, data) for data in contents if data is not None)
        return {each for each in hashes if each is not None}

    def _text_hash(self, path: str, data: bytes) -> str | None:
        decoded = self.disk.decoded(path, data)
        return None if decoded is None else text_hash(decoded[0])

    async def _states(
        self, paths: Iterable[str], look: Callable[[str], FoundState]
    ) -> dict[str, FileState]:
        return await asyncio.to_thread(lambda: {path: as_state(look(path)) for path in paths})

    def _seen(self) -> Callable[[str], FoundState]:
        look = self.files.now()
        return lambda path: look(path, self.limit)

    def _on_disk(self, path: str) -> FoundState:
        return self.disk.look(path, self.limit)
