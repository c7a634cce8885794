"""Orders candidates: fusion of the stages, a linear reranker, and one list for several needs.

The reranker's weights are trained by `tools/train_reranker.py`, which says on what. Its scores are
log-odds, so they give each candidate, and each file, a probability to be what was looked for; the
order puts first what adds most to the probability that the reader sees the right file, and in it
the right lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from glossator.retrieval.chunks.candidate import Candidate
from glossator.retrieval.chunks.chunk_index import Matches
from glossator.retrieval.chunks.requests import ALL_STAGES, Reason, StageRank, Stages
from glossator.retrieval.chunks.words import QuestionWords
from glossator.retrieval.features import FEATURES, figures_of

VECTORS = "vectors"  # the feature that is added when there are embeddings
_SHARPNESS = 0.6  # of the scores as log-odds
_SAME_FILE = 0.7  # how much the right lines count against the right file
_MAX_TOLD_FEATURES = 6  # features that explain a place
_MIN_TOLD_SHARE = 0.005  # of the score
_LEXICAL = FEATURES.index("lexical")
_DEFINED = FEATURES.index("named_defined")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score, comparable within one search only, and its place by stage."""

    candidate: Candidate
    score: float
    places: Mapping[str, StageRank]
    reasons: tuple[Reason, ...] = ()


def rank(
    question: QuestionWords,
    matches: Matches,
    limit: int,
    stages: Stages = ALL_STAGES,
    similarity: NDArray[np.float64] | None = None,
    *,
    explain: bool = False,
) -> tuple[Ranked, ...]:
    """The best candidates; `similarity` is the cosine of each to the question, if it is known.

    With `explain` and the reranker, each comes with its reasons.
    """
    if not matches.candidates:
        return ()
    figures = figures_of(question, matches)
    by_stage: dict[str, NDArray[np.float64]] = {}
    if stages.lexical:
        by_stage["lexical"] = figures[:, _LEXICAL]
    if stages.vectors and similarity is not None:
        by_stage[VECTORS] = similarity
    if len(by_stage) > 1:
        by_stage["fusion"] = fused(tuple(by_stage.values()))
    if stages.rerank or not by_stage:
        by_stage["rerank"] = reranked(figures, similarity if stages.vectors else None)
    scores = list(by_stage.values())[-1]
    files = [(each.root, each.path) for each in matches.candidates]
    order = ordered(figures, scores, files) if stages.rerank else np.argsort(-scores, kind="stable")
    places = {name: _ranks(values) for name, values in by_stage.items()}
    told = explain and "rerank" in by_stage
    reasons = _reasons(figures, similarity if stages.vectors else None) if told else None
    return tuple(
        Ranked(
            matches.candidates[row],
            float(scores[row]),
            {
                name: StageRank(int(places[name][row]), float(values[row]))
                for name, values in by_stage.items()
            },
            reasons(row) if reasons else (),
        )
        for row in order[:limit].tolist()
    )


def fused(scores: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The sum of the standardised scores; untrained."""
    total: NDArray[np.float64] = np.sum([scaled(each) for each in scores], axis=0)
    return total


def reranked(
    figures: NDArray[np.float64], similarity: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """The linear reranker's scores."""
    weights = trained_weights("lexical" if similarity is None else VECTORS)
    scores: NDArray[np.float64] = figures @ np.array([weights[name] for name in FEATURES])
    return scores if similarity is None else scores + weights[VECTORS] * scaled(similarity)


def _reasons(
    figures: NDArray[np.float64], similarity: NDArray[np.float64] | None
) -> Callable[[int], tuple[Reason, ...]]:
    """What gives the weightiest features of a row, most first."""
    weights = trained_weights("lexical" if similarity is None else VECTORS)
    names, values = [*FEATURES], figures
    if similarity is not None:
        names, values = [*names, VECTORS], np.column_stack((figures, scaled(similarity)))
    apart = (values - values.mean(axis=0)) * np.array([weights[name] for name in names])

    def told(row: int) -> tuple[Reason, ...]:
        order = np.argsort(-np.abs(apart[row]), kind="stable")[:_MAX_TOLD_FEATURES].tolist()
        return tuple(
            Reason(names[at], float(values[row, at]), float(apart[row, at]))
            for at in order
            if abs(apart[row, at]) >= _MIN_TOLD_SHARE
        )

    return told


def scaled(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standardised, as fusion and the reranker take it."""
    result: NDArray[np.float64] = (similarity - similarity.mean()) / (similarity.std() + 1e-9)
    return result


def ordered(
    figures: NDArray[np.float64], scores: NDArray[np.float64], files: Sequence[Hashable]
) -> NDArray[np.intp]:
    """The rows as `diversified`; a definition that was asked for stays first."""
    order = diversified(scores, files)
    best = int(scores.argmax())
    if figures[best, _DEFINED] == 1:
        return np.concatenate([[best], order[order != best]])
    return order


def diversified(scores: NDArray[np.float64], files: Sequence[Hashable]) -> NDArray[np.intp]:
    """The rows in an order that shows the right file early, and in it the right lines."""
    chance = np.exp((scores - scores.max()) * _SHARPNESS)
    chance /= chance.sum()
    of_file: dict[Hashable, float] = {}
    best: dict[Hashable, int] = {}
    for row in np.argsort(-scores, kind="stable").tolist():
        file = files[row]
        of_file[file] = of_file.get(file, 0.0) + float(chance[row])
        best.setdefault(file, row)
    gain = _SAME_FILE * chance
    for file, row in best.items():
        gain[row] += (1 - _SAME_FILE) * of_file[file]
    return np.argsort(-gain, kind="stable")


def _ranks(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    ranks = np.empty(len(scores), np.intp)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return ranks


@cache
def trained_weights(kind: str) -> dict[str, float]:
    """The weights by feature; `kind` is "lexical", or "vectors" where there are embeddings."""
    text = resources.files("glossator.retrieval").joinpath("weights.json").read_text("utf-8")
    weights: dict[str, float] = json.loads(text)[kind]
    return weights
