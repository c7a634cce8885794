"""What is at paths now, as states: as the user sees the files, or on disk, where commands see them.

Looking is done in threads, at open documents as they were when it began.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from glossator.core.document import text_hash
from glossator.core.encoding import decode
from glossator.store.objects import Objects
from glossator.undo.checkpoint_store import CheckpointStore
from glossator.undo.file_states import (
    Content,
    DiskFiles,
    Files,
    Found,
    State,
    Stored,
    described,
    holding,
    same,
)


@dataclass(frozen=True, slots=True)
class FileStateReader:
    """Looks at files of at most `limit` bytes."""

    store: CheckpointStore
    files: Files
    disk: DiskFiles
    limit: int

    async def seen(self, paths: Iterable[str]) -> dict[str, State]:
        """As the user sees them."""
        return await self._states(paths, self._seen())

    async def on_disk(self, paths: Iterable[str]) -> dict[str, State]:
        """As commands see them."""
        return await self._states(paths, self._on_disk)

    async def kept(self, paths: Iterable[str], on_disk: Collection[str] = ()) -> dict[str, State]:
        """As the user sees them (those of `on_disk` as commands do), with the bytes kept.

        Raises `StoreUnavailable`.
        """
        seen = self._seen()

        def keep(objects: Objects) -> dict[str, State]:
            found = {path: (self._on_disk if path in on_disk else seen)(path) for path in paths}
            objects.put([item.data for item in found.values() if isinstance(item, Content)])
            return {path: described(item) for path, item in found.items()}

        return await self.store.run(keep)

    async def left(self, changed: Mapping[str, str | None]) -> dict[str, State]:
        """Of files that were changed to a text, or (None) to what the user sees."""
        seen = self._seen()

        def look(path: str) -> Found:
            text = changed[path]
            return seen(path) if text is None else holding(text, self._on_disk(path), self.limit)

        return await self._states(changed, look)

    def holds(self, path: str, state: State, sha256: str) -> bool:
        """Whether the file, known as `state`, holds the text of this hash; blocking."""
        found = self._on_disk(path)
        return isinstance(found, Content) and (
            _text_hash(found.data) == sha256 and same(state, described(found))
        )

    async def _states(self, paths: Iterable[str], look: Callable[[str], Found]) -> dict[str, State]:
        return await asyncio.to_thread(lambda: {path: described(look(path)) for path in paths})

    def _seen(self) -> Callable[[str], Found]:
        look = self.files.now()
        return lambda path: look(path, self.limit)

    def _on_disk(self, path: str) -> Found:
        return self.disk.look(path, self.limit)


def text_hashes(states: Iterable[State], objects: Objects) -> set[str]:
    """The hashes of those texts whose bytes are kept. Raises `StoreUnavailable`."""
    contents = (objects.get(state.object) for state in states if isinstance(state, Stored))
    hashes = (_text_hash(data) for data in contents if data is not None)
    return {each for each in hashes if each is not None}


def _text_hash(data: bytes) -> str | None:
    decoded = decode(data)
    return None if decoded is None else text_hash(decoded[0])
