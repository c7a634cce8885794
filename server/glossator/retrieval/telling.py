"""The few lines of a chunk that tell most about a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from glossator.core.terms import is_import
from glossator.retrieval.chunks.words import QuestionWords, terms_of, words_of

MAX_LINES = 6
_REPEATED = 0.3  # what a term counts in a further line
_NAME = 1.0  # what the line counts that defines the chunk's first name
_COMPOUND = 2.0  # what an identifier counts that the question spells out
_IMPORT = 0.1  # what a term counts in an import: what is imported is told elsewhere


@dataclass(frozen=True, slots=True)
class Telling:
    """Lines (1-based, ascending), and the words of the question as they stand in the chunk."""

    lines: tuple[int, ...]
    words: tuple[str, ...]


def telling_lines(
    question: QuestionWords,
    lines: Sequence[str],
    first_line: int,
    name: str = "",
    most: int = MAX_LINES,
) -> Telling:
    """At most so many lines of the chunk that begins at `first_line` and defines `name`.

    A term counts by how few lines hold it, and less once a line with it was taken, or in an import.
    Single lines between those are told, too, and where few hold any term, those after the first.
    """
    wanted = frozenset((*question.terms, *question.compounds))
    words: dict[str, None] = {}
    held: list[dict[str, float]] = []
    for line in lines:
        found: dict[str, float] = {}
        factor = _IMPORT if is_import(line) else 1.0
        for word in words_of(line):
            terms = wanted.intersection((*terms_of(word), word.lower()))
            if terms:
                words[word] = None
                found.update(
                    (term, factor * (1.0 + _COMPOUND * (term == word.lower()))) for term in terms
                )
        if name and name in words_of(line):
            found[f"{name}()"] = _NAME  # no term has brackets
            name = ""
        held.append(found)
    rows = _joined(_filled(_best(held, most), lines, most // 2))
    return Telling(tuple(first_line + row for row in rows), tuple(words))


def _best(held: Sequence[Mapping[str, float]], most: int) -> list[int]:
    """The rows that add most, one after the other."""
    counts: dict[str, int] = {}
    for found in held:
        for term in found:
            counts[term] = counts.get(term, 0) + 1
    worth = {term: 1 / count for term, count in counts.items()}
    left = {row for row, found in enumerate(held) if found}
    taken: list[int] = []
    while left and len(taken) < most:
        row = max(
            left, key=lambda row: (sum(n * worth[term] for term, n in held[row].items()), -row)
        )
        left.remove(row)
        taken.append(row)
        for term in held[row]:
            worth[term] *= _REPEATED
    return sorted(taken)


def _filled(rows: Sequence[int], lines: Sequence[str], fewest: int) -> list[int]:
    """At least `fewest` rows, if there are any more with text."""
    first = rows[0] if rows else 0
    more = [row for row in range(first, len(lines)) if lines[row].strip() and row not in rows]
    return sorted((*rows, *more[: max(fewest - len(rows), 0)]))


def _joined(rows: Sequence[int]) -> list[int]:
    """The rows, with single ones between them: to leave one out takes a line, too."""
    inside: AbstractSet[int] = set(rows)
    gaps = {row + 1 for row in rows if row + 2 in inside}
    return sorted(inside | gaps)
