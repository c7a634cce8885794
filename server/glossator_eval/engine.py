"""The retriever that Glossator searches with, as the evaluation runs it: the index in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from numpy import float64
from numpy.typing import NDArray

from glossator import retrieval
from glossator.core.text import split_lines
from glossator.retrieval import (
    ChunkIndex,
    Embedder,
    IndexedFile,
    KeptVectors,
    Matches,
    NearQuestion,
    QuestionWords,
    VectorPlace,
    VectorStore,
    choose,
    chunk_text,
    chunks_of,
    described,
    opened,
    opened_vectors,
    question_of,
    rank,
    text_key,
)
from glossator.settings import Settings
from glossator.symbols import Outlines, editor_text
from glossator.worker import finished
from glossator_eval.labelled import SourceText
from glossator_eval.retriever import Result, Stages

_UNREAD = IndexedFile(b"", bytes(8))
_VECTOR_BYTES = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Embeddings:
    """What embeds, and where the vectors are kept."""

    embedder: Embedder
    place: VectorPlace


def embeddings(settings: Settings, environment: Mapping[str, str]) -> Embeddings | None:
    """What the settings name, if anything embeds; vectors are kept for the next evaluation.

    Raises `EmbeddingFailed` and `OSError`.
    """
    choice = choose(settings, environment)
    if choice is None:
        return None
    folder = Path(platformdirs.user_cache_dir("glossator"))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = str(folder / "evaluation-vectors.db")
    return Embeddings(opened(choice), VectorPlace(choice.model_id, file, _VECTOR_BYTES))


class ChunkSearch:
    """Search over documents: words, vectors if there is an embedder, and the reranker."""

    def __init__(
        self,
        embeddings: Embeddings | None = None,
        told: Callable[[str, int, int], None] = lambda *_: None,
    ) -> None:
        """`told` hears how many chunks of all are embedded."""
        self._told = told
        vectors = ("vectors", "fusion") if embeddings else ()
        self.available = Stages.named(["lexical", *vectors, "rerank"])
        self._index = ChunkIndex("")
        self._lines: dict[str, list[str]] = {}
        self._embeddings = embeddings
        self._vectors: KeptVectors | None = None

    def index(self, documents: Sequence[SourceText]) -> int:
        """Cut the documents, or take the given chunks; gives their number."""
        count = 0
        outlines = Outlines(None)
        texts: dict[bytes, str] = {}
        with self._index.writing() as writer:
            for document in documents:
                lines = self._lines[document.path] = split_lines(document.text)
                text = editor_text(document.path, document.text)
                if document.chunks is None:
                    chunks = chunks_of(text, lines, outlines)
                else:
                    symbols = outlines.of(text)
                    chunks = tuple(described(*place, symbols) for place in document.chunks)
                writer.put(document.path, _UNREAD, lines, chunks)
                count += len(chunks)
                for chunk in chunks:
                    inside = "\n".join(lines[chunk.first_line - 1 : chunk.last_line])
                    embedded = chunk_text(document.path, chunk, inside)
                    texts[text_key(embedded)] = embedded
            writer.commit()
        if self._embeddings is not None:
            self._vectors = _vectors(self._embeddings, texts, self._told)
        return count

    def search(self, question: str, limit: int, stages: Stages) -> Sequence[Result]:
        """As the tool Search does it."""
        asked, matches, similarity = self.matches(
            question, lexical=stages.lexical, vectors=stages.vectors
        )
        chosen = retrieval.Stages(stages.lexical, stages.vectors, stages.rerank)
        if stages.lexical and not stages.fusion:
            similarity = None
        return [
            Result(path, chunk.first_line, chunk.last_line, self._text(path, chunk), scores)
            for found in rank(asked, matches, limit, chosen, similarity)
            for path, chunk in ((found.candidate.path, found.candidate.chunk),)
            for scores in ({name: place.score for name, place in found.places.items()},)
        ]

    def matches(
        self, question: str, *, lexical: bool = True, vectors: bool = True
    ) -> tuple[QuestionWords, Matches, NDArray[float64] | None]:
        """The candidates for a question, and the cosine of each if there are vectors."""
        asked = question_of(question)
        matches = self._index.search(asked)
        if not lexical:
            matches.candidates = []
        if self._embeddings is None or self._vectors is None or not vectors:
            return asked, matches, None
        near = NearQuestion(self._vectors, self._embeddings.embedder.embed_query(question))
        finished(near.add_nearest(self._index, matches, None, frozenset()))
        return asked, matches, finished(near.similarity(matches.candidates))

    def spent(self) -> float:
        """Nothing: no model is asked."""
        return 0.0

    def close(self) -> None:
        """Nothing is held but memory."""

    def _text(self, path: str, chunk: retrieval.Chunk) -> str:
        return "\n".join(self._lines[path][chunk.first_line - 1 : chunk.last_line])


def _vectors(
    embeddings: Embeddings, texts: dict[bytes, str], told: Callable[[str, int, int], None]
) -> KeptVectors:
    """The vectors of all texts; those that are not kept are made."""
    place = embeddings.place
    store = VectorStore(place.file, place.max_bytes, place.model_id)
    known = store.known(texts)
    missing = [text for key, text in texts.items() if key not in known]
    done = 0
    for batch in _batches(missing, embeddings.embedder.batch.texts):
        told("embedding", done, len(missing))
        done += len(batch)
        vectors = embeddings.embedder.embed_documents(batch)
        store.put(dict(zip(map(text_key, batch), vectors, strict=True)))
    store.close()
    kept = opened_vectors(place)
    finished(kept.take_in("", texts.keys()))
    return kept


def _batches(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (texts[at : at + size] for at in range(0, len(texts), size))
