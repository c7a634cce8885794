"""What Search answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StagePlace:
    """Where a stage of a search put a hit, from 1 on, and its score there."""

    stage: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class SearchReason:
    """How far a feature of the reranker put a hit above (or below) the average candidate."""

    feature: str
    value: float
    weight: float


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A chunk: where it is (lines 1-based, inclusive), what encloses it, and its text.

    `sha256` is of the document's whole text, as UTF-8: with it the lines can be cited, and the
    citation checked. `lines` are the few that tell most, `words` those of the query as they stand
    there. `reasons` are given where they were asked for.
    """

    path: str
    uri: str
    sha256: str
    first_line: int
    last_line: int
    context: str
    text: str
    score: float
    lines: tuple[int, ...]
    words: tuple[str, ...]
    stages: tuple[StagePlace, ...]
    reasons: tuple[SearchReason, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The best chunks first; `searched` says how much was looked at.

    `absent` are words of the query that no file holds.
    """

    hits: tuple[SearchHit, ...]
    searched: str
    absent: tuple[str, ...] = ()
