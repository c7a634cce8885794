"""The retriever that Glossator searches with, as the evaluation runs it: in memory."""

from __future__ import annotations

from collections.abc import Sequence

from glossator import retrieval
from glossator.core.text import split_lines
from glossator.evaluation.labelled import SourceText
from glossator.evaluation.retriever import Result, Stages
from glossator.retrieval import ChunkIndex, IndexedFile, chunks_of, described, question_of, rank
from glossator.symbols import Outlines, editor_text

_UNREAD = IndexedFile(b"", bytes(8))


class ChunkSearch:
    """Search over documents: words alone, or with the reranker."""

    available = Stages.named(["lexical", "rerank"])

    def __init__(self) -> None:
        self._index = ChunkIndex("")
        self._lines: dict[str, list[str]] = {}

    def index(self, documents: Sequence[SourceText]) -> int:
        """Cut the documents, or take the given chunks; gives their number."""
        count = 0
        outlines = Outlines(None)
        with self._index.writing() as writer:
            for document in documents:
                lines = self._lines[document.path] = split_lines(document.text)
                text = editor_text(document.path, document.text)
                if document.chunks is None:
                    chunks = chunks_of(text, lines, outlines)
                else:
                    symbols = outlines.of(text)
                    chunks = tuple(
                        described(first, last, symbols) for first, last in document.chunks
                    )
                writer.put(document.path, _UNREAD, lines, chunks)
                count += len(chunks)
            writer.commit()
        return count

    def search(self, question: str, limit: int, stages: Stages) -> Sequence[Result]:
        """As the tool Search does it."""
        asked = question_of(question)
        chosen = retrieval.Stages(stages.lexical, stages.vectors, stages.rerank)
        return [
            Result(
                found.candidate.path,
                chunk.first_line,
                chunk.last_line,
                "\n".join(
                    self._lines[found.candidate.path][chunk.first_line - 1 : chunk.last_line]
                ),
                {name: place.score for name, place in found.places.items()},
            )
            for found in rank(asked, self._index.search(asked), limit, chosen)
            for chunk, lines in ((found.candidate.chunk, self._lines[found.candidate.path]),)
        ]

    def spent(self) -> float:
        """Nothing: no model is asked."""
        return 0.0

    def close(self) -> None:
        """Nothing is held but memory."""
