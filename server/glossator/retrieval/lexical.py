"""Ranks chunks by the words they share with a question: BM25 over files, then over their chunks.

Source of the weighting: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
Beyond" (2009), with k1 = 1.2 and b = 0.75.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import re2

from glossator.core.document import Document
from glossator.core.terms import query_terms
from glossator.retrieval.chunks import Chunk, chunks
from glossator.workspace.snapshot import WorkspaceSnapshot
from glossator.workspace.walk import FileEntry

_K1, _B = 1.2, 0.75
_DOCUMENTS = 60  # the best files, which are cut into chunks
_CHUNKS_OF_A_FILE = 3
_PATH_WEIGHT = 2  # a word in the path counts as so many in the text
_CONTEXT_WEIGHT = 3  # and one in the names of the enclosing definitions


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk and how well it fits; higher is better, comparable within one search only."""

    chunk: Chunk
    score: float


@dataclass(frozen=True, slots=True)
class Found:
    """The best chunks, the words that were looked for, and how much was searched."""

    hits: tuple[Hit, ...]
    terms: tuple[str, ...]
    files: int


@dataclass(frozen=True, slots=True)
class _Counted:
    entry: FileEntry
    counts: Counter[str]
    length: int


def search(
    snapshot: WorkspaceSnapshot,
    files: tuple[FileEntry, ...],
    question: str,
    limit: int,
    cancelled: threading.Event,
) -> Found:
    """The chunks of `files` that share the most telling words with the question."""
    terms = query_terms(question)
    if not terms:
        return Found((), (), 0)
    count = _counter(terms)
    counted: list[_Counted] = []
    searched, total_length = 0, 0
    frequency: Counter[str] = Counter()
    for entry in files:
        if cancelled.is_set():
            break
        document = snapshot.read(entry.path)
        if not isinstance(document, Document):
            continue
        searched += 1
        total_length += len(document.text)
        counts = count(document.text)
        for term, times in count(entry.relative).items():
            counts[term] += times * _PATH_WEIGHT
        if counts:
            frequency.update(counts.keys())
            counted.append(_Counted(entry, counts, len(document.text)))
    weights = {
        term: math.log(1 + (searched - frequency[term] + 0.5) / (frequency[term] + 0.5))
        for term in terms
    }
    average = total_length / max(searched, 1) or 1.0  # characters; every file may be empty
    best = sorted(
        counted,
        key=lambda item: (-_bm25(item.counts, item.length / average, weights), item.entry.path),
    )
    hits = [
        hit
        for item in best[:_DOCUMENTS]
        if not cancelled.is_set()
        for hit in _best_chunks(snapshot, item, average, weights, count)
    ]
    hits.sort(key=lambda hit: (-hit.score, hit.chunk.document.path, hit.chunk.first_line))
    return Found(tuple(hits[:limit]), terms, searched)


def _best_chunks(
    snapshot: WorkspaceSnapshot,
    item: _Counted,
    average: float,
    weights: dict[str, float],
    count: Callable[[str], Counter[str]],
) -> list[Hit]:
    document = snapshot.read(item.entry.path)  # again: memory holds the best few texts, not all
    if not isinstance(document, Document):
        return []
    of_file = _bm25(item.counts, item.length / average, weights)
    hits: list[Hit] = []
    everything = list(chunks(document))
    for chunk in everything:
        counts, named = count(chunk.text), count(chunk.name)
        for term, times in count(chunk.context).items():
            counts[term] += times * _CONTEXT_WEIGHT
        if counts:
            score = _bm25(counts, 1.0, weights) * (0.25 + _share(counts, weights))
            score *= 1 + _share(named, weights)
            hits.append(Hit(chunk, score + 0.25 * of_file))
    if not hits:  # only the path fits: the file's beginning stands for it
        return [Hit(chunk, 0.25 * of_file) for chunk in everything[:1]]
    hits.sort(key=lambda hit: -hit.score)
    return hits[:_CHUNKS_OF_A_FILE]


def _share(counts: Counter[str], weights: dict[str, float]) -> float:
    """How much of the question's weight these terms carry, 0 to 1."""
    return sum(weights[term] for term in counts) / sum(weights.values())


def _bm25(counts: Counter[str], relative_length: float, weights: dict[str, float]) -> float:
    damping = _K1 * (1 - _B + _B * relative_length)
    return sum(
        weights[term] * times * (_K1 + 1) / (times + damping) for term, times in counts.items()
    )


def _counter(terms: tuple[str, ...]) -> Callable[[str], Counter[str]]:
    """Counts the terms in a text, wherever they stand in a word and in whatever case."""
    by_fold = {term.casefold(): term for term in terms}
    longest_first = sorted(terms, key=len, reverse=True)
    regex = re2.compile(("(?i)" + "|".join(re2.escape(term) for term in longest_first)).encode())

    def count(text: str) -> Counter[str]:
        found = regex.findall(text.encode("utf-8", "surrogatepass"))
        folded = (match.decode().casefold() for match in found)  # a long s is an s, too
        return Counter(by_fold[fold] for fold in folded if fold in by_fold)

    return count
