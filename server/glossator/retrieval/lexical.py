"""Ranks chunks by the words they share with a question: BM25 over files, then over their chunks.

Two steps, `rank` and `best_chunks`: between them the caller gets the outlines of the best files.

Source of the weighting: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
Beyond" (2009), with k1 = 1.2 and b = 0.75.
"""

from __future__ import annotations

import math
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import re2

from glossator.core.document import Document, Missing
from glossator.core.file_kinds import FileKind, kind_of, weigh_by_kind
from glossator.core.terms import are_imports, defining, identifiers, query_terms
from glossator.documents import WorkspaceSnapshot
from glossator.files import FileEntry
from glossator.index import analyse
from glossator.retrieval.chunks import Chunk, chunks, joined
from glossator.search import candidates, compile_pattern, matching_lines, read_text, unsearchable
from glossator.symbols import Symbol

_K1, _B = 1.2, 0.75
_DOCUMENTS = 60  # the best files, which are cut into chunks; memory holds their texts
_CHUNKS_OF_A_FILE = 3
_DEFINE = (FileKind.TEST, FileKind.EXAMPLE)  # what is not the product, and may define a name
_PATH_WEIGHT = 2  # a word in the path counts as so many in the text
_LINE_END = re.compile(r"[\r\n]")
_IMPORTS_WEIGHT = 0.2  # of a chunk that only imports, or lists what may be imported
_CONTEXT_WEIGHT = 3  # and one in the names of the enclosing definitions


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk and how well it fits; higher is better, comparable within one search only."""

    chunk: Chunk
    score: float


@dataclass(frozen=True, slots=True)
class Found:
    """The best chunks, the words that were looked for, and how much was searched.

    `unparsed` of the best files had no outline to cut them by. `absent` are the question's words
    that no file holds.
    """

    hits: tuple[Hit, ...]
    terms: tuple[str, ...]
    files: int
    unparsed: int
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranking:
    """The documents that fit a question best, best first, and what weighs how much.

    `terms` are what was looked for, in `files` files; `absent` are words that none of these holds.
    """

    terms: tuple[str, ...]
    files: int
    weights: Mapping[str, float]  # by term
    scores: Mapping[str, float]  # by the document's path
    kinds: Mapping[str, float]  # by the document's path: how much its kind of file counts
    documents: tuple[Document, ...]
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Counted:
    entry: FileEntry
    counts: Counter[str]
    weight: float


def rank(
    cancelled: threading.Event,
    snapshot: WorkspaceSnapshot,
    files: tuple[FileEntry, ...],
    question: str,
) -> Ranking:
    """The documents among `files` that share the most telling words with the question.

    Only files that may hold one of the words are read; the length of a text is its file's size.
    """
    terms = query_terms(question)
    if not terms:
        return Ranking((), 0, {}, {}, {}, ())
    counted, sizes = _count_all(cancelled, snapshot, files, terms, _weigher(question))
    frequency = Counter(term for item in counted for term in item.counts)
    searched, total_length = len(sizes), sum(sizes)
    weights = {
        term: math.log(1 + (searched - frequency[term] + 0.5) / (frequency[term] + 0.5))
        for term in terms
    }
    average = total_length / max(searched, 1) or 1.0  # bytes; every file may be empty
    scored = (
        (_bm25(item.counts, item.entry.size / average, weights) * item.weight, item)
        for item in counted
    )
    best = sorted(scored, key=lambda scored: (-scored[0], scored[1].entry.path))[:_DOCUMENTS]
    documents: dict[str, Document] = {}
    scores: dict[str, float] = {}
    counts_as: dict[str, float] = {}
    for score, item in best:
        document = None if cancelled.is_set() else snapshot.read(item.entry.path)
        if isinstance(document, Document):  # the first of its names is the best
            documents.setdefault(document.path, document)
            scores.setdefault(document.path, score)
            counts_as.setdefault(document.path, item.weight)
    words = dict.fromkeys(re.findall(r"\w+", question))
    absent = tuple(word for word in words if any(not frequency[t] for t in query_terms(word)[:1]))
    return Ranking(terms, searched, weights, scores, counts_as, tuple(documents.values()), absent)


def best_chunks(
    cancelled: threading.Event,
    ranking: Ranking,
    outlines: Mapping[str, tuple[Symbol, ...]],
    limit: int,
) -> Found:
    """The best chunks of the documents, by their `outlines`; without its own, by plain windows."""
    count = _counter(ranking.terms)
    hits = [
        hit
        for document in ranking.documents
        if not cancelled.is_set()
        for hit in _best_of(document, outlines.get(document.path, ()), ranking, count)
    ]
    hits.sort(key=lambda hit: (-hit.score, hit.chunk.document.path, hit.chunk.first_line))
    unparsed = sum(document.path not in outlines for document in ranking.documents)
    return Found(tuple(hits[:limit]), ranking.terms, ranking.files, unparsed, ranking.absent)


def _count_all(
    cancelled: threading.Event,
    snapshot: WorkspaceSnapshot,
    files: tuple[FileEntry, ...],
    terms: tuple[str, ...],
    weigh: Callable[[str, bytes], float],
) -> tuple[list[_Counted], list[int]]:
    """The files that hold a term, in text or path, and the sizes of all that were searched."""
    words, count = _alternatives(terms), _counter(terms)
    may_match = candidates(snapshot, analyse(f"(?i){words}").query)
    telling = {entry.path for entry in (*may_match.plain, *may_match.others)}
    missing = {entry.path for entry in unsearchable(snapshot)}
    counted: list[_Counted] = []
    for entry, of_path in zip(files, _in_paths(files, count, words), strict=True):
        if cancelled.is_set():
            return [], []
        if entry.path in missing:
            continue
        counts: Counter[str] = Counter()
        content = b""
        if entry.path in telling:
            text = read_text(snapshot, entry)
            if isinstance(text, Missing):
                missing.add(entry.path)
                continue
            content = text.content
            counts = count(content)
        for term, times in of_path.items():
            counts[term] += times * _PATH_WEIGHT
        if counts:
            counted.append(_Counted(entry, counts, weigh(entry.relative, content)))
    return counted, [entry.size for entry in files if entry.path not in missing]


def _weigher(question: str) -> Callable[[str, bytes], float]:
    """How much a file at a relative path with this text counts, by its kind.

    Code that defines an identifier of the question counts in full, wherever it is.
    """
    by_kind, names = weigh_by_kind(question), identifiers(question)
    defines = re2.compile(defining(names).encode()) if names else None

    def weigh(path: str, text: bytes) -> float:
        weight = by_kind(path)
        if weight < 1 and defines and kind_of(path) in _DEFINE and defines.search(text):
            return 1.0
        return weight

    return weigh


def _best_of(
    document: Document,
    symbols: tuple[Symbol, ...],
    ranking: Ranking,
    count: Callable[[bytes], Counter[str]],
) -> list[Hit]:
    of_file, weights = ranking.scores[document.path], ranking.weights
    of_kind = ranking.kinds[document.path]
    hits: list[Hit] = []
    everything = list(chunks(document, symbols))
    for chunk in everything:
        counts, named = count(_encoded(chunk.text)), count(_encoded(chunk.name))
        for term, times in count(_encoded(chunk.context)).items():
            counts[term] += times * _CONTEXT_WEIGHT
        if counts:
            score = _bm25(counts, 1.0, weights) * (0.25 + _share(counts, weights))
            score *= of_kind * (1 + _share(named, weights))
            says_less = _IMPORTS_WEIGHT if _only_names(chunk) else 1.0
            hits.append(Hit(chunk, (score + 0.25 * of_file) * says_less))
    if not hits:  # only the path fits: the file's beginning stands for it
        return [Hit(chunk, 0.25 * of_file) for chunk in everything[:1]]
    hits.sort(key=lambda hit: -hit.score)
    return _joined(hits[:_CHUNKS_OF_A_FILE])


def _only_names(chunk: Chunk) -> bool:
    return chunk.name == "__all__" or (not chunk.within and are_imports(chunk.lines))


def _joined(hits: Iterable[Hit]) -> list[Hit]:
    """The hits of a document with those as one that stand together in one function."""
    found: list[Hit] = []
    for hit in sorted(hits, key=lambda hit: hit.chunk.first_line):
        both = joined(found[-1].chunk, hit.chunk) if found else None
        if both is None:
            found.append(hit)
        else:
            found[-1] = Hit(both, max(found[-1].score, hit.score))
    return found


def _share(counts: Counter[str], weights: Mapping[str, float]) -> float:
    """How much of the question's weight these terms carry, 0 to 1."""
    return sum(weights[term] for term in counts) / sum(weights.values())


