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
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from glossator.core.file_kinds import (
    FileKind,
    asked_kinds,
    asks_for_manifests,
    is_manifest,
    kind_of,
)
from glossator.core.terms import stop_words
from glossator.retrieval.chunks.candidate import Candidate
from glossator.retrieval.chunks.chunk_index import Matches
from glossator.retrieval.chunks.cutting import Chunk
from glossator.retrieval.chunks.words import QuestionWords, hash_of, terms_of, words_of
from glossator.retrieval.chunks.words import terms as terms_in

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
    "old",  # kept for others to move away from: `legacy/`, or `v1/` beside a `v2/`
    "port",  # for one platform, as `win32/` or `file_darwin.go`
    "manifest",  # what a package needs, when that is asked
    "begins",  # the file's first lines
    "plain",  # no definition, in none
)
_COLUMN = {name: at for at, name in enumerate(FEATURES)}
_K1, _B = 1.2, 0.75
_PREFIX = 4  # letters that must be equal
_PATH_TIMES = 2
_CALLED = frozenset({"function", "method"})  # with its class's name: a constructor
_TYPES = frozenset({"class", "struct", "interface", "trait", "enum", "type", "module", "namespace"})
_KINDS = {
    FileKind.TEST: ("test",),
    FileKind.EXAMPLE: ("example",),
    FileKind.CHANGELOG: ("changelog",),
    FileKind.PROSE: ("prose",),
    FileKind.DATA: ("data",),
    FileKind.GENERATED: ("data",),
    FileKind.CUSTOMIZATION: ("prose", "data"),  # the model is told of it elsewhere
}
_FOLDER_NAMES_IT = ("__init__", "index", "mod")
_ODD = re.compile(r"[\W_]")
_OLD = frozenset(
    "archived attic backport backports compat compatibility deprecated legacy obsolete old".split()
)
_PORTS = frozenset(
    "aix android bsd cygwin darwin dragonfly freebsd haiku ibmi illumos ios macos netbsd nt openbsd"
    " os390 osx plan9 qnx solaris sunos win win32 windows".split()
)
_VERSION = re.compile(r"(?P<before>(?:.*/)?)(?P<folder>[vV](?P<number>\d+))/")
_WORDS = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])\d*|[a-z]+\d+")


@dataclass(frozen=True, slots=True)
class _Path:
    """The terms of a path."""

    all: tuple[str, ...]
    stem: frozenset[str]
    folder: frozenset[str]  # the innermost
    kind: FileKind
    old: frozenset[str]  # what says that it is old, and for which platform it is
    port: frozenset[str]


@lru_cache(maxsize=20_000)
def _path(path: str) -> _Path:
    folder, _, name = path.rpartition("/")
    stem = name.lstrip(".").partition(".")[0] or name
    innermost = folder.rpartition("/")[2]
    if stem in _FOLDER_NAMES_IT:
        stem = innermost
    words = frozenset(word.lower() for word in _WORDS.findall(path))
    return _Path(
        tuple(terms_in([path])),
        frozenset(_name(stem).parts),
        frozenset(terms_in([innermost])),
        kind_of(path),
        _OLD & words,
        _PORTS & words,
    )


class _Name(NamedTuple):
    """The terms of a name, and those of its parts alone."""

    terms: tuple[str, ...]
    parts: tuple[str, ...]


@lru_cache(maxsize=20_000)
def _name(name: str) -> _Name:
    terms, lower = tuple(terms_in([name])), name.strip("_").lower()
    return _Name(terms, tuple(term for term in terms if term != lower) or terms)


def _letters(name: str) -> str:
    """The name as letters and digits alone."""
    return _ODD.sub("", name.lower())


@dataclass(frozen=True, slots=True)
class _Part:
    """What a question has to do with one part of a name.

    `alike`: 1 if it holds the part, less if one of its words begins alike. `words`: a bit for each
    of its words that tell and are the part, or begin as it.
    """

    alike: float
    words: int


