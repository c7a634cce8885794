"""The dispatcher's words against labelled questions: tuned on one half, measured on the other."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from glossator.turn.plan.planner import TaskType, by_words

QUESTIONS = tomllib.loads((Path(__file__).parent / "questions.toml").read_text("utf-8"))


@pytest.mark.parametrize(("half", "simple", "complex_"), [("tuned", 15, 15), ("held_out", 15, 4)])
def test_the_words_of_a_question(half: str, simple: int, complex_: int) -> None:
    """How many of 15 each are told right. A hard question taken for a simple one loses little."""
    right = {
        label: sum(by_words(each) is TaskType(label) for each in questions)
        for label, questions in QUESTIONS[half].items()
    }
    assert {len(questions) for questions in QUESTIONS[half].values()} == {15}
    assert right == {"SIMPLE": simple, "COMPLEX": complex_}
