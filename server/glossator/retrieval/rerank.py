"""Reranking: the best of what a search found, put in order by something that reads it.

A reranker never fails a search: where it cannot do its work, the order stays, and the result says
why.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from glossator.core.terms import query_terms
from glossator.llm import Meter

MOST_CANDIDATES = 150  # that are read; others stay behind them
BEST = 20  # that are put in order

_EXCERPT = 600  # characters of a candidate
_HEAD = 200  # of these, from its beginning
_LINE = 200  # characters of a line
_GAP = "…"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that a search found; the title says where it stands. Both are foreign text."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Reranked:
    """The numbers of all candidates from 0, the best first.

    `problem` says why `by` did not rerank, and then the order is the one that was given.
    """

    order: tuple[int, ...]
    by: str
    problem: str = ""


class Reranker(Protocol):
    """Puts candidates in order for a question."""

    async def rerank(
        self,
        question: str,
        candidates: Sequence[Candidate],
        best: int = BEST,
        meter: Meter | None = None,
    ) -> Reranked:
        """All candidates, of which the `best` first ones matter; costs count in `meter`."""


def ordered(chosen: Iterable[int], count: int) -> tuple[int, ...]:
    """All numbers below `count`: those chosen, each once, then the others as they were."""
    first = dict.fromkeys(number for number in chosen if 0 <= number < count)
    return (*first, *(number for number in range(count) if number not in first))


def not_reranked(count: int, by: str, problem: str) -> Reranked:
    """The order as it was, and why."""
    return Reranked(tuple(range(count)), by, problem=problem)


def excerpt(text: str, question: str, most: int = _EXCERPT) -> str:
    """Lines of a chunk: its first ones, then those with words of the question, then others."""
    lines = [line.rstrip()[:_LINE] for line in text.split("\n")]
    terms = query_terms(question)
    head = _fill(range(len(lines)), lines, _HEAD, set())
    telling = (n for n, line in enumerate(lines) if any(t in line.lower() for t in terms))
    kept = _fill(telling, lines, most, head)
    kept = _fill(range(len(lines)), lines, most, kept)
    shown: list[str] = []
    before = -1
    for number in sorted(kept):
        if number > before + 1:
            shown.append(_GAP)
        shown.append(lines[number])
        before = number
    return "\n".join(shown)


def _fill(numbers: Iterable[int], lines: Sequence[str], most: int, kept: set[int]) -> set[int]:
    """`kept` and as many more of the lines as fit, blank ones aside."""
    kept = set(kept)
    size = sum(len(lines[number]) + 1 for number in kept)
    for number in numbers:
        if number in kept or not lines[number].strip():
            continue
        size += len(lines[number]) + 1
        if size > most and kept:
            break
        kept.add(number)
    return kept
