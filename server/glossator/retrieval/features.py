"""What the ranking knows of a candidate: figures from its terms, names, path and kind of file.

Each row is a candidate, each column one of `FEATURES`. Shares are of the question's weight, in
which a term counts by its inverse document frequency. The weighting of terms is BM25's.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
with k1 = 1.2 and b = 0.75.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from glossator.core.file_kinds import FileKind, asked_kinds, kind_of
from glossator.core.terms import STOP_WORDS
from glossator.retrieval.candidate import Candidate
from glossator.retrieval.chunk_index import Matches
from glossator.retrieval.words import QuestionWords, hash_of, terms_of, words_of

FEATURES = (
    "lexical",  # BM25 over lines and structural context, of the best one's
    "coverage",  # the share of the question that the lines hold
    "length",
    "file",  # BM25 of the whole file, of the best file's
    "defines",  # the share of the question in the names that are defined
    "defines_precision",  # ... weighed by how much of such a name the question holds
    "within",  # as `defines`, of the enclosing definitions
    "within_precision",
    "named_defined",  # an identifier of the question is defined here
    "named_type",  # ... as a type
    "named_first",  # ... as the first thing
    "named_alone",  # ... with at most two others
    "symbol",  # it is what the question consists of, and defined here
    "named_within",  # one encloses it
    "named_test",  # tests, when an identifier is named
    "stem",  # the share of the question in the file's name
    "stem_precision",
    "stem_prefix",  # the share of the name that begins as a word of the question
    "folder_precision",  # of the innermost folder
    "folder_prefix",
    "path",  # the share of the question in the path
    "path_words",  # the share of words that the file's or folder's name begins as
    "test",
    "example",
    "changelog",
    "prose",
    "data",
    "begins",  # the file's first lines
    "plain",  # no definition, in none
)
_COLUMN = {name: at for at, name in enumerate(FEATURES)}
_K1, _B = 1.2, 0.75
_PREFIX = 4  # letters that must be equal
_PATH_TIMES = 2
_TYPES = frozenset({"class", "struct", "interface", "trait", "enum", "type", "module", "namespace"})
_KINDS = {
    FileKind.TEST: "test",
    FileKind.EXAMPLE: "example",
    FileKind.CHANGELOG: "changelog",
    FileKind.PROSE: "prose",
    FileKind.DATA: "data",
    FileKind.GENERATED: "data",
}
_FOLDER_NAMES_IT = ("__init__", "index", "mod")
_ODD = re.compile(r"[\W_]")


@dataclass(frozen=True, slots=True)
class _Path:
    """The terms of a path."""

    all: tuple[str, ...]
    stem: frozenset[str]
    folder: frozenset[str]  # the innermost
    kind: FileKind


@lru_cache(maxsize=50_000)
def _path(path: str) -> _Path:
    folder, _, name = path.rpartition("/")
    stem = name.lstrip(".").partition(".")[0] or name
    innermost = folder.rpartition("/")[2]
    if stem in _FOLDER_NAMES_IT:
        stem = innermost
    return _Path(
        tuple(_terms(path)),
        frozenset(_name(stem)[0]),
        frozenset(_terms(innermost)),
        kind_of(path),
    )


@lru_cache(maxsize=100_000)
def _name(name: str) -> tuple[tuple[str, ...], str]:
    """The stems of a name's parts, and the name as letters and digits alone."""
    lower = name.strip("_").lower()
    parts = [term for term in _terms(name) if term != lower]
    return tuple(parts or _terms(name)), _ODD.sub("", lower)


