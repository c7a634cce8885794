"""The vectors of indexed chunks: having them ready, and what they add to a search.

They are kept by content (see `vector_store.py`), and found by the key of their chunk.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from glossator.core.errors import EmbeddingFailed
from glossator.core.text import split_lines
from glossator.retrieval.chunks.candidate import Candidate, chunk_key, chunk_text, digest_of
from glossator.retrieval.chunks.chunk_index import ChunkIndex, Matches
from glossator.retrieval.chunks.requests import LOADING, VectorsRequest
from glossator.retrieval.embeddings.embedder import Vectors, text_key
from glossator.retrieval.embeddings.vector_index import VectorsHere
from glossator.retrieval.embeddings.vector_store import KeptVectors, VectorPlace
from glossator.symbols import read
from glossator.worker import Slices

_T = TypeVar("_T")
_SLICE_SECONDS = 0.03
_MAX_NEAREST = 100  # chunks that the vectors add to the candidates
_FLOOR = 0.15  # the least cosine of these; of 248 labelled questions it changes no figure

LOADED: dict[VectorPlace, KeptVectors] = {}  # of this process


def loaded_here() -> list[KeptVectors]:
    """Those that are in memory; what is in a Milvus is never forgotten."""
    return [kept for place, kept in LOADED.items() if place.milvus is None]


def opened_vectors(place: VectorPlace) -> KeptVectors:
    """The vectors that are kept in a place. Raises `StoreUnavailable`."""
    if place.milvus is None:
        return VectorsHere(place)
    from glossator.retrieval.embeddings.milvus import MilvusVectors  # noqa: PLC0415 - rarely needed

    return MilvusVectors(place, place.milvus)


def load(
    index: ChunkIndex, asked: VectorsRequest, context_of: Callable[[bytes], str]
) -> Slices[tuple[str, ...]]:
    """Have the vectors of the chunks of some files ready; gives the texts without a vector.

    `context_of` gives what a model wrote about the chunk with a `chunk_key`. Raises
    `EmbeddingFailed` and `StoreUnavailable`.
    """
    if asked.place not in LOADED:
        LOADED[asked.place] = opened_vectors(asked.place)
    chunks: dict[bytes, tuple[str, Candidate]] = {}
    pause_at = monotonic() + _SLICE_SECONDS
    for path in asked.paths:
        chunks |= {at.key: (path, at) for at in index.of_file(path)}
        if monotonic() >= pause_at:
            yield None
            pause_at = monotonic() + _SLICE_SECONDS
    lacking = yield from LOADED[asked.place].take_in(_project(asked.root), chunks.keys())
    of_file: dict[str, list[Candidate]] = {}
    for key in (key for key in chunks if key in lacking):
        path, at = chunks[key]
        of_file.setdefault(path, []).append(at)
    missing: list[str] = []
    for path, some in of_file.items():
        missing += _texts(asked, path, some, context_of)
        if monotonic() >= pause_at:
            yield None
            pause_at = monotonic() + _SLICE_SECONDS
    return tuple(missing)


class NearQuestion:
    """What the vectors say in one search; `problem` says why they say nothing, or "".

    `lost`: whether loading them again may help.
    """

    def __init__(self, kept: KeptVectors | None, question: Vectors) -> None:
        """`kept` are the vectors, None while they are loaded."""
        self._kept, self._question = kept, question
        self.problem = LOADING if kept is None else ""
        self.lost = False

    def add_nearest(
        self,
        index: ChunkIndex,
        matches: Matches,
        only: frozenset[str] | None,
        without: frozenset[str],
    ) -> Slices[None]:
        """Add the chunks nearest to the question to the candidates."""
        near = yield from self._unless_gone(
            lambda kept: kept.nearest(_project(index.root), self._question, _MAX_NEAREST)
        )
        there = {candidate.key for candidate in matches.candidates}
        new = [key for key, cosine in near or () if cosine >= _FLOOR and key not in there]
        found = index.by_key(new, only, without)
        in_order = [key for key in new if key in {each.key for each in found}]
        chosen = set(in_order[:_MAX_NEAREST])  # a Milvus names more, of other versions
        matches.candidates += [each for each in found if each.key in chosen]

    def similarity(self, candidates: Sequence[Candidate]) -> Slices[NDArray[np.float64] | None]:
        """The cosine of each candidate; one without a vector is as near as the middle one."""
        cosines = np.full(len(candidates), np.nan)
        for root in {candidate.root for candidate in candidates}:
            places = [at for at, candidate in enumerate(candidates) if candidate.root == root]
            keys = [candidates[at].key for at in places]
            ask = partial(self._cosines, _project(root), keys)
            found = yield from self._unless_gone(ask)
            for at, cosine in zip(places, found or (), strict=False):
                cosines[at] = np.nan if cosine is None else cosine
        if self.problem or np.isnan(cosines).all():
            return None
        return np.where(np.isnan(cosines), np.nanmedian(cosines), cosines)

    def _cosines(
        self, project: str, keys: Sequence[bytes], kept: KeptVectors
    ) -> Slices[list[float | None]]:
        return kept.cosines(project, self._question, keys)

    def _unless_gone(self, ask: Callable[[KeptVectors], Slices[_T]]) -> Slices[_T | None]:
        """None after the first failure: a search waits for no more than one."""
        if self.problem or self._kept is None:
            return None
        try:
            return (yield from ask(self._kept))
        except EmbeddingFailed as failure:
            self.problem = f"Search goes by words alone: {failure}"
            self.lost = failure.retry_after is not None
            return None


def _project(root: str) -> str:
    """What the workspaces of a team have in common: the name of the folder."""
    return os.path.basename(root)


def _texts(
    asked: VectorsRequest,
    path: str,
    lacking: Sequence[Candidate],
    context_of: Callable[[bytes], str],
) -> list[str]:
    """What is to be embedded.

    A file that changed since it was indexed, and a chunk that got another context, are left out:
    they are indexed again first.
    """
    text = read(asked.library, os.path.join(asked.root, path))
    if text is None or digest_of(text.sha256) != lacking[0].digest:
        return []
    lines = split_lines(text.text)
    texts = []
    for at in lacking:
        inside = "\n".join(lines[at.chunk.first_line - 1 : at.chunk.last_line])
        context = context_of(chunk_key(path, at.chunk, inside))
        embedded = chunk_text(path, at.chunk, inside, context)
        if text_key(embedded) == at.key:
            texts.append(embedded)
    return texts
