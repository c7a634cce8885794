"""Which facts go with a question, of 500 that were made of Glossator's docstrings once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from glossator.core.fact import Fact, Passage
from glossator.core.span import Basis
from glossator.ledger.selection import for_question, meaning_key

MOST = 12  # `facts.told`
LONG = (
    "How does {} work together with the retry of a failed request, from the settings over the queue"
    " to the connection, and which limits does a user configure for it?"
)


def fact(number: int, statement: str, path: str, asked: Sequence[str] = ()) -> Fact:
    passage = Passage(f"/ws/{path}", 1, 1, ("0123456789ab",))
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Fact(
        f"f{number:010x}",
        statement,
        path,
        passage,
        "0",
        0.8,
        Basis.MODEL,
        now,
        "s",
        "r",
        asked=tuple(asked),
    )


@cache
def facts() -> tuple[Fact, ...]:
    """500 facts, from all over a source."""
    lines = Path(__file__).with_name("facts.tsv").read_text("utf-8").splitlines()
    each = (line.split("\t") for line in lines)
    return tuple(fact(at, statement, path) for at, (path, statement) in enumerate(each))


def named(each: Fact) -> str:
    return each.statement.split("`")[1]


def told(question: str, most: int = MOST) -> list[Fact]:
    return for_question(question, facts(), most)


def test_a_fact_about_a_symbol_that_the_question_names_is_told() -> None:
    """However long the question is, and whether the name is qualified or not."""
    assert len(facts()) == 500
    for each in facts()[::7]:
        name, last = named(each), named(each).rpartition(".")[2]
        alike = [other for other in facts() if named(other).rpartition(".")[2] == last]
        for question in (LONG.format(f"`{name}`"), LONG.format(f"{last}()")):
            assert each in told(question, max(MOST, len(alike))), question


def test_facts_of_a_file_that_the_question_names_are_told_first() -> None:
    for path in dict.fromkeys(each.path for each in facts()[::25]):
        own = {each.id for each in facts() if each.path == path}
        found = told(LONG.format(path))
        assert {each.id for each in found[: len(own)]} <= own
        assert len(found) >= min(len(own), MOST)


@pytest.mark.parametrize(
    "question",
    [
        "Which word is used for this?",
        "What is the value of the name?",
        "Is the default value of the option a number or a string?",
        "What type does the result have?",
        "Which key is set in that object?",
        "What is the size of the data?",
        "How are words counted in the text of a line?",
        "Which class holds the state?",
        "How does the thing work?",
    ],
)
def test_common_words_bring_nothing(question: str) -> None:
    assert told(question) == []


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("How are citations checked?", "citation"),
        ("When does the embedder rest?", "embed"),
        ("How is a checkpoint taken back?", "checkpoint"),
    ],
)
def test_a_word_that_tells_brings_what_is_about_it(question: str, word: str) -> None:
    found = told(question)
    assert found
    about = [
        each for each in found if re.search(word, f"{each.statement} {each.path}", re.IGNORECASE)
    ]
    assert len(about) > len(found) / 2


def test_a_question_that_is_asked_again_brings_all_that_it_brought() -> None:
    key = meaning_key("What goes on here?")
    mine = [fact(1_000 + at, f"`zebra_{at}` grazes.", "zoo.py", ("00", key)) for at in range(9)]
    found = for_question("what goes on, here", [*facts(), *mine], MOST)
    assert {each.id for each in mine} <= {each.id for each in found}
    assert len(for_question("What goes on here?", [*facts(), *mine], 5)) == 5


@pytest.mark.parametrize(
    ("question", "statement", "is_told"),
    [
        # what a request for a change says, and a folder of a path, tell nothing of the matter
        ("Delete the debug print in the parser.", "`__delattr__` deletes `_state`.", False),
        ("Move zoo/farm.py to zoo/barn.py, fix imports.", "`zoo/cow.py` imports `graze`.", False),
        ("Replace the lock in zoo/farm.py.", "`zoo/cow.py` replaces `graze`.", False),
        # the name of a file does, and what the change is about
        ("Move zoo/grazing.py to zoo/barn.py.", "`zoo/cow.py` imports `graze`.", True),
        ("Delete the grazing of zebras.", "`zoo/cow.py` imports `graze`.", True),
        ("How often is it retried?", "`graze` retries twice.", True),
    ],
)
def test_few_facts_go_with_a_request_for_a_change(
    question: str, statement: str, is_told: bool
) -> None:
    assert bool(for_question(question, [fact(1, statement, "zoo/cow.py")], MOST)) is is_told


def test_a_path_is_named_as_a_whole() -> None:
    """`zoo.py` is not `prezoo.py`."""
    said = [
        fact(1_001, "`graze` is called by `prezoo.py`.", "farm.py"),
        fact(1_002, "`graze` is called by `old/zoo.py`.", "farm.py"),
        fact(1_003, "`graze` is called by zoo.py.", "farm.py"),
        fact(1_004, "`graze` eats.", "old/zoo.py"),
    ]
    found = for_question("What stands in zoo.py?", [*facts(), *said], MOST)
    assert [each for each in said if each in found] == said[1:]


def test_of_twins_one_is_told() -> None:
    twins = [
        fact(1, "`Zebra.graze` eats up to 3 plants.", "zoo.py"),
        fact(2, "`graze` eats at most 3 plants.", "zoo.py"),
        fact(3, "`Zebra.graze` eats 4 plants.", "zoo.py"),
    ]
    found = for_question("What does `graze` eat?", twins, 9)
    assert {re.findall(r"\d", each.statement)[0] for each in found} == {"3", "4"}
    assert len(found) == 2