class _Asked(dict[str, _Part]):
    """A question, weighed: `weight` by term, together 1; in it, what it has to do with parts."""

    def __init__(self, question: QuestionWords, idf: Mapping[str, float]) -> None:
        """`idf` is by term of the question."""
        total = sum(idf[term] for term in question.terms) or 1.0
        self.weight = {term: idf[term] / total for term in question.terms}
        self.question = question
        self.named = frozenset(question.named)
        self.lowered = frozenset(map(_letters, question.named))
        self.kinds = asked_kinds(question.text)
        raw = words_of(question.text)
        self._raw = tuple(word.lower() for word in raw)
        self.says = frozenset(self._raw)
        self.manifests = asks_for_manifests(question.text)
        stops = stop_words(raw)
        self._words = tuple(
            (word.lower(), frozenset(terms_of(word)))
            for word in raw
            if len(word) > 2 and word.lower() not in stops
        )

    def __missing__(self, part: str) -> _Part:
        alike = 1.0 if part in self.weight else 0.7 * _begins(part, self._raw)
        words = sum(
            1 << at
            for at, (word, stems) in enumerate(self._words)
            if part in stems or (alike and _begins(part, (word,)))
        )
        self[part] = result = _Part(alike, words)
        return result

    def recall(self, parts: AbstractSet[str]) -> float:
        """How much of the question's weight is among the parts."""
        return sum(map(self.weight.__getitem__, self.weight.keys() & parts))

    def precision(self, parts: AbstractSet[str]) -> float:
        """How many of the parts the question holds."""
        return len(self.weight.keys() & parts) / len(parts) if parts else 0.0

    def alike(self, parts: AbstractSet[str]) -> float:
        """How many of the parts are a word of the question, or begin as one."""
        return sum(self[part].alike for part in parts) / len(parts) if parts else 0.0

    def words_in(self, parts: AbstractSet[str]) -> float:
        """How many of the question's words are among the parts, or begin as one of them."""
        found = 0
        for part in parts:
            found |= self[part].words
        return found.bit_count() / len(self._words) if found else 0.0


def figures_of(question: QuestionWords, matches: Matches) -> NDArray[np.float64]:
    """The figures of all candidates, a row for each."""
    candidates = matches.candidates
    if not candidates:
        return np.zeros((0, len(FEATURES)))
    idf = {term: _idf(matches, term) for term in (*question.terms, *question.compounds)}
    asked = _Asked(question, idf)
    top = max(matches.files.values(), default=0.0) or 1.0
    newest = _newest(candidates)
    files: dict[tuple[str, str], int] = {}
    of_files: list[list[float]] = []
    rows = []
    for candidate in candidates:
        file = candidate.root, candidate.path
        if file not in files:
            files[file] = len(of_files)
            score = matches.files.get(candidate.place, 0.0) / top
            of_files.append(_of_file(asked, candidate.path, score, newest))
        rows.append(files[file])
    result = np.array(of_files)[rows]
    for row, candidate in enumerate(candidates):
        for name, value in _of_chunk(asked, candidate.chunk).items():
            result[row, _COLUMN[name]] = value
    result[result[:, _COLUMN["test"]] > 0, _COLUMN["symbol"]] = 0  # tests define doubles
    lexical, coverage = _lexical(asked, candidates, idf)
    result[:, _COLUMN["lexical"]] = lexical
    result[:, _COLUMN["coverage"]] = coverage
    lengths = np.array([candidate.length for candidate in candidates], float)
    result[:, _COLUMN["length"]] = np.log1p(lengths) / 6
    return result


def _idf(matches: Matches, term: str) -> float:
    known = matches.frequency[term]
    return math.log(1 + (max(matches.chunks, known) - known + 0.5) / (known + 0.5))


