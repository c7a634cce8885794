"""The report as people, pipes and programs get it, and the picture of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from glossator.cli.app import app
from glossator.core.errors import UsageError
from glossator_eval import (
    RetrievalReport,
    Stages,
    check_plot,
    measure,
    plot,
    read_set,
    retrieval_parts,
)
from tests.cli.drawing import drawn
from tests.glossator_eval.sets import FILES, annotation, line_set, write_files
from tests.glossator_eval.test_measuring import Staged

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def report(tmp_path: Path) -> RetrievalReport:
    questions = [annotation(f"refund order {at}", "src/refund.py") for at in range(5)]
    place = line_set(tmp_path / "set", *questions, annotation("Cart", "src/cart.py"))
    return measure(read_set(place), Staged, Stages(), ablation=True)


def test_a_terminal_shows_each_figure_with_its_interval(report: RetrievalReport) -> None:
    text = drawn(lambda renderer: renderer.answer(report, retrieval_parts(report)))
    assert "6 questions, 4 files in 4 chunks" in text
    assert "full is lexical + vectors + fusion + rerank" in " ".join(text.split())
    (line,) = (line for line in text.splitlines() if line.startswith("without rerank"))
    assert line.split()[2:5] == ["0.0", "0.0", "0.0"]
    assert "By category" in text
    assert "By repository" not in text  # there is one


def test_a_pipe_gets_a_line_for_each_variant(
    capsys: pytest.CaptureFixture[str], report: RetrievalReport
) -> None:
    from glossator.cli.render.pipe import Pipe  # noqa: PLC0415
    from glossator.cli.render.renderer import Renderer  # noqa: PLC0415

    Renderer(Pipe()).answer(report, retrieval_parts(report))
    lines = capsys.readouterr().out.splitlines()
    (full,) = (line for line in lines if line.startswith("full\t"))
    assert full.split("\t")[1:3] == ["100.0 [100-100]", "100.0 [100-100]"]


def test_the_command_measures_and_prints_json(tmp_path: Path) -> None:
    place = line_set(tmp_path / "set", annotation("where is the order refunded", "src/refund.py"))
    ended = CliRunner().invoke(app, ["eval", "retrieval", str(place), "--json"])
    assert ended.exit_code == 0, ended.output
    answer = json.loads(ended.stdout.splitlines()[-1])
    (variant,) = answer["variants"]
    assert answer["questions"] == 1
    assert variant["overall"]["figures"]["pass@5"]["mean"] == 1
    assert variant["scores"][0]["ranks"] == [1]


def test_the_command_generates(tmp_path: Path) -> None:
    documented = (
        'def f():\n    """Turns all of the letters around, the last one first."""\n    g()\n'
    )
    folder = write_files(tmp_path / "shop", FILES | {"src/turn.py": documented})
    words = ["eval", "retrieval", "--generate", str(folder), "-o", str(tmp_path / "set")]
    ended = CliRunner().invoke(app, words)
    assert ended.exit_code == 0, ended.output
    assert "1 question about 1 file" in ended.output
    assert (tmp_path / "set/annotations.jsonl").exists()


@pytest.mark.parametrize("words", [[], ["set", "--generate", "."], ["--generate", "."]])
def test_the_command_says_what_belongs_together(words: list[str], tmp_path: Path) -> None:
    ended = CliRunner().invoke(app, ["eval", "retrieval", *words])
    assert isinstance(ended.exception, UsageError)
    assert "--generate FOLDER" in str(ended.exception)


def test_a_picture_is_drawn(tmp_path: Path, report: RetrievalReport) -> None:
    pytest.importorskip("matplotlib", reason="an optional extra")
    plot(report, tmp_path / "report.png")
    assert (tmp_path / "report.png").read_bytes().startswith(PNG)


def test_a_picture_that_cannot_be_is_refused_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"pip install 'glossator\[eval\]'"):
        check_plot(tmp_path / "report.png")
    monkeypatch.undo()
    pytest.importorskip("matplotlib", reason="an optional extra")
    with pytest.raises(UsageError, match=r"ending \.png"):
        check_plot(tmp_path / "report.jpg")
    with pytest.raises(UsageError, match="no folder"):
        check_plot(tmp_path / "nowhere/report.png")
