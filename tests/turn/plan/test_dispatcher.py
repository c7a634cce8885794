"""The dispatcher's words against labelled questions: tuned on one part, measured on the others."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from glossator.turn.plan.planner import TaskType, asks_for_change, by_words

QUESTIONS = tomllib.loads((Path(__file__).parent / "questions.toml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("question", "type_"),
    [
        ("What is the difference between the reader, the writer and how both of them close?", "S"),
        ("How do the two queues differ in what they do when they are full?", "S"),
        ("Summarise the risks of each of the five services, both server and client", "C"),
        ("How does every one of the 20 commands between start and exit report a failure?", "C"),
        ("What are the risks of both the server and the client of this?", "C"),
    ],
)
def test_two_things_are_simple_unless_there_are_more(question: str, type_: str) -> None:
    assert by_words(question).startswith({"S": "SIMPLE", "C": "COMPLEX"}[type_])


@pytest.mark.parametrize(
    ("part", "simple", "complex_"),
    [("tuned", (21, 21), (9, 9)), ("held_out", (21, 21), (3, 9)), ("new", (10, 10), (6, 10))],
)
def test_the_words_of_a_question(
    part: str, simple: tuple[int, int], complex_: tuple[int, int]
) -> None:
    """How many of so many are told right. A hard question taken for a simple one loses little."""
    told = {
        label: (sum(by_words(each) is TaskType(label) for each in questions), len(questions))
        for label, questions in QUESTIONS[part].items()
    }
    assert told == {"SIMPLE": simple, "COMPLEX": complex_}


def test_a_plain_request_for_a_change_is_told_by_its_words() -> None:
    plain, others = QUESTIONS["changes"]["PLAIN"], QUESTIONS["changes"]["OTHER"]
    assert [each for each in plain if not asks_for_change(each)] == []
    assert [each for each in others if asks_for_change(each)] == []
    assert not asks_for_change(f"{plain[0]} {'It is long. ' * 20}")


@pytest.mark.parametrize("part", ["tuned", "held_out", "new"])
def test_no_hard_question_is_taken_for_a_plain_request(part: str) -> None:
    assert [each for each in QUESTIONS[part]["COMPLEX"] if asks_for_change(each)] == []
