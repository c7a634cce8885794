"""Citations as a model writes them; `citations.json` is what the panel is tested with as well."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.core.citations import (
    link,
    parse_citations,
    plainly_cited,
    rewrite_citations,
    unreadable,
)

TABLE = json.loads((Path(__file__).parent / "citations.json").read_text(encoding="utf-8"))
Places = list[tuple[str, int, int]]

_numbers = st.integers(1, 99_999)
_paths = st.one_of(
    st.from_regex(
        r"[A-Za-z_.@][A-Za-z0-9_.@+-]*(/[A-Za-z0-9_.-]+){0,3}\.[a-z]{1,4}", fullmatch=True
    ),
    st.sampled_from(["app/[id]/page.tsx", "with blank/a b.md", "Makefile", "a,b.c", "ü/ñ.py"]),
)
_number_forms = st.sampled_from(["{}", "L{}", "l{}", "{:,}", "L{:,}", "line {}"])
_dashes = st.sampled_from(["-", " - ", "\u2013", "\u2014", " to ", ".."])
_heads = st.sampled_from(
    ["cite: doc, ", "cite: ", "Cite: doc, ", "CITE:doc,", "cite: doc: ", "doc, "]
)
_between = st.sampled_from([", ", ":", " , ", "#"])


def found(answer: str) -> Places:
    marks = parse_citations(answer, TABLE["files"].__contains__)
    return [(mark.path, mark.first_line, mark.last_line) for mark in marks]


@pytest.mark.parametrize(("text", "marks"), TABLE["texts"], ids=lambda value: None)
def test_parsing(text: str, marks: list[list[str | int]]) -> None:
    assert found(f"So. {text}" if text[0] not in "`~" else text) == [tuple(each) for each in marks]


def test_where_they_stand() -> None:
    answer = "x [cite: a.py, 1-2; b.py, 3] y `src/app.py:4` z"
    marks = parse_citations(answer, TABLE["files"].__contains__)
    written = [answer[mark.start : mark.end] for mark in marks]
    assert written == ["[cite: a.py, 1-2; b.py, 3]"] * 2 + ["`src/app.py:4`"]


@st.composite
def _written(draw: st.DrawFn) -> tuple[str, Places]:
    """A mark in any form, and what it names."""
    items, places = [], []
    for _ in range(draw(st.integers(1, 3))):
        path = draw(_paths)
        spans = []
        for _ in range(draw(st.integers(1, 3))):
            first, last = draw(_numbers), draw(st.one_of(st.none(), _numbers))
            form = draw(_number_forms)
            ended = "" if last is None else draw(_dashes) + form.format(last)
            spans.append(form.format(first) + ended)
            places.append((re.sub(r"^(?:\./)+", "", path), first, last or first))
        quoted = f"`{path}`" if draw(st.booleans()) else path
        items.append(quoted + draw(_between) + ", ".join(spans))
    return f"[{draw(_heads)}{'; '.join(items)}]", places


@given(st.lists(_written(), max_size=4), st.sampled_from([" ", " and so ", ".\n\n- ", "**"]))
def test_every_form_is_read(written: list[tuple[str, Places]], words: str) -> None:
    answer = f"So{words}" + words.join(text for text, _ in written) + words
    expected = [place for _, places in written for place in places]
    assert found(answer) == expected
    plain = plainly_cited(answer, TABLE["files"].__contains__)
    assert found(plain) == expected
    assert plainly_cited(plain, TABLE["files"].__contains__) == plain


@given(st.text(st.sampled_from("[]cite:doc, L1-2`;.py/#()\n~ a3"), max_size=80))
def test_whatever_is_written(answer: str) -> None:
    marks = parse_citations(answer, lambda path: True)
    for mark in marks:
        assert 0 <= mark.start < mark.end <= len(answer)
    for one, other in pairwise(marks):
        assert other.start in (one.start, *range(one.end, len(answer)))
    shown = rewrite_citations(answer, lambda mark: answer[mark.start : mark.end])
    if len({mark.start for mark in marks}) == len(marks) and "](" not in answer:
        assert shown == answer


@pytest.mark.parametrize(
    "text",
    ["[cite: doc, ", "$", "`", "~", "[", "(a", "a[b", "` ``", "[cite: 1,111,", "x:1 ", "[[cite:[["],
)
def test_none_takes_long(text: str) -> None:
    parse_citations(text * 20_000, lambda path: True)  # quadratic work would take minutes


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("__init__.py:3", "`__init__.py:3`"),
        ("a`b.py:3", "``a`b.py:3``"),
        ("`b.py", "`` `b.py ``"),
        ("b`", "`` b` ``"),
    ],
)
def test_a_link_shows_a_name_as_it_is(name: str, shown: str) -> None:
    assert link(name, "file:///a_(1)") == f"[{shown}](file:///a_%281%29)"


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("[cite: Fact : f1]", "[cite: fact, f1, null]"),
        ("[cite: task 3]", "[cite: task, 3]"),
        ("[cite: run 3]", "[cite: run, 3]"),
        ("[cite: ./a.py:3]", "[cite: doc, a.py, L3]"),
    ],
)
def test_a_mark_as_models_are_asked_to_write_it(text: str, mark: str) -> None:
    (found_mark,) = parse_citations(text)
    assert found_mark.plain == mark
    assert parse_citations(mark) == (replace(found_mark, end=len(mark)),)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("[cite: fact] and [cite: task, x]; [cite: doc, a.py, ten]", 3),
        ("[cite: fact, f1, null] [task, 3] [1, 2] `[cite: see]`", 0),
    ],
)
def test_marks_that_cannot_be_read_are_counted(text: str, count: int) -> None:
    marks = unreadable(text)
    assert len(marks) == count
    assert all(text[mark.start : mark.end] == mark.place for mark in marks)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[It adds]([cite: doc, a.py, L3]).", "It adds <a.py:3>."),
        ("[`f`]([cite: a.py:3; b.py:4]) ends", "`f` <a.py:3> <b.py:4> ends"),
        ("[1] ([cite: a.py:3]) [2]([cite: x])", "[1] (<a.py:3>) [2]([cite: x])"),
        ("[cite: doc, a.py, L3](src/a.py#L3), so", "<a.py:3>, so"),
    ],
)
def test_a_mark_in_a_link_is_shown_behind_its_words(text: str, shown: str) -> None:
    assert rewrite_citations(text, lambda mark: f"<{mark.place}>") == shown
