"""The vectors of a workspace's chunks: where they are kept, and what a search asks of them.

They are in memory, over a file on this machine; or in a Milvus, for a team (see `milvus.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from glossator.retrieval.embeddings.access import Access
from glossator.retrieval.embeddings.embedder import Vectors
from glossator.retrieval.embeddings.vector_index import VectorIndex
from glossator.retrieval.embeddings.vector_store import VectorStore
from glossator.worker import Slices

_LINKED = 50  # rows that are added to the graph at a time, 30 ms


@dataclass(frozen=True, slots=True)
class VectorPlace:
    """Where the vectors of a model are kept.

    `file` takes at most `max_bytes`, and what is embedded here is always written there first.
    `milvus` is what the settings name, if anything; a path without a server for Milvus Lite.
    """

    model_id: str
    file: str
    max_bytes: int
    milvus: Access | None = field(default=None, repr=False)

    @property
    def leaves_machine(self) -> bool:
        """Whether vectors are sent to a server."""
        return self.milvus is not None and self.milvus.server != ""

    @property
    def in_words(self) -> str:
        """For the user."""
        if self.milvus is None:
            return "on this machine"
        return f"in Milvus ({self.milvus.server or self.milvus.url})"


class KeptVectors(Protocol):
    """The vectors of one model; for one thread.

    A key is `text_key` of what was embedded. `project` is the name of the root's folder. Every
    method raises `EmbeddingFailed`, and `take_in` also `StoreUnavailable`; a search goes on by
    words alone then. After a failure with a `retry_after`, `take_in` is to be called again.
    """

    def take_in(self, project: str, keys: Collection[bytes]) -> Slices[set[bytes]]:
        """Make the vectors of chunks ready for searches; gives the keys that have none."""

    def forget(self, key: bytes) -> None:
        """No chunk has this key any more."""

    def nearest(
        self, project: str, question: Vectors, count: int
    ) -> Slices[list[tuple[bytes, float]]]:
        """At least the `count` nearest, best first, with their cosines.

        There may be more, and keys that this workspace has no chunk of.
        """

    def cosines(
        self, project: str, question: Vectors, keys: Sequence[bytes]
    ) -> Slices[list[float | None]]:
        """The cosine for each of `keys`, None for one that has no vector."""


class VectorsHere:
    """The vectors of one model in memory, as far as chunks have them, over the file."""

    def __init__(self, place: VectorPlace) -> None:
        self._store = VectorStore(place.file, place.max_bytes, place.model_id)
        self._index: VectorIndex | None = None  # until the first vector is there

    def __len__(self) -> int:
        return 0 if self._index is None else len(self._index)

    def take_in(self, project: str, keys: Collection[bytes]) -> Slices[set[bytes]]:  # noqa: ARG002 - one memory for all
        """Load those that are in the file."""
        index = self._index
        lacking = {key for key in keys if index is None or key not in index}
        kept = self._store.get(lacking)
        if kept:
            if self._index is None:
                self._index = VectorIndex(len(next(iter(kept.values()))))
            self._index.add(kept)
        while self._index is not None and self._index.link(_LINKED):
            yield None
        return lacking - kept.keys()

    def forget(self, key: bytes) -> None:
        """In the file it stays."""
        if self._index is not None:
            self._index.remove([key])

    def nearest(
        self,
        project: str,  # noqa: ARG002 - as above
        question: Vectors,
        count: int,
    ) -> Slices[list[tuple[bytes, float]]]:
        """Of all roots."""
        yield from ()
        index = self._comparable(question)
        return [] if index is None else index.search(question, count)

    def cosines(
        self,
        project: str,  # noqa: ARG002 - as above
        question: Vectors,
        keys: Sequence[bytes],
    ) -> Slices[list[float | None]]:
        """From memory."""
        yield from ()
        index = self._comparable(question)
        return [None] * len(keys) if index is None else index.cosines(question, keys)

    def _comparable(self, question: Vectors) -> VectorIndex | None:
        index = self._index
        return index if index is not None and question.shape == (index.dimension,) else None
