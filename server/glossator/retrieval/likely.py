"""Which files are likely to answer a question, without an index of chunks: BM25 over files.

Only files that may hold one of the words are read; the text index says which. The length of a text
is its file's size.

Source of the weighting: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
Beyond" (2009), with k1 = 1.2 and b = 0.75.
"""

from __future__ import annotations

import math
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import re2

from glossator.core.document import Missing
from glossator.core.file_kinds import FileKind, kind_of, weigh_by_kind
from glossator.core.terms import defining, identifiers, query_terms
from glossator.workspace import (
    FileEntry,
    WorkspaceSnapshot,
    analyse,
    candidates,
    compile_pattern,
    matching_lines,
    read_text,
    unsearchable,
)

_K1, _B = 1.2, 0.75
_FILES = 60  # the best ones, which are read and cut into chunks for a search
_DEFINE = (FileKind.TEST, FileKind.EXAMPLE)  # what is not the product, and may define a name
_PATH_WEIGHT = 2  # a word in the path counts as so many in the text
_LINE_END = re.compile(r"[\r\n]")


@dataclass(frozen=True, slots=True)
class Likely:
    """The files that fit a question best, with their scores by absolute path, best first.

    `frequency`: by term, how many of the `files` that were searched hold it. The paths `others`
    hold a word, too.
    """

    scores: Mapping[str, float]
    frequency: Mapping[str, int]
    files: int
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Counted:
    entry: FileEntry
    counts: Counter[str]
    weight: float


def likely_files(
    cancelled: threading.Event,
    snapshot: WorkspaceSnapshot,
    files: Sequence[FileEntry],
    question: str,
) -> Likely:
    """Those of `files` that share the most telling words with the question."""
    terms = query_terms(question)
    if not terms:
        return Likely({}, {}, 0)
    counted, sizes = _count_all(cancelled, snapshot, files, terms, _weigher(question))
    frequency = Counter(term for item in counted for term in item.counts)
    searched, total_length = len(sizes), sum(sizes)
    weights = {
        term: math.log(1 + (searched - frequency[term] + 0.5) / (frequency[term] + 0.5))
        for term in terms
    }
    average = total_length / max(searched, 1) or 1.0  # bytes; every file may be empty
    scored = (
        (_bm25(item.counts, item.entry.size / average, weights) * item.weight, item.entry)
        for item in counted
    )
    ordered = sorted(scored, key=lambda scored: (-scored[0], scored[1].path))
    scores = {entry.path: score for score, entry in ordered[:_FILES]}
    others = tuple(entry.path for _, entry in ordered[_FILES:])
    return Likely(scores, frequency, searched, others)


def _count_all(
    cancelled: threading.Event,
    snapshot: WorkspaceSnapshot,
    files: Sequence[FileEntry],
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


def _bm25(counts: Counter[str], relative_length: float, weights: Mapping[str, float]) -> float:
    damping = _K1 * (1 - _B + _B * relative_length)
    return sum(
        weights[term] * times * (_K1 + 1) / (times + damping) for term, times in counts.items()
    )


def _in_paths(
    files: Sequence[FileEntry], count: Callable[[bytes], Counter[str]], words: str
) -> list[Counter[str]]:
    """What `count` finds in each file's path; one pass finds the few that hold any word."""
    paths = [_LINE_END.sub(" ", at.relative).encode("utf-8", "surrogatepass") for at in files]
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
