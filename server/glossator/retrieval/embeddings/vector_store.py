"""The vectors of a model: where they are kept, what is asked of them, and the file that has them.

For a team they are in a Milvus instead (see `milvus.py`). A key is `text_key` of the embedded text,
so that no vector is ever out of date and nothing is embedded twice, by nobody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from glossator.core.errors import EmbeddingFailed
from glossator.retrieval.embeddings.embedder import Access, PackedVectors, Vectors, packed
from glossator.store import Blobs
from glossator.worker import Slices

if TYPE_CHECKING:
    pass
if TYPE_CHECKING:
    pass


_DIMENSION = b"dimension"  # the key of how many numbers a vector of this model has
_LOST = "code is not searched by meaning"


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
        """The place in words, for the user."""
        if self.milvus is None:
            return "on this machine"
        return f"in Milvus ({self.milvus.server or self.milvus.url})"


class VectorStore:
    """The vectors of one model in a file; belongs to one thread.

    Every method raises `StoreUnavailable`. When the file is full, what was used least recently
    goes, and has to be embedded again.
    """

    def __init__(self, path: str, max_bytes: int, model_id: str) -> None:
        self._path = path
        self._model_id = model_id
        self._blobs = Blobs(path, max_bytes, _LOST)

    def known(self, keys: Iterable[bytes]) -> set[bytes]:
        """Those of `keys` that have a vector; it counts as used today."""
        return self._blobs.known(self._model_id, keys)

    def get(self, keys: Iterable[bytes]) -> dict[bytes, PackedVectors]:
        """The vectors there are for `keys`."""
        found = self._blobs.get(self._model_id, keys)
        return {key: np.frombuffer(value, np.int8) for key, value in found.items()}

    def put(self, vectors: Mapping[bytes, Vectors]) -> None:
        """Keep `vectors`, all or none.

        Raises `EmbeddingFailed` when they have another dimension than those that are kept.
        """
        if not vectors:
            return
        rows = packed(np.stack(list(vectors.values())))
        self._check(rows.shape[1])
        values = {key: row.tobytes() for key, row in zip(vectors, rows, strict=True)}
        self._blobs.put(self._model_id, {_DIMENSION: b"%d" % rows.shape[1], **values})

    def dimension(self) -> int | None:
        """How many numbers a vector of this model has; None before the first is kept."""
        kept = self._blobs.get(self._model_id, [_DIMENSION]).get(_DIMENSION)
        return None if kept is None else int(kept)

    def close(self) -> None:
        """Give the file back; safe to call again."""
        self._blobs.close()

    def _check(self, dimension: int) -> None:
        kept = self.dimension()
        if kept is not None and kept != dimension:
            raise EmbeddingFailed(
                f"{self._model_id} now makes vectors of {dimension} numbers, and made some of"
                f" {kept}, so another model has its name. Name the former one in"
                f" retrieval.embeddingModel, or delete {self._path} to embed everything again."
            )


class KeptVectors(Protocol):
    """The vectors of one model; for one thread.

    A key is `text_key` of what was embedded. `project` is the name of the root's folder. Every
    method raises `EmbeddingFailed`, and `take_in` also `StoreUnavailable`; a search goes on by
    words alone then. After a failure with a `retry_after`, `take_in` is to be called again.
    """

    def take_in(self, project: str, keys: Collection[bytes]) -> Slices[set[bytes]]:
        """Make the vectors of chunks ready for searches; gives the keys that have none."""

    def forget(self, key: bytes) -> None:
        """Note that no chunk has this key any more."""

    def nearest(
        self, project: str, question: Vectors, count: int
    ) -> Slices[list[tuple[bytes, float]]]:
        """The `count` nearest vectors or more, best first, with their cosines.

        There may be more, and keys that this workspace has no chunk of.
        """

    def cosines(
        self, project: str, question: Vectors, keys: Sequence[bytes]
    ) -> Slices[list[float | None]]:
        """The cosine for each of `keys`, None for one that has no vector."""
