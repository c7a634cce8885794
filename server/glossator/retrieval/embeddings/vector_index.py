"""The vectors of a workspace's chunks in memory, where they are searched.

A search is exact, or above some 200,000 vectors by a graph (HNSW). Source: Malkov and Yashunin,
"Efficient and robust approximate nearest neighbor search using HNSW", 2016, as usearch has it.
numkong compares bytes in the processor's vector registers; usearch is imported for a graph only,
because a process that loads onnxruntime after it crashes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from glossator.core.errors import EmbeddingFailed
from glossator.retrieval.embeddings.embedder import PackedVectors, Vectors, packed
from glossator.retrieval.embeddings.vector_store import VectorPlace, VectorStore
from glossator.worker import Slices

if TYPE_CHECKING:
    from usearch.index import Index


APPROXIMATE_ABOVE = 200_000  # rows; an exact search takes about 0.1 ms for a thousand
_ROWS_AT_ONCE = 50  # rows that are added to the graph at a time, 30 ms
_FIRST_ROWS = 1_024
_GROWTH = 1.5
_EXPANSION = 256  # candidates of a search in the graph; more find more, and take longer


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
        while self._index is not None and self._index.link(_ROWS_AT_ONCE):
            yield None
        return lacking - kept.keys()

    def forget(self, key: bytes) -> None:
        """Remove a vector from memory; the file keeps it."""
        if self._index is not None:
            self._index.remove([key])

    def nearest(
        self,
        project: str,  # noqa: ARG002 - as above
        question: Vectors,
        count: int,
    ) -> Slices[list[tuple[bytes, float]]]:
        """The nearest vectors; all roots are searched together."""
        yield from ()
        index = self._comparable(question)
        return [] if index is None else index.search(question, count)

    def cosines(
        self,
        project: str,  # noqa: ARG002 - as above
        question: Vectors,
        keys: Sequence[bytes],
    ) -> Slices[list[float | None]]:
        """The cosines, computed in memory."""
        yield from ()
        index = self._comparable(question)
        return [None] * len(keys) if index is None else index.cosines(question, keys)

    def _comparable(self, question: Vectors) -> VectorIndex | None:
        index = self._index
        return index if index is not None and question.shape == (index.dimension,) else None


class VectorIndex:
    """Vectors in memory by their keys: `dimension` bytes each, and some 150 for the key.

    Rows of a matrix of bytes grow at its end; a removed row is filled by the last one, so that
    there are no holes. The first `_linked` rows are in the graph; those after them are always
    searched exactly, so that a search misses nothing while the graph grows.
    """

    def __init__(self, dimension: int, approximate_above: int = APPROXIMATE_ABOVE) -> None:
        self._approximate_above = approximate_above
        self._matrix = np.zeros((_FIRST_ROWS, dimension), np.int8)
        self._keys: list[bytes] = []
        self._places: dict[bytes, int] = {}
        self._graph: Index | None = None
        self._linked = 0

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: bytes) -> bool:
        return key in self._places

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return int(self._matrix.shape[1])

    def add(self, vectors: Mapping[bytes, PackedVectors]) -> None:
        """Add those whose keys are new; a key stands for its content, so others are there.

        Raises `EmbeddingFailed` for a vector of another dimension, and then adds none.
        """
        fresh = {key: row for key, row in vectors.items() if key not in self._places}
        for row in fresh.values():
            if row.shape != (self.dimension,):
                raise EmbeddingFailed(
                    f"A vector has {row.size} numbers instead of {self.dimension}. Delete the file"
                    " of vectors, so that they are made again."
                )
        self._reserve(len(self) + len(fresh))
        for key, row in fresh.items():
            self._places[key] = len(self._keys)
            self._matrix[len(self._keys)] = row
            self._keys.append(key)

    def remove(self, keys: Iterable[bytes]) -> None:
        """Remove those of `keys` that are there."""
        for key in keys:
            place = self._places.pop(key, None)
            if place is not None:
                self._vacate(place)

    def search(self, question: Vectors, count: int) -> list[tuple[bytes, float]]:
        """The `count` nearest, best first, with their cosines."""
        query = packed(question)
        found = self._in_graph(query, count) + self._exactly(query, count)
        found.sort(key=lambda each: -each[1])
        return [(self._keys[place], cosine) for place, cosine in found[:count]]

    def cosines(self, question: Vectors, keys: Sequence[bytes]) -> list[float | None]:
        """The cosine for each of `keys`, None for one that has no vector."""
        places = [self._places[key] for key in keys if key in self._places]
        rows = self._matrix[places].astype(np.float32)
        query = packed(question).astype(np.float32)
        lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(query)
        values = np.divide(
            rows @ query, lengths, out=np.zeros(len(rows), np.float32), where=lengths > 0
        )
        cosines = iter(values.tolist())
        return [next(cosines) if key in self._places else None for key in keys]

    def link(self, rows: int) -> bool:
        """Add up to `rows` rows to the graph (under 1 ms each); returns whether there are more.

        Does nothing while an exact search is fast enough.
        """
        if self._graph is None:
            if len(self) <= self._approximate_above:
                return False
            # Not before: loading onnxruntime after usearch crashes the process.
            from usearch.compiled import MetricKind, ScalarKind  # noqa: PLC0415 - see above
            from usearch.index import Index  # noqa: PLC0415

            self._graph = Index(
                ndim=self.dimension,
                metric=MetricKind.Cos,
                dtype=ScalarKind.I8,
                expansion_search=_EXPANSION,
            )
        end = min(self._linked + rows, len(self))
        if end > self._linked:
            places = np.arange(self._linked, end, dtype=np.uint64)
            self._graph.add(places, self._matrix[self._linked : end], threads=1)
            self._linked = end
        return end < len(self)

    def _reserve(self, rows: int) -> None:
        if rows > len(self._matrix):
            larger = np.zeros(
                (max(rows, int(len(self._matrix) * _GROWTH)), self.dimension), np.int8
            )
            larger[: len(self)] = self._matrix[: len(self)]
            self._matrix = larger

    def _vacate(self, place: int) -> None:
        """Move the last row to `place`."""
        last = len(self._keys) - 1
        if self._graph is not None:
            for linked in {place, last}:
                if linked < self._linked:
                    self._graph.remove(linked)
        moved = self._keys.pop()
        if place != last:
            self._keys[place] = moved
            self._places[moved] = place
            self._matrix[place] = self._matrix[last]
            if self._graph is not None and place < self._linked:
                self._graph.add(place, self._matrix[place], threads=1)
        self._linked = min(self._linked, last)

    def _exactly(self, query: PackedVectors, count: int) -> list[tuple[int, float]]:
        rows = self._matrix[self._linked : len(self)]
        if not len(rows):
            return []
        import numkong  # noqa: PLC0415 - of the extra

        distances = np.asarray(numkong.cdist(query[None], rows, "angular"))[0]
        count = min(count, len(rows))
        nearest = np.argpartition(distances, count - 1)[:count]
        nearest = nearest[np.argsort(distances[nearest], kind="stable")]
        places = (nearest + self._linked).tolist()
        return list(zip(places, (1 - distances[nearest]).tolist(), strict=True))

    def _in_graph(self, query: PackedVectors, count: int) -> list[tuple[int, float]]:
        if self._graph is None or not self._linked:
            return []
        matches = self._graph.search(query, min(count, self._linked), threads=1)
        return list(zip(matches.keys.tolist(), (1 - matches.distances).tolist(), strict=True))