def _bm25(counts: Counter[str], relative_length: float, weights: Mapping[str, float]) -> float:
    damping = _K1 * (1 - _B + _B * relative_length)
    return sum(
        weights[term] * times * (_K1 + 1) / (times + damping) for term, times in counts.items()
    )


def _in_paths(
    files: tuple[FileEntry, ...], count: Callable[[bytes], Counter[str]], words: str
) -> list[Counter[str]]:
    """What `count` finds in each file's path; one pass finds the few that hold any word."""
    paths = [_encoded(_LINE_END.sub(" ", entry.relative)) for entry in files]
    found = [Counter[str]()] * len(files)
    if files:
        for line in matching_lines(b"\n".join(paths), compile_pattern(f"(?i){words}")):
            found[line - 1] = count(paths[line - 1])
    return found


def _alternatives(terms: tuple[str, ...]) -> str:
    return "|".join(re2.escape(term) for term in sorted(terms, key=len, reverse=True))


def _counter(terms: tuple[str, ...]) -> Callable[[bytes], Counter[str]]:
    """Counts the terms in a text, wherever they stand in a word and in whatever case."""
    by_fold = {term.casefold(): term for term in terms}
    regex = re2.compile(f"(?i){_alternatives(terms)}".encode())

    def count(text: bytes) -> Counter[str]:
        found = Counter(regex.findall(text))
        counts: Counter[str] = Counter()
        for match, times in found.items():
            term = by_fold.get(match.decode().casefold())  # a long s is an s, too
            if term is not None:
                counts[term] += times
        return counts

    return count


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
