"""Vectors on disk, by the text they were made of: nothing is embedded twice, by nobody.

A key is `text_key` of the embedded text, the namespace the id of the model, so that no vector is
ever out of date. A vector is kept as one signed byte for each number, the largest of them 127: its
length is lost, which the cosine does not need.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from glossator.core.errors import EmbeddingFailed
from glossator.retrieval.embeddings.embedder import Vectors
from glossator.store import Blobs

PackedVectors: TypeAlias = NDArray[np.int8]  # one or more rows

_DIMENSION = b"dimension"  # the key of how many numbers a vector of this model has
_LARGEST = 127
_LOST = "code is not searched by meaning"


def packed(vectors: Vectors) -> PackedVectors:
    """Each row in bytes, scaled so that its largest number is 127."""
    largest = np.abs(vectors).max(axis=-1, keepdims=True)
    scaled = np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest > 0)
    rows: PackedVectors = np.rint(scaled * _LARGEST).astype(np.int8)
    return rows


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
