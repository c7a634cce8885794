"""The few lines of a chunk that people see first."""

from __future__ import annotations

import pytest

from glossator.retrieval import best_lines, question_of

CHUNK = """\
def log_in(token):
    check(token)
    session = open_session(token)
    note(token)

    # one session a day
    return session
""".split("\n")


@pytest.mark.parametrize(
    ("question", "lines", "words"),
    [
        ("who opens a session?", (10, 11, 12, 15, 16), ("session", "open_session")),
        ("logging in", (10, 11, 12), ("log_in",)),
        ("note", (10, 11, 12, 13), ("note",)),
        ("nothing of it", (10, 11, 12), ()),
    ],
)
def test_lines(question: str, lines: tuple[int, ...], words: tuple[str, ...]) -> None:
    told = best_lines(question_of(question), CHUNK, 10, "log_in")
    assert (set(told.lines), told.words) == (set(lines), words)


def test_many_matches_are_few_lines() -> None:
    lines = [f"zebra(stripe_{n})" for n in range(80)]
    assert len(best_lines(question_of("zebra stripe"), lines, 1).lines) <= 8


@pytest.mark.parametrize(
    ("question", "lines"),
    [("session", (10, 11, 12)), ("note, check", (11, 12, 13)), ("nothing of it", (10,))],
)
def test_two_lines_an_import_last(question: str, lines: tuple[int, ...]) -> None:
    text = ["from a import session", "check(token)", "open_session(token)", "note(token)"]
    assert best_lines(question_of(question), text, 10, most=2).lines == lines
    best = best_lines(question_of("session"), text, 10, most=1)
    assert best.lines == (12,)
