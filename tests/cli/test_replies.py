"""What the user types is the answer that is meant."""

from __future__ import annotations

import pytest

from glossator.cli.replies import parse_answer
from glossator.core.question import Option, Question

_OPTIONS = (Option("Keep", "as it is"), Option("Drop"))


@pytest.mark.parametrize(
    ("line", "chosen", "words"),
    [
        ("1\n", ["Keep"], ""),
        (" 2 ", ["Drop"], ""),
        ("Drop\n", ["Drop"], ""),
        ("\n", [], ""),
        ("", [], ""),
        ("neither, rename it", [], "neither, rename it"),
        ("2 files stay", [], "2 files stay"),
    ],
)
def test_numbers_labels_and_words(line: str, chosen: list[str], words: str) -> None:
    assert parse_answer(line, _question()) == {"chosen": chosen, "words": words}


@pytest.mark.parametrize("line", "y yes YES ok okay sure yep n no ? x".split())
def test_what_chooses_none_of_the_options_is_asked_again(line: str) -> None:
    assert parse_answer(f"{line}\n", _question()) == "Choose from 1 to 2, or answer in words."


@pytest.mark.parametrize("line", ["yes, the first", "yes please", "no, neither", "ok then"])
def test_more_than_that_is_an_answer_in_words(line: str) -> None:
    assert parse_answer(line, _question()) == {"chosen": [], "words": line}


def test_yes_and_no_choose_the_options_of_that_name() -> None:
    question = Question("And now?", (Option("Yes"), Option("No")))
    assert parse_answer("yes", question) == {"chosen": ["Yes"], "words": ""}
    assert parse_answer("NO", question) == {"chosen": ["No"], "words": ""}
    assert parse_answer("n", question) == "Choose from 1 to 2, or answer in words."


@pytest.mark.parametrize(
    ("line", "several", "expected"),
    [
        ("3", False, "Choose from 1 to 2, or answer in words."),
        ("0", True, "Choose from 1 to 2, or answer in words."),
        ("1, 2", False, "Choose one of them, or answer in words."),
        ("1, 2", True, {"chosen": ["Keep", "Drop"], "words": ""}),
        ("2 1 2", True, {"chosen": ["Drop", "Keep"], "words": ""}),
    ],
)
def test_several(line: str, several: bool, expected: object) -> None:
    assert parse_answer(line, _question(several=several)) == expected


def _question(*, several: bool = False) -> Question:
    return Question("And now?", _OPTIONS, several)