def _lexical(
    asked: _Asked, candidates: Sequence[Candidate], idf: Mapping[str, float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """BM25 of the candidates, of the best one's, and the share of the question in their lines."""
    column = {term: at for at, term in enumerate(idf)}
    inside = _counts(candidates, tuple(idf))
    around: list[int] = []  # places in such a table, flattened
    lengths = []
    for row, candidate in enumerate(candidates):
        context = [*_path(candidate.path).all * _PATH_TIMES]
        for name in (*candidate.chunk.within, *candidate.chunk.defines):
            context += _name(name).terms
        start = row * len(idf)
        around += [start + column[term] for term in filter(column.__contains__, context)]
        lengths.append(candidate.length + len(context))
    counts = inside + np.bincount(around, minlength=inside.size).reshape(inside.shape)
    relative = np.array(lengths, float) / np.mean(lengths)
    damping = _K1 * (1 - _B + _B * relative)
    scores = (counts * (_K1 + 1) / (counts + damping[:, None])) @ np.array([*idf.values()])
    share = np.array([asked.weight.get(term, 0.0) for term in idf])
    return scores / max(float(scores.max()), 1e-9), (inside > 0) @ share


def _counts(candidates: Sequence[Candidate], terms: Sequence[str]) -> NDArray[np.float64]:
    """How often each candidate's lines hold each term."""
    result = np.zeros((len(candidates), len(terms)))
    hashes = np.concatenate([candidate.hashes for candidate in candidates])
    times = np.concatenate([candidate.counts for candidate in candidates])
    ends = np.cumsum([len(candidate.hashes) for candidate in candidates])
    for column, term in enumerate(terms):
        at = np.flatnonzero(hashes == hash_of(term))
        result[np.searchsorted(ends, at, side="right"), column] = times[at]
    return result


def _newest(candidates: Iterable[Candidate]) -> dict[str, int]:
    """The highest version among the folders `v1/`, `v2/` … of each folder, of the candidates."""
    found: dict[str, int] = {}
    for path in {candidate.path for candidate in candidates}:
        if version := _VERSION.match(path):
            before, number = version["before"], int(version["number"])
            found[before] = max(found.get(before, 0), number)
    return found


def _is_old(asked: _Asked, path: str, newest: Mapping[str, int]) -> bool:
    """Whether a file is kept for others to move away from; not what the question names."""
    version = _VERSION.match(path)
    if version and int(version["number"]) < newest[version["before"]]:
        return version["folder"].lower() not in asked.says
    old = _path(path).old
    return bool(old) and old.isdisjoint(asked.says)


def _of_file(asked: _Asked, path: str, file: float, newest: Mapping[str, int]) -> list[float]:
    """The figures that all chunks of a file share."""
    row = [0.0] * len(FEATURES)
    of = _path(path)

    def put(name: str, value: float) -> None:
        row[_COLUMN[name]] = value

    put("file", file)
    put("stem", asked.recall(of.stem))
    put("stem_precision", asked.precision(of.stem))
    put("stem_prefix", asked.alike(of.stem))
    put("folder_precision", asked.precision(of.folder))
    put("folder_prefix", asked.alike(of.folder))
    put("path", asked.recall(frozenset(of.all)))
    put("path_words", asked.words_in(of.stem | of.folder))
    if of.kind not in asked.kinds:
        for name in _KINDS.get(of.kind, ()):
            put(name, 1)
    put("named_test", bool(asked.named) and of.kind is FileKind.TEST)
    put("manifest", asked.manifests and is_manifest(path))
    if asked.manifests and is_manifest(path):
        put("data", 0)
    put("old", _is_old(asked, path, newest))
    put("port", bool(of.port) and of.port.isdisjoint(asked.says))
    return row


def _of_chunk(asked: _Asked, chunk: Chunk) -> dict[str, float]:
    """The figures of one chunk that are not 0."""
    found = _named(asked, chunk) if asked.named else {}
    holds = asked.weight.__contains__
    defined: set[str] = set()
    precision = 0.0
    for name in chunk.defines:
        parts = _name(name).parts
        if held := [*filter(holds, parts)]:
            defined.update(held)
            precision = max(precision, asked.recall(set(held)) * len(held) / len(parts))
    if defined:
        found["defines"] = asked.recall(defined)
        found["defines_precision"] = precision
    around = {part for name in chunk.within for part in _name(name).parts}
    if any(map(holds, around)):
        found["within"] = asked.recall(around)
        found["within_precision"] = asked.precision(around)
    if chunk.first_line == 1:
        found["begins"] = 1
    if not chunk.within and not chunk.defines:
        found["plain"] = 1
    return found


def _named(asked: _Asked, chunk: Chunk) -> dict[str, float]:
    """The figures of a chunk that tell of the identifiers in the question."""
    found: dict[str, float] = {"named_within": not asked.named.isdisjoint(chunk.within)}

    def put(name: str, value: float) -> None:
        found[name] = max(found.get(name, 0.0), value)

    for name, kind in zip(chunk.defines, chunk.kinds, strict=True):
        exact = 1.0 if name in asked.named else 0.3 * (_letters(name) in asked.lowered)
        if kind != "impl" and exact and not (kind in _CALLED and name in chunk.within):
            put("named_defined", exact)
            if kind in _TYPES:
                put("named_type", exact)
            if len(chunk.defines) <= 3:
                put("named_alone", exact)
            put("named_first", name == chunk.defines[0] and exact == 1.0)
            put("symbol", name == asked.question.symbol)
    return found


def _begins(part: str, words: Iterable[str]) -> bool:
    """Whether the part begins one of the words, or begins as one does, up to its last letter."""
    return len(part) > 2 and any(
        word.startswith(part) or (len(word) >= _PREFIX and part.startswith(word[:-1]))
        for word in words
    )


def relevant(
    question: QuestionWords, candidates: Sequence[Candidate], most: int
) -> list[Candidate]:
    """Those that hold a word of the question, in lines or context; the `most` that hold most."""
    if not candidates:
        return []
    wanted = dict.fromkeys((*question.terms, *question.compounds))
    held = (_counts(candidates, tuple(wanted)) > 0).sum(axis=1)
    for row in np.flatnonzero(held == 0).tolist():
        chunk = candidates[row].chunk
        names = (candidates[row].path, *chunk.within, *chunk.defines)
        held[row] = any(not wanted.keys().isdisjoint(_name(name).terms) for name in names)
    order = np.argsort(-held, kind="stable")[:most]
    return [candidates[row] for row in sorted(order.tolist()) if held[row]]
