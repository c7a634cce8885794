"""Which lines match is what Python's `re` says of each line alone, or of the text if multiline."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from glossator.workspace.search import scan
from glossator.workspace.search.scan import (
    Lines,
    as_searched,
    compile_pattern,
    matching_lines,
    places_by_text,
)

TEXTS = st.text(alphabet="aab \n\n\rxé\u2028", max_size=40)

# Valid in both engines, and meaning the same: no \\B, no \\A, no repeated empty match.
ATOMS = st.sampled_from(
    ["a", "b", "x", "é", ".", "[ab]", "[^a]", "[^x]", " ", r"\b", "^", "$", r"\n", r"\s"]
)
QUANTIFIERS = st.sampled_from(["", "", "*", "+", "?", "{2}", "*?", "{1,2}"])


@st.composite
def quantified(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    body = draw(inner)
    if body in {"^", "$", r"\b"}:  # only what has width may repeat
        return body
    return f"(?:{body}){draw(QUANTIFIERS)}"


PATTERNS = st.recursive(
    quantified(ATOMS),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join).map(lambda choice: f"(?:{choice})"),
        inner.map(lambda body: f"({body})"),
    ),
    max_leaves=6,
)


def lines_of(text: str) -> list[str]:
    """Line ends are LF, CRLF and CR; a final one opens no further line."""
    lines = re.split(r"\r\n|\r|\n", text)
    return lines[:-1] if lines[-1] == "" else lines


def asks_twice_at_most(pattern: str) -> bool:
    """Whether no place is asked for three times in a row, which nobody does."""
    return max(map(pattern.count, (r"\b", "^", "$"))) <= 2


def found_in(text: str, pattern: str, *, multiline: bool = False) -> list[int]:
    compiled = compile_pattern(pattern, multiline=multiline)
    return list(matching_lines(as_searched(text), compiled)) if text else []


@pytest.fixture(params=[1, 3, scan._PIECE], scope="module", autouse=True)
def _piece(request: pytest.FixtureRequest) -> Iterator[None]:
    """However long the pieces are in which a text is searched."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "_PIECE", request.param)
        yield


@settings(max_examples=700, deadline=None)
@given(TEXTS, PATTERNS | PATTERNS.map("^{}".format) | st.sampled_from(["a", "ab", "a b"]))
def test_line_by_line(text: str, pattern: str) -> None:
    assume(asks_twice_at_most(pattern))
    found = found_in(text, pattern)
    # a line never holds a line end, so nothing in a pattern can match one
    assert found == [
        number for number, line in enumerate(lines_of(text), start=1) if re.search(pattern, line)
    ], (text, pattern)


@settings(max_examples=700, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(TEXTS, PATTERNS)
@example("aa\ré", r"((?:\b|$))(?:.)(?:\b|(?:a))")  # matches that touch at an edge of a word
def test_multiline(text: str, pattern: str) -> None:
    assume(asks_twice_at_most(pattern))
    found = found_in(text, pattern, multiline=True)
    joined = re.sub(r"\r\n|\r", "\n", text)
    matches = list(re.finditer(pattern, joined, re.DOTALL | re.MULTILINE)) if text else []
    if matches and matches[-1].start() == len(joined) and joined.endswith("\n"):
        matches.pop()  # behind the last line end no line begins
    assume(all(match[0] for match in matches))  # the engines go on differently from an empty match
    expected: set[int] = set()
    for match in matches:
        first = joined.count("\n", 0, match.start())
        last = joined.count("\n", 0, match.end() - 1)
        expected.update(range(first + 1, last + 2))
    assert found == sorted(expected), (text, pattern)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.lists(st.integers(1, 45)))
def test_lines_by_number(text: str, numbers: list[int]) -> None:
    lines, expected = Lines(as_searched(text)), lines_of(text) if text else [""]
    for number in numbers:
        assert lines.get(number) == (expected[number - 1] if number <= len(expected) else None)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.lists(st.integers(0, 45)))
def test_lines_by_place(text: str, places: list[int]) -> None:
    searched = as_searched(text)
    lines, unread = Lines(searched), Lines(searched)
    for place in places:
        at = min(place, max(0, len(searched) - 1))
        number = 1 + searched[:at].count(b"\n")
        assert lines.number(at) == number
        assert lines.get(number) == (lines_of(text)[number - 1] if text else "")
        assert unread.number(at) == number  # from within the line of the place before
    assert unread.get(1) == lines.get(1)


@settings(max_examples=400, deadline=None)
@given(st.lists(TEXTS), PATTERNS, st.sampled_from([1, 2, math.inf]))
def test_several_texts_searched_as_one(texts: list[str], pattern: str, most: float) -> None:
    searched, compiled = list(map(as_searched, texts)), compile_pattern(pattern)
    found = places_by_text(searched, compiled, most=most)
    for place, text in enumerate(searched):
        lines, places = Lines(text), found.get(place, [])
        numbers = list(map(lines.number, places))
        matching = list(matching_lines(text, compiled))
        assert numbers == matching[: len(matching) if most == math.inf else int(most)]
        for start, number in zip(places, numbers, strict=True):  # from where it can go on
            rest = text.find(b"\n", start) + 1 or len(text)
            assert list(matching_lines(text, compiled, start=rest)) == [
                each for each in matching if each > number
            ]


def test_a_short_word_within_longer_ones_is_found() -> None:
    text = as_searched("bad bade\n" * 2_000 + "a\n")
    assert list(matching_lines(text, compile_pattern(r"\ba\b"))) == [2_001]


@pytest.mark.parametrize(
    "pattern", [r"\Aab", r"ab\z", r"(?-m)^ab", r"(?-m:ab$)", r"(?i-m)^AB", r"b\Ca"]
)
def test_what_asks_for_the_end_of_a_text_is_searched_text_by_text(pattern: str) -> None:
    texts = [b"ab", b"ab", b"ab\nab\n", b"", b"x\nab"]
    compiled = compile_pattern(pattern)
    alone = {place: list(matching_lines(text, compiled)) for place, text in enumerate(texts)}
    found = places_by_text(texts, compiled)
    assert {place: len(places) for place, places in found.items()} == {
        place: len(numbers) for place, numbers in alone.items() if numbers
    }


def test_long_texts_are_not_copied_into_one(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [b"a b\n" * 9, b"b\n", b"a"]
    together = places_by_text(texts, compile_pattern("a b|^a"))
    monkeypatch.setattr(scan, "_MAX_JOINED", 10)
    assert places_by_text(texts, compile_pattern("a b|^a")) == together
    assert places_by_text(texts, compile_pattern("a b|^a"), most=2) == {0: [0, 4], 2: [0]}


def test_a_cancelled_search_ends_where_all_lines_match() -> None:
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    found = places_by_text([b"a\n" * 10_000], compile_pattern("a"), cancelled)
    assert len(found[0]) < 1_000
