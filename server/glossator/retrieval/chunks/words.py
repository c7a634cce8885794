"""The words of texts and questions: terms for the index, and the best lines of a chunk.

Identifiers are terms whole and in parts, words by their stems. A term is stored as the CRC-32 of
its UTF-8, four bytes instead of a string; two terms of one question that share a hash are less
likely than one in a hundred million.
"""

from __future__ import annotations

import re
import string
import zlib
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from heapq import heapify, heappop, heappush
from itertools import chain, pairwise

from glossator.core.file_kinds import asks_for_manifests
from glossator.core.terms import is_import, parts_of, stem, stop_words

MAX_LINES = 6  # of a chunk, that are told

_WORD = re.compile(r"[^\W\d]\w*|\d{2,}")
_MAX_WORD_LETTERS = 80  # letters; longer words are data
_ONLY_WORDS = bytes(
    code if chr(code) in string.ascii_letters + string.digits + "_" else 0x20 for code in range(256)
)  # of ASCII; this and splitting take a third of the time that the pattern takes
_REPEATED = 0.3  # what a term counts in a further line
_NAME = 1.0  # what the line counts that defines the chunk's first name
_COMPOUND = 2.0  # what an identifier counts that the question spells out
_IMPORT = 0.1  # what a term counts in an import: what is imported is told elsewhere


@lru_cache(maxsize=30_000)
def terms_of(word: str) -> tuple[str, ...]:
    """The terms under which a word is found: itself in lower case, and the stems of its parts."""
    if word[0] in string.digits and not word.isdigit():  # "2nd" holds the word "nd"
        return tuple(terms_of_each(words_of(word)))
    if len(word) > _MAX_WORD_LETTERS:
        return ()
    parts = [part.casefold() for part in parts_of(word)]
    stems = [stem(part) for part in parts if len(part) > 1]
    if len(parts) > 1:
        stems.append(word.strip("_").casefold())
    return tuple(stems)


def words_of(text: str) -> list[str]:
    """The words of a text, in order, as they are written."""
    return _WORD.findall(text)


def hash_of(term: str) -> int:
    """The term as the index stores it."""
    return zlib.crc32(term.encode())


def terms(texts: Iterable[str]) -> list[str]:
    """All terms of some texts, in order."""
    return terms_of_each(_roughly_words("\n".join(texts)))


def _roughly_words(text: str) -> list[str]:
    """The words of a text, in order, but with the digits that they begin with."""
    if text.isascii():
        return text.encode().translate(_ONLY_WORDS).decode().split()
    return words_of(text)


def terms_of_each(words: Iterable[str]) -> list[str]:
    """The terms of all the words, in order."""
    return [*chain.from_iterable(map(terms_of, words))]


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """What is looked for.

    `terms`: the stems that tell, in order; `compounds`: neighbouring words as one identifier, and
    the identifiers that are named, both in lower case; `named`: those identifiers as written.
    `symbol`: the name that the question consists of, without what it is qualified by.
    """

    text: str
    terms: tuple[str, ...]
    compounds: tuple[str, ...]
    named: tuple[str, ...]
    symbol: str = ""


_NAMED = re.compile(
    r"[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)+|_\w+|[a-z]+[A-Z]\w*|\w+_\w+"
    r"|[A-Z]+[a-z]+[A-Z]\w*|[A-Z]{2,}[a-z]\w+"
)


_MANIFEST_TERMS = ("pyproject", "setup", "cargo", "gemfile", "pom", "composer", "mod")  # as paths


_SYMBOL = re.compile(r"`?[\w$]+(?:(?:\.|::|#)[\w$]+)*(?:\(\))?`?\??")