def _terms(text: str) -> list[str]:
    return [term for word in words_of(text) for term in terms_of(word)]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question, weighed: `weight` by term, together 1; `words` that tell, with their stems."""

    question: QuestionWords
    weight: Mapping[str, float]
    words: tuple[tuple[str, frozenset[str]], ...]
    raw: tuple[str, ...]
    named: frozenset[str]
    lowered: frozenset[str]
    kinds: frozenset[FileKind]


def figures_of(question: QuestionWords, matches: Matches) -> NDArray[np.float64]:
    """The figures of all candidates, a row for each."""
    candidates = matches.candidates
    result = np.zeros((len(candidates), len(FEATURES)))
    if not candidates:
        return result
    idf = {term: _idf(matches, term) for term in (*question.terms, *question.compounds)}
    asked = _weighed(question, idf)
    lexical, coverage = _lexical(asked, candidates, idf)
    result[:, _COLUMN["lexical"]] = lexical
    result[:, _COLUMN["coverage"]] = coverage
    lengths = np.array([candidate.length for candidate in candidates], float)
    result[:, _COLUMN["length"]] = np.log1p(lengths) / 6
    top = max(matches.files.values(), default=0.0) or 1.0
    of_path: dict[str, NDArray[np.float64]] = {}
    for row, candidate in enumerate(candidates):
        place = candidate.place
        if place not in of_path:
            score = matches.files.get(place, 0.0) / top
            of_path[place] = _of_file(asked, candidate.path, score)
        result[row] += of_path[place]
        _of_chunk(result[row], asked, candidate)
    return result


def _idf(matches: Matches, term: str) -> float:
    known = matches.frequency[term]
    return math.log(1 + (max(matches.chunks, known) - known + 0.5) / (known + 0.5))


def _weighed(question: QuestionWords, idf: Mapping[str, float]) -> _Asked:
    total = sum(idf[term] for term in question.terms) or 1.0
    raw = words_of(question.text)
    return _Asked(
        question,
        {term: idf[term] / total for term in question.terms},
        tuple(
            (word.lower(), frozenset(terms_of(word)))
            for word in raw
            if len(word) > 2 and word.lower() not in STOP_WORDS
        ),
        tuple(word.lower() for word in raw),
        frozenset(question.named),
        frozenset(_name(name)[1] for name in question.named),
        asked_kinds(question.text),
    )


def _lexical(
    asked: _Asked, candidates: Sequence[Candidate], idf: Mapping[str, float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """BM25 of the candidates, of the best one's, and the share of the question in their lines."""
    question = asked.question
    wanted = tuple(dict.fromkeys((*question.terms, *question.compounds)))
    inside = _counts(candidates, wanted)
    around = np.zeros_like(inside)
    place = {term: at for at, term in enumerate(wanted)}
    lengths = np.array([candidate.length for candidate in candidates], float)
    for row, candidate in enumerate(candidates):
        of_path = _path(candidate.path).all
        context = [*of_path * _PATH_TIMES]
        for name in (*candidate.chunk.within, *candidate.chunk.defines):
            context += _terms_of_name(name)
        lengths[row] += len(context)
        for term in context:
            if term in place:
                around[row, place[term]] += 1
    counts = inside + around
    damping = _K1 * (1 - _B + _B * lengths / lengths.mean())
    weights = np.array([idf[term] for term in wanted])
    scores = (counts * (_K1 + 1) / (counts + damping[:, None])) @ weights
    share = np.array([asked.weight.get(term, 0.0) for term in wanted])
    return scores / max(float(scores.max()), 1e-9), (inside > 0) @ share


@lru_cache(maxsize=100_000)
def _terms_of_name(name: str) -> tuple[str, ...]:
    return tuple(_terms(name))


def _counts(candidates: Sequence[Candidate], terms: Sequence[str]) -> NDArray[np.float64]:
    """How often each candidate's lines hold each term."""
    result = np.zeros((len(candidates), len(terms)))
    if not terms:
        return result
    wanted = np.array([hash_of(term) for term in terms], np.uint32)
    order = np.argsort(wanted)
    ordered = wanted[order]
    hashes = np.concatenate([candidate.hashes for candidate in candidates])
    times = np.concatenate([candidate.counts for candidate in candidates])
    rows = np.repeat(np.arange(len(candidates)), [len(each.hashes) for each in candidates])
    at = np.searchsorted(ordered, hashes)
    at[at == len(ordered)] = 0
    equal = ordered[at] == hashes
    result[rows[equal], order[at[equal]]] = times[equal]
    return result


