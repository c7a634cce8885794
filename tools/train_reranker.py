"""Trains the weights of the linear reranker, and says how good they are on repositories not seen.

    python -m tools.train_reranker SET… [--repositories FILE] [--vectors FILE] [--write]

The sets are labelled as for `glossator eval retrieval`. Each figure is of a repository whose
questions were left out of the training that it is measured with. `--vectors` names the file where
the vectors of the local embedder are kept; without it the weights for words alone are trained.

The loss is that of a softmax over the candidates of a question: the negative logarithm of the
probability that a target is chosen, averaged over the targets (ListNet's top-one probability).

Source: Cao et al., "Learning to Rank: From Pairwise Approach to Listwise Approach" (2007).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glossator.retrieval import (
    FEATURES,
    VECTORS,
    EmbedderChoice,
    VectorPlace,
    figures_of,
    opened,
    ordered,
    scaled,
)
from glossator.retrieval.embeddings.local import MODEL_ID
from glossator_eval import (
    ChunkSearch,
    Embeddings,
    Question,
    Result,
    ndcg_at,
    pass_at,
    read_set,
    target_ranks,
)

# What a person wants, and what sets of questions about tests teach otherwise.
FIXED = {
    "test": -3.0,
    "example": -2.0,
    "old": -2.5,
    "port": -1.5,
    "manifest": 3.9,
    "named_first": 0.25,
    "named_type": 0.5,
    "symbol": 4.0,
}
# What never counts against a candidate, and what counts at most so much; the sets are too small to
# teach otherwise.
HELPS = (
    "lexical coverage file defines defines_precision within named_defined named_alone named_within"
    " stem stem_prefix folder_precision folder_prefix path path_words"
).split()
MOST = {"changelog": -3.0, "prose": -3.0, "data": -3.0, "named_test": 1.0}
HARDEST = 200  # candidates of a question that are trained on
DECAY, STEPS, RATE = 0.02, 120, 0.08  # of Adam


@dataclass(frozen=True)
class Case:
    """A question with the figures of its candidates, and which candidates answer it, by target."""

    set: str
    question: Question
    places: Sequence[Result]
    figures: NDArray[np.float64]
    answers: NDArray[np.bool_]


def cases(place: Path, repositories: Path | None, vectors: VectorPlace | None) -> Iterator[Case]:
    """The questions of a set."""
    embeddings = None
    if vectors is not None:
        choice = EmbedderChoice("local", MODEL_ID)
        embeddings = Embeddings(opened(choice), vectors)
    of_lines = (place / "annotations.jsonl").exists()
    told = of_lines and not (place / "repositories.json").exists()
    labelled = read_set(place, repositories=repositories if told else None)
    for collection in labelled.collections:
        search = ChunkSearch(embeddings)
        search.index(collection.documents)
        for question in collection.questions:
            asked, matches, similarity = search.matches(question.text)
            figures = figures_of(asked, matches)
            if similarity is not None:
                figures = np.column_stack([figures, scaled(similarity)])
            places = [
                Result(at.path, at.chunk.first_line, at.chunk.last_line, "")
                for at in matches.candidates
            ]
            answers = [
                [target.found_in(at.path, at.first_line, at.last_line) for at in places]
                for target in question.all_targets
            ]
            yield Case(place.name, question, places, figures, np.array(answers, bool))
        sys.stderr.write(f"{collection.name}: {len(collection.questions)} questions\n")


def fit(training: Sequence[Case], names: Sequence[str]) -> NDArray[np.float64]:
    """The weights, by name of the feature."""
    rows, starts, targets, target_starts, shares = [], [], [], [], []
    row_count = target_count = 0
    for case in training:
        answers = [each for each in case.answers if each.any()]
        if not answers:
            continue
        hard = np.zeros(len(case.figures), bool)
        by_words = case.figures[:, names.index("lexical")] + case.figures[:, names.index("file")]
        hard[np.argsort(-by_words)[:HARDEST]] = True
        kept = np.flatnonzero(hard | np.any(answers, axis=0))
        rows.append(case.figures[kept])
        starts.append(row_count)
        for answer in answers:
            here = np.flatnonzero(answer[kept]) + row_count
            targets.append(here)
            target_starts.append(target_count)
            target_count += len(here)
            shares.append(1 / len(answers))
        row_count += len(kept)
    figures = np.concatenate(rows)
    spread = figures.std(axis=0) + 1e-6
    figures = (figures - figures.mean(axis=0)) / spread
    weights = np.array([FIXED.get(name, 0.0) for name in names]) * spread
    answering = np.concatenate(targets)
    fixed = np.array([name in FIXED for name in names])
    least = np.array([0.0 if name in HELPS else -np.inf for name in names])
    most = np.array([MOST.get(name, np.inf) for name in names]) * spread
    bounds = np.where(fixed, weights, least), np.where(fixed, weights, most)
    found = _descend(figures, starts, answering, target_starts, shares, weights, bounds)
    weights_by_name: NDArray[np.float64] = found / spread
    return weights_by_name


def _descend(
    figures: NDArray[np.float64],
    starts: Sequence[int],
    targets: NDArray[np.intp],
    target_starts: Sequence[int],
    shares: Sequence[float],
    weights: NDArray[np.float64],
    bounds: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Adam's steps from `weights`, each within its least and its most."""
    lengths = np.diff([*starts, len(figures)])
    case_of = np.repeat(np.arange(len(starts)), lengths)
    target_lengths = np.diff([*target_starts, len(targets)])
    share = np.repeat(shares, target_lengths)
    mean, variance = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        scores = figures @ weights
        chance = np.exp(scores - np.maximum.reduceat(scores, starts)[case_of])
        chance /= np.add.reduceat(chance, starts)[case_of]
        of_target = chance[targets]
        sums = np.maximum(np.add.reduceat(of_target, target_starts), 1e-12)
        pull = chance.copy()
        np.subtract.at(pull, targets, of_target / np.repeat(sums, target_lengths) * share)
        slope = figures.T @ pull / len(starts) + DECAY * weights
        mean = 0.9 * mean + 0.1 * slope
        variance = 0.99 * variance + 0.01 * slope**2
        corrected = mean / (1 - 0.9**step), variance / (1 - 0.99**step)
        weights = np.clip(weights - RATE * corrected[0] / (np.sqrt(corrected[1]) + 1e-8), *bounds)
    return weights