def question_of(text: str) -> QuestionWords:
    """What a question looks for."""
    words = words_of(text)
    stops = stop_words(words)
    telling = [word for word in words if word.lower() not in stops]
    found = dict.fromkeys(
        term for word in telling for term in terms_of(word) if len(term) > 1 and term not in stops
    )
    named = [name for match in _NAMED.findall(text) for name in re.split(r"\.|::|#", match)]
    if len(words) == 1:
        named.append(words[0])
    pairs = (one + two for one, two in pairwise(telling))
    compounds = dict.fromkeys(name.casefold() for name in (*named, *pairs))
    if asks_for_manifests(text):
        compounds |= dict.fromkeys(_MANIFEST_TERMS)
    symbol = named[-1] if named and _SYMBOL.fullmatch(text.strip()) else ""
    return QuestionWords(text, tuple(found), tuple(compounds), tuple(dict.fromkeys(named)), symbol)


@dataclass(frozen=True, slots=True)
class BestLines:
    """Lines of a chunk (1-based, ascending), and the question's words as they stand there."""

    lines: tuple[int, ...]
    words: tuple[str, ...]


def best_lines(
    question: QuestionWords,
    lines: Sequence[str],
    first_line: int,
    name: str = "",
    most: int = MAX_LINES,
) -> BestLines:
    """At most so many lines of the chunk that begins at `first_line` and defines `name`.

    A term counts by how few lines hold it, and less once a line with it was taken, or in an import.
    Single lines between those are told, too, and where few hold any term, those after the first.
    """
    counts = _counts(question)
    all_words = set(_roughly_words("\n".join(lines)))
    telling = [word for word in all_words if word == name or counts[word]]
    words: dict[str, None] = {}
    held: list[dict[str, float]] = []
    for line in lines:
        found: dict[str, float] = {}
        in_line = words_of(line) if any(word in line for word in telling) else []
        for word in in_line:
            if counted := counts[word]:
                words[word] = None
                found.update(counted)
        if found and is_import(line):
            found = {term: _IMPORT * count for term, count in found.items()}
        if name and name in in_line:
            found[f"{name}()"] = _NAME  # no term has brackets
            name = ""
        held.append(found)
    rows = _joined(_filled(_best(held, most), lines, most // 2))
    return BestLines(tuple(first_line + row for row in rows), tuple(words))


class _Counts(dict[str, tuple[tuple[str, float], ...]]):
    """By word of a chunk: the question's terms that it holds, and what each counts in a line."""

    def __init__(self, question: QuestionWords) -> None:
        self._wanted = frozenset((*question.terms, *question.compounds))

    def __missing__(self, word: str) -> tuple[tuple[str, float], ...]:
        lower = word.lower()
        held = self._wanted.intersection((*terms_of(word), lower))
        self[word] = result = tuple((term, 1.0 + _COMPOUND * (term == lower)) for term in held)
        return result


_counts = lru_cache(maxsize=1)(_Counts)  # the hits of one search share their words


def _best(held: Sequence[Mapping[str, float]], most: int) -> list[int]:
    """The rows that add most, one after the other."""
    counts: dict[str, int] = {}
    for found in held:
        for term in found:
            counts[term] = counts.get(term, 0) + 1
    worth = {term: 1 / count for term, count in counts.items()}

    def added(row: int) -> float:
        return sum([n * worth[term] for term, n in held[row].items()])

    # A row only ever adds less, so one that adds as much as was thought is the best of all left.
    left = [(-added(row), row) for row, found in enumerate(held) if found]
    heapify(left)
    taken: list[int] = []
    while left and len(taken) < most:
        _, row = heappop(left)
        now = (-added(row), row)
        if left and left[0] < now:
            heappush(left, now)
            continue
        taken.append(row)
        for term in held[row]:
            worth[term] *= _REPEATED
    return sorted(taken)


def _filled(rows: Sequence[int], lines: Sequence[str], fewest: int) -> list[int]:
    """At least `fewest` rows, if there are any more with text."""
    if len(rows) >= fewest:
        return [*rows]
    first = rows[0] if rows else 0
    more = [row for row in range(first, len(lines)) if lines[row].strip() and row not in rows]
    return sorted((*rows, *more[: fewest - len(rows)]))


def _joined(rows: Sequence[int]) -> list[int]:
    """The rows, with single ones between them: to leave one out takes a line, too."""
    inside: AbstractSet[int] = set(rows)
    gaps = {row + 1 for row in rows if row + 2 in inside}
    return sorted(inside | gaps)
