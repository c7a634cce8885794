"""The vectors of indexed chunks, in the worker's memory; they are kept on disk by content."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from glossator.core.text import split_lines
from glossator.embeddings import PackedVectors, VectorIndex, Vectors, VectorStore
from glossator.retrieval.candidate import Candidate, chunk_text, digest_of
from glossator.retrieval.chunk_index import ChunkIndex, Matches
from glossator.retrieval.requests import VectorsRequest
from glossator.symbols import read
from glossator.worker import Slices

_SLICE_SECONDS = 0.03
_NEAREST = 100  # chunks that the vectors add to the candidates
_FLOOR = 0.15  # the least cosine of these; of 248 labelled questions it changes no figure
_LINKED = 100  # rows that are added to the graph at a time, 20 ms


@dataclass(slots=True)
class ChunkVectors:
    """The vectors of one model, for the chunks of all roots."""

    store: VectorStore
    index: VectorIndex | None = None  # until the first vector is there

    def load(self, index: ChunkIndex, asked: VectorsRequest) -> Slices[tuple[str, ...]]:
        """Take in what is kept of the chunks of some files; gives the texts without a vector."""
        missing: list[str] = []
        pause_at = monotonic() + _SLICE_SECONDS
        for path in asked.paths:
            chunks = {at.key: at for at in index.of_file(path) if not self._has(at.key)}
            kept = self.store.get(chunks)
            self.add(kept)
            if lacking := [at for key, at in chunks.items() if key not in kept]:
                missing += _texts(asked, path, lacking)
            if monotonic() >= pause_at:
                yield None
                pause_at = monotonic() + _SLICE_SECONDS
        while self.index is not None and self.index.link(_LINKED):
            yield None
        return tuple(missing)

    def add(self, vectors: Mapping[bytes, PackedVectors]) -> None:
        """Take in vectors by the keys of their chunks."""
        if vectors and self.index is None:
            self.index = VectorIndex(len(next(iter(vectors.values()))))
        if self.index is not None:
            self.index.add(vectors)

    def add_nearest(
        self,
        index: ChunkIndex,
        question: Vectors,
        matches: Matches,
        only: frozenset[str] | None,
        without: frozenset[str],
    ) -> None:
        """Add the chunks nearest to the question to the candidates."""
        if self.index is None or question.shape != (self.index.dimension,):
            return
        there = {candidate.key for candidate in matches.candidates}
        near = [
            key
            for key, cosine in self.index.search(question, _NEAREST)
            if cosine >= _FLOOR and key not in there
        ]
        matches.candidates += index.by_key(near, only, without)

    def similarity(
        self, question: Vectors, candidates: Sequence[Candidate]
    ) -> NDArray[np.float64] | None:
        """The cosine of each candidate; one without a vector is as near as the middle one."""
        if self.index is None or not candidates or question.shape != (self.index.dimension,):
            return None
        found = self.index.cosines(question, [candidate.key for candidate in candidates])
        cosines = np.array([np.nan if cosine is None else cosine for cosine in found])
        if np.isnan(cosines).all():
            return None
        return np.where(np.isnan(cosines), np.nanmedian(cosines), cosines)

    def _has(self, key: bytes) -> bool:
        return self.index is not None and key in self.index


def _texts(asked: VectorsRequest, path: str, lacking: Sequence[Candidate]) -> list[str]:
    """What is to be embedded, unless the file changed meanwhile: then it is indexed again first."""
    text = read(asked.library, os.path.join(asked.root, path))
    if text is None or digest_of(text.sha256) != lacking[0].digest:
        return []
    lines = split_lines(text.text)
    return [
        chunk_text(path, at.chunk, "\n".join(lines[at.chunk.first_line - 1 : at.chunk.last_line]))
        for at in lacking
    ]