def _of_file(asked: _Asked, path: str, file: float) -> NDArray[np.float64]:
    """The figures that all chunks of a file share."""
    row = np.zeros(len(FEATURES))
    of = _path(path)

    def put(name: str, value: float) -> None:
        row[_COLUMN[name]] = value

    put("file", file)
    put("stem", _recall(of.stem, asked))
    put("stem_precision", _precision(of.stem, asked))
    put("stem_prefix", _alike(of.stem, asked))
    put("folder_precision", _precision(of.folder, asked))
    put("folder_prefix", _alike(of.folder, asked))
    put("path", _recall(frozenset(of.all), asked))
    put("path_words", _words_in(asked, of.stem | of.folder))
    if of.kind not in asked.kinds and of.kind in _KINDS:
        put(_KINDS[of.kind], 1)
    put("named_test", bool(asked.named) and of.kind is FileKind.TEST)
    return row


def _of_chunk(row: NDArray[np.float64], asked: _Asked, candidate: Candidate) -> None:
    chunk = candidate.chunk

    def put(name: str, value: float) -> None:
        row[_COLUMN[name]] = max(row[_COLUMN[name]], value)

    defined: set[str] = set()
    for name, kind in zip(chunk.defines, chunk.kinds, strict=True):
        parts, whole = _name(name)
        held = [part for part in parts if part in asked.weight]
        if held:
            defined.update(held)
            recall = sum(asked.weight[part] for part in set(held))
            put("defines_precision", recall * len(held) / len(parts))
        if kind != "impl" and (name in asked.named or whole in asked.lowered):
            exact = 1.0 if name in asked.named else 0.3
            put("named_defined", exact)
            if kind in _TYPES:
                put("named_type", exact)
            if len(chunk.defines) <= 3:
                put("named_alone", exact)
            put("named_first", name == chunk.defines[0] and exact == 1.0)
            put("symbol", name == asked.question.symbol)
    put("defines", sum(asked.weight[part] for part in defined))
    if chunk.within:
        around = frozenset(part for name in chunk.within for part in _name(name)[0])
        put("within", _recall(around, asked))
        put("within_precision", _precision(around, asked))
        put("named_within", not asked.named.isdisjoint(chunk.within))
    put("begins", chunk.first_line == 1)
    put("plain", not chunk.within and not chunk.defines)


def _recall(parts: frozenset[str], asked: _Asked) -> float:
    """How much of the question's weight is among the parts."""
    return sum(asked.weight.get(part, 0.0) for part in parts)


def _precision(parts: frozenset[str], asked: _Asked) -> float:
    """How many of the parts the question holds."""
    return sum(part in asked.weight for part in parts) / len(parts) if parts else 0.0


def _alike(parts: frozenset[str], asked: _Asked) -> float:
    """How many of the parts are a word of the question, or begin as one."""
    if not parts:
        return 0.0
    alike = 0.0
    for part in parts:
        if part in asked.weight:
            alike += 1
        elif any(_begin_alike(part, word) for word in asked.raw):
            alike += 0.7
    return alike / len(parts)


def _words_in(asked: _Asked, parts: Iterable[str]) -> float:
    """How many of the question's words are among the parts, or begin as one of them."""
    if not asked.words:
        return 0.0
    parts = tuple(parts)
    found = sum(
        not stems.isdisjoint(parts) or any(_begin_alike(part, word) for part in parts)
        for word, stems in asked.words
    )
    return found / len(asked.words)


def _begin_alike(part: str, word: str) -> bool:
    if min(len(part), len(word)) < 3:
        return False
    return word.startswith(part) or (len(word) >= _PREFIX and part.startswith(word[:-1]))


def relevant(
    question: QuestionWords, candidates: Sequence[Candidate], most: int
) -> list[Candidate]:
    """Those that hold a word of the question, in lines or context; the `most` that hold most."""
    if not candidates:
        return []
    wanted = (*question.terms, *question.compounds)
    terms = frozenset(wanted)
    held = (_counts(candidates, wanted) > 0).sum(axis=1)
    for row in np.flatnonzero(held == 0).tolist():
        chunk = candidates[row].chunk
        names = (candidates[row].path, *chunk.within, *chunk.defines)
        held[row] = any(not terms.isdisjoint(_terms_of_name(name)) for name in names)
    order = np.argsort(-held, kind="stable")[:most]
    return [candidates[row] for row in sorted(order.tolist()) if held[row]]