def cross_validated(known: Sequence[Case], names: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    """Pass@5/10/20 and NDCG@10 of each set, without a question's own repository in training."""
    found: dict[str, list[tuple[float, ...]]] = {}
    for repository in sorted({case.question.repository for case in known}):
        weights = fit([case for case in known if case.question.repository != repository], names)
        for case in known:
            if case.question.repository == repository:
                order = ordered(
                    case.figures[:, : len(FEATURES)],
                    case.figures @ weights,
                    [at.path for at in case.places],
                )
                ranks = target_ranks(
                    [case.places[row] for row in order[:20]], case.question.all_targets
                )
                measured = (
                    *(100 * pass_at(ranks, limit) for limit in (5, 10, 20)),
                    ndcg_at(ranks, 10),
                )
                found.setdefault(case.set, []).append(measured)
    return {name: np.mean(values, axis=0) for name, values in found.items()}


def main() -> None:
    """Train, show, and write the weights if that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--repositories", type=Path)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    vectors = VectorPlace(MODEL_ID, str(given.vectors), 10**10) if given.vectors else None
    known = [case for place in given.sets for case in cases(place, given.repositories, vectors)]
    names = [*FEATURES, VECTORS] if given.vectors else [*FEATURES]
    for name, (five, ten, twenty, ndcg) in cross_validated(known, names).items():
        sys.stdout.write(
            f"{name}: pass@5/10/20 {five:.1f} {ten:.1f} {twenty:.1f}, NDCG@10 {ndcg:.3f}\n"
        )
    if given.write:
        file = Path(str(resources.files("glossator.retrieval") / "weights.json"))
        weights = json.loads(file.read_text("utf-8"))
        trained = fit(known, names)
        weights["vectors" if given.vectors else "lexical"] = {
            name: round(float(weight), 3) for name, weight in zip(names, trained, strict=True)
        }
        file.write_text(json.dumps(weights, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
