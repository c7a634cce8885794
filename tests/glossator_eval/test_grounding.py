"""The measure of the verifier of statements, and how it is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from glossator.cli.app import app
from glossator.core.errors import UsageError
from glossator.grounding.rules import Verdict
from glossator_eval import (
    GroundingReport,
    grounding_parts,
    measure_grounding,
    plot_grounding,
)
from glossator_eval.grounding import share
from tests.cli.drawing import drawn
from tests.glossator_eval.sets import write_files
from tests.glossator_eval.test_statements import FILES, TYPESCRIPT


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write_files(tmp_path / "shop", FILES | {"box.ts": TYPESCRIPT, "broken.py": "def f(:"})


@pytest.fixture
def report(shop: Path) -> GroundingReport:
    return measure_grounding([shop], most=60, show=3)


def test_every_statement_is_judged_once(report: GroundingReport) -> None:
    assert report.statements == 120
    for groups in (report.kinds, report.languages, report.repositories):
        assert sum(each.caught.total for each in groups) == 60
        assert sum(each.refused.total for each in groups) == 60
    assert sum(each.caught.count for each in report.falsifications) == report.overall.caught.count
    overall = report.overall
    assert overall.caught.count + overall.false_undecided.count + overall.missed.count == 60
    assert overall.supported.count + overall.undecided.count + overall.refused.count == 60
    assert [each.name for each in report.languages] == ["python", "typescript"]


def test_misjudged_statements_are_named(report: GroundingReport) -> None:
    refused = {Verdict.CONTRADICTED, Verdict.UNSUPPORTED}
    assert all((each.verdict in refused) != bool(each.falsification) for each in report.misjudged)
    assert len(report.misjudged) <= 6


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [(0, 0, 0, 1), (0, 10, 0, 0.278), (10, 10, 0.722, 1), (81, 263, 0.255, 0.366)],
)
def test_intervals_are_wilsons(count: int, total: int, low: float, high: float) -> None:
    found = share(count, total)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-4)


def test_a_terminal_shows_shares_and_examples(report: GroundingReport) -> None:
    text = drawn(lambda renderer: renderer.answer(report, grounding_parts(report)))
    assert "120 statements" in text
    assert "By falsification" in text
    assert "wrong citation" in text
    for each in report.misjudged:
        assert each.statement[:20] in text


def test_the_command_measures_and_prints_json(shop: Path) -> None:
    words = ["eval", "grounding", str(shop), "--most", "30", "--phrasings", "dev", "--seed", "2"]
    answers = []
    for _ in range(2):
        ended = CliRunner().invoke(app, [*words, "--json"])
        assert ended.exit_code == 0, ended.output
        answers.append(json.loads(ended.stdout.splitlines()[-1]))
    assert answers[0]["statements"] == 60
    assert answers[0]["phrasings"] == "dev"
    assert answers[0]["overall"] == answers[1]["overall"]  # the seed decides
    assert answers[0]["misjudged"] == []


def test_a_repository_without_code_is_refused(tmp_path: Path) -> None:
    write_files(tmp_path / "prose", {"read.md": "Nothing to see."})
    with pytest.raises(UsageError, match="No statement can be made"):
        measure_grounding([tmp_path / "prose"])


def test_unknown_phrasings_are_refused(shop: Path) -> None:
    with pytest.raises(UsageError, match="dev, held-out or all"):
        measure_grounding([shop], half="other")


def test_a_picture_is_drawn(tmp_path: Path, report: GroundingReport) -> None:
    pytest.importorskip("matplotlib", reason="an optional extra")
    plot_grounding(report, tmp_path / "report.png")
    assert (tmp_path / "report.png").read_bytes().startswith(b"\x89PNG")
