"""Measures of ranked results, and how sure they are.

Sources: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques" (2002), for
NDCG; Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13, for percentile
intervals.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

from glossator.core.terms import defining
from glossator_eval.labelled import Question, Target
from glossator_eval.report import (
    DEFINITION,
    DEPTH,
    MISSED,
    NDCG,
    NDCG_AT,
    PASS_AT,
    Figure,
    Score,
)
from glossator_eval.retriever import Result

FEWEST_CLUSTERS = 5  # repositories; fewer say too little about the next one
SEED = 0

_CONFIDENCE = 95.0  # percent
_RESAMPLES = 2_000

Ranks = Sequence[int | None]  # of each target, from 1; None: not found


def target_ranks(results: Sequence[Result], targets: Iterable[Target]) -> tuple[int | None, ...]:
    """The rank at which each target is found first."""
    return tuple(
        next(
            (
                rank
                for rank, result in enumerate(results, 1)
                if target.found_in(result.path, result.first_line, result.last_line)
            ),
            None,
        )
        for target in targets
    )


def pass_at(ranks: Ranks, limit: int) -> float:
    """The share of the targets that are among the first `limit` results, 0 to 1."""
    return sum(rank is not None and rank <= limit for rank in ranks) / len(ranks)


def ndcg_at(ranks: Ranks, limit: int) -> float:
    """Normalised discounted cumulative gain of the first `limit` results, 0 to 1.

    The gain of a result is 1 if one target or several are found first in it. The ideal is a target
    at each rank from the first on.
    """
    found = {rank for rank in ranks if rank is not None and rank <= limit}
    return _discounted(found) / _discounted(range(1, min(len(ranks), limit) + 1))


def _discounted(ranks: Iterable[int]) -> float:
    return sum(1 / math.log2(rank + 1) for rank in ranks)


def definition_is_first(
    question: Question, results: Sequence[Result], lines: Sequence[str]
) -> bool:
    """Whether the first result is the definition of the name that the question consists of.

    It must lie in a target. If some line of its document, whose `lines` these are, looks like the
    definition of that name, the result must hold such a line.
    """
    if not results:
        return False
    first = results[0]
    if 1 not in target_ranks(results[:1], question.targets):
        return False
    name = re.findall(r"\w+", question.text)[-1:]  # of Sinatra::Base the last part
    pattern = re.compile(defining(name))
    defined = [number for number, line in enumerate(lines, 1) if name and pattern.search(line)]
    return not defined or any(first.first_line <= at <= first.last_line for at in defined)


def measures(score: Score) -> dict[str, float]:
    """Its value, 0 to 1, in each of `MEASURES` that applies."""
    values = {f"pass@{limit}": pass_at(score.ranks, limit) for limit in PASS_AT}
    values[MISSED] = 1 - pass_at(score.ranks, DEPTH)
    values[NDCG] = ndcg_at(score.ranks, NDCG_AT)
    if score.definition_first is not None:
        values[DEFINITION] = float(score.definition_first)
    return values


def figure(values: Sequence[float], clusters: Sequence[str], seed: int = SEED) -> Figure:
    """The mean of `values`, and its percentile bootstrap interval.

    Values of one cluster (the repositories of the questions) are drawn together, as questions
    about one repository are hard or easy together; with fewer than `FEWEST_CLUSTERS` of these each
    value is drawn by itself. The same `seed` gives the same interval.
    """
    array = np.asarray(values, dtype=np.float64)
    names = sorted(set(clusters))
    if len(names) < FEWEST_CLUSTERS:
        sums, counts = array, np.ones(len(array))
    else:
        members = np.asarray([names.index(each) for each in clusters])
        sums = np.bincount(members, weights=array).astype(np.float64)
        counts = np.bincount(members).astype(np.float64)
    drawn = np.random.default_rng(seed).integers(len(sums), size=(_RESAMPLES, len(sums)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    tail = (100 - _CONFIDENCE) / 2
    low, high = np.percentile(means, [tail, 100 - tail])
    return Figure(float(array.mean()), float(low), float(high), len(array))


def percentile(values: Sequence[float], percent: float) -> float:
    """Interpolated, as numpy does it."""
    return float(np.percentile(np.asarray(values), percent))
