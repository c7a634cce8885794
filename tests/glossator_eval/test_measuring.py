"""Measures agree with what a person computes, and a run counts what a retriever did."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from glossator.core.errors import UsageError
from glossator_eval import (
    Question,
    Result,
    SourceText,
    Stages,
    definition_is_first,
    figure,
    measure,
    ndcg_at,
    pass_at,
    read_set,
    target_ranks,
)
from glossator_eval.labelled import GoldenLines
from tests.glossator_eval.baseline import Bm25
from tests.glossator_eval.sets import annotation, chunk_set, line_set

A, B, C = (Result(name, 1, 10, "") for name in ("a.py", "b.py", "c.py"))


def test_a_target_counts_at_the_first_result_that_holds_it() -> None:
    targets = [GoldenLines("b.py"), GoldenLines("a.py", 11, 12), GoldenLines("c.py", 10, 30)]
    assert target_ranks([A, B, C, B], targets) == (2, None, 3)


def test_pass_is_the_share_of_targets() -> None:
    ranks = (1, 6, None, 20)
    assert [pass_at(ranks, limit) for limit in (5, 10, 20)] == [0.25, 0.5, 0.75]


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ((1,), 1.0),
        ((2,), 1 / math.log2(3)),
        ((None, 11), 0.0),
        ((1, 3), (1 + 1 / 2) / (1 + 1 / math.log2(3))),
        ((1, 1), 1 / (1 + 1 / math.log2(3))),  # one result has one gain
    ],
)
def test_ndcg(ranks: tuple[int | None, ...], expected: float) -> None:
    assert ndcg_at(ranks, 10) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "first", "is_it"),
    [
        ("Cart", Result("a.py", 1, 2, ""), True),
        ("Cart", Result("a.py", 3, 9, ""), False),  # in its file, and not its definition
        ("shop::Cart", Result("a.py", 1, 2, ""), True),
        ("Carts", Result("a.py", 3, 9, ""), True),  # nothing there looks like its definition
        ("Cart", Result("b.py", 1, 2, ""), False),
    ],
)
def test_the_definition_is_first(name: str, first: Result, is_it: bool) -> None:
    question = Question(name, "shop", "symbol", (GoldenLines("a.py"),))
    assert definition_is_first(question, [first], ["class Cart:", "", "x = Cart()"]) is is_it


def test_intervals_are_those_of_the_seed() -> None:
    values = [at / 99 for at in range(100)]  # the deviation of the mean is .029
    names = ["one"] * 100
    once = figure(values, names)
    assert (once.mean, once.low, once.high) == pytest.approx((0.5, 0.443, 0.557), abs=0.01)
    assert figure(values, names) == once
    assert figure(values, names, seed=1) != once


def test_questions_of_a_repository_are_drawn_together() -> None:
    values = [float(at < 50) for at in range(100)]
    names = [str(at // 10) for at in range(100)]  # five repositories all right, five all wrong
    alone, together = figure(values, ["one"] * 100), figure(values, names)
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_a_set_is_measured(tmp_path: Path) -> None:
    place = line_set(
        tmp_path,
        annotation("refund order total", "src/refund.py"),
        annotation("Cart", "src/cart.py", "README.md"),
    )
    made: list[Bm25] = []

    def make() -> Bm25:
        made.append(Bm25(dollars=0.01))
        return made[-1]

    seen: list[tuple[str, int, int]] = []
    report = measure(read_set(place), make, Stages(), told=lambda *told: seen.append(told))
    (variant,) = report.variants
    assert (variant.name, variant.stages) == ("full", ("lexical",))  # of what is available
    assert (report.questions, report.documents, report.chunks) == (2, 4, 4)
    assert [score.ranks for score in variant.scores] == [(1,), (1, None)]
    assert [score.definition_first for score in variant.scores] == [None, True]
    figures = variant.overall.figures
    assert figures["pass@5"].mean == pytest.approx(0.75)
    assert figures["1 - recall@20"].mean == pytest.approx(0.25)
    assert figures["definition first"].questions == 1
    assert [(group.name, group.questions) for group in variant.categories] == [
        ("semantic", 1),
        ("symbol", 1),
    ]
    assert report.dollars == 0
    assert variant.dollars == pytest.approx(0.02)
    assert 0 < variant.p50_milliseconds <= variant.p95_milliseconds
    assert seen == [("shop", 1, 2), ("shop", 2, 2)]
    assert [each.closed for each in made] == [True]


def test_given_chunks_are_measured(tmp_path: Path) -> None:
    report = measure(read_set(chunk_set(tmp_path)), Chunks, Stages())
    assert [score.ranks for score in report.variants[0].scores] == [(2,), (1,)]
    assert report.variants[0].scores[0].repository == tmp_path.name


class Chunks(Bm25):
    """Gives the last chunk first, whatever is asked."""

    def search(self, question: str, limit: int, stages: Stages) -> Sequence[Result]:
        return self._chunks[::-1][:limit]


class Staged(Bm25):
    """Every stage is there; without the reranker nothing is found."""

    available = Stages()

    def search(self, question: str, limit: int, stages: Stages) -> Sequence[Result]:
        return self._chunks[:limit] if stages.rerank else []


def test_an_ablation_takes_each_stage_away(tmp_path: Path) -> None:
    place = line_set(tmp_path, annotation("refund order", "src/refund.py"))
    report = measure(read_set(place), Staged, Stages(), ablation=True)
    found = {each.name: (each.stages, each.scores[0].ranks) for each in report.variants}
    assert found == {
        "full": (("lexical", "vectors", "fusion", "rerank"), (3,)),
        "without lexical": (("vectors", "rerank"), (3,)),
        "without vectors": (("lexical", "rerank"), (3,)),
        "without fusion": (("lexical", "vectors", "rerank"), (3,)),
        "without rerank": (("lexical", "vectors", "fusion"), (None,)),
        "lexical alone": (("lexical",), (None,)),
        "vectors alone": (("vectors",), (None,)),
    }
    assert report.chunks == 4  # each collection is indexed once


@pytest.mark.parametrize(
    ("names", "message"),
    [(["lexical", "magic"], "no stage magic"), (["rerank"], "without the stage lexical or vec")],
)
def test_stages_that_cannot_be_are_refused(names: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Stages.named(names)


def test_a_stage_that_is_not_set_up_is_named(tmp_path: Path) -> None:
    place = line_set(tmp_path, annotation("refund order", "src/refund.py"))
    with pytest.raises(UsageError, match="None of the stages vectors can run"):
        measure(read_set(place), Bm25, Stages.named(["vectors"]))


def test_windows_of_the_baseline_cover_a_document() -> None:
    retriever = Bm25()
    assert retriever.index([SourceText("a.py", "x\n" * 130)]) == 3
