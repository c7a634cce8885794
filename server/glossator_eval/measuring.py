"""Runs the questions of a labelled set against a retriever, and sums up what it found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from glossator.core.errors import UsageError
from glossator.core.text import split_lines
from glossator_eval.labelled import SYMBOL, Collection, LabelledSet, Question
from glossator_eval.metrics import (
    FEWEST_CLUSTERS,
    definition_is_first,
    figure,
    measures,
    percentile,
    target_ranks,
)
from glossator_eval.report import (
    DEPTH,
    MEASURES,
    GroupFigures,
    RetrievalReport,
    Score,
    Variant,
)
from glossator_eval.retriever import Result, Retriever, Stages

MakeRetriever = Callable[[], Retriever]
Told = Callable[[str, int, int], None]  # a collection, and how many searches of all are done


@dataclass(slots=True)
class _Measured:
    """What one variant did so far."""

    stages: Stages
    scores: list[Score] = field(default_factory=list)
    dollars: float = 0.0


def measure(
    labelled: LabelledSet,
    make: MakeRetriever,
    stages: Stages,
    *,
    ablation: bool = False,
    told: Told = lambda *_: None,
) -> RetrievalReport:
    """Ask all questions, with these stages as far as they are available.

    With `ablation`, also with fewer stages, see `Stages.ablated`. Each collection is indexed once,
    with a retriever of its own from `make`. Raises `UsageError` if nothing can be asked.
    """
    variants: dict[str, _Measured] = {}
    collections = documents = chunks = done = 0
    seconds = dollars = 0.0
    for collection in labelled.collections:
        with closing(make()) as retriever:
            if not variants:
                chosen = _chosen(stages, retriever.available)
                less = chosen.ablated() if ablation else ()
                variants = {name: _Measured(each) for name, each in [("full", chosen), *less]}
            begun = time.perf_counter()
            chunks += retriever.index(collection.documents)
            seconds += time.perf_counter() - begun
            dollars += retriever.spent()
            collections += 1
            documents += len(collection.documents)
            for measured in variants.values():
                before = retriever.spent()
                for score in _ask(retriever, collection, measured.stages):
                    measured.scores.append(score)
                    done += 1
                    told(collection.name, done, labelled.questions * len(variants))
                measured.dollars += retriever.spent() - before
    if not variants:
        raise UsageError(f"{labelled.name} has no question; choose another set.")
    summed = tuple(_variant(name, measured) for name, measured in variants.items())
    groups = len(summed[0].repositories)
    return RetrievalReport(
        set=labelled.name,
        questions=summed[0].overall.questions,
        collections=collections,
        documents=documents,
        chunks=chunks,
        index_seconds=seconds,
        dollars=dollars,
        clusters="question" if groups < FEWEST_CLUSTERS else "repository",
        variants=summed,
    )


def _chosen(stages: Stages, available: Stages) -> Stages:
    chosen = stages.within(available)
    if not (chosen.lexical or chosen.vectors):
        raise UsageError(
            f"None of the stages {', '.join(stages.names)} can run here; available are"
            f" {', '.join(available.names)}."
        )
    return chosen


def _ask(retriever: Retriever, collection: Collection, stages: Stages) -> Iterator[Score]:
    lines = {each.path: each.text for each in collection.documents}
    for question in collection.questions:
        begun = time.perf_counter()
        results = retriever.search(question.text, DEPTH, stages)[:DEPTH]
        milliseconds = (time.perf_counter() - begun) * 1000
        yield _score(question, results, lines, milliseconds)


def _score(
    question: Question, results: Sequence[Result], texts: dict[str, str], milliseconds: float
) -> Score:
    score = Score(
        question=question.text,
        repository=question.repository,
        category=question.category,
        line=question.line,
        ranks=target_ranks(results, question.all_targets),
        milliseconds=milliseconds,
    )
    if question.category != SYMBOL:
        return score
    lines = split_lines(texts.get(results[0].path, "")) if results else []
    return replace(score, definition_first=definition_is_first(question, results, lines))


def _variant(name: str, measured: _Measured) -> Variant:
    scores = measured.scores
    times = [score.milliseconds for score in scores]
    return Variant(
        name=name,
        stages=measured.stages.names,
        overall=_group("all", scores),
        categories=_groups(scores, [score.category for score in scores]),
        repositories=_groups(scores, [score.repository for score in scores]),
        p50_milliseconds=percentile(times, 50),
        p95_milliseconds=percentile(times, 95),
        dollars=measured.dollars,
        scores=tuple(scores),
    )


def _groups(scores: Sequence[Score], keys: Sequence[str]) -> tuple[GroupFigures, ...]:
    members: dict[str, list[Score]] = {}
    for key, score in zip(keys, scores, strict=True):
        members.setdefault(key, []).append(score)
    return tuple(_group(key, members[key]) for key in sorted(members))


def _group(name: str, scores: Sequence[Score]) -> GroupFigures:
    values: dict[str, list[float]] = {}
    repositories: dict[str, list[str]] = {}
    for score in scores:
        for each, value in measures(score).items():
            values.setdefault(each, []).append(value)
            repositories.setdefault(each, []).append(score.repository)
    figures = {
        each: figure(values[each], repositories[each]) for each in MEASURES if each in values
    }
    return GroupFigures(name, len(scores), figures)
