"""Lines and positions against a reference that encodes every prefix."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.core.errors import InvalidPosition
from glossator.core.text import LineTable, Position, PositionEncoding, count_units, split_lines

ENCODINGS: tuple[PositionEncoding, ...] = ("utf-8", "utf-16", "utf-32")
NASTY = st.text(alphabet="a\r\n\u2028\u2029\x0b\x0c\x1c\x85é\u0301€😀\ud800\udc00\0", max_size=20)


def units(text: str, encoding: PositionEncoding) -> int:
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    codec = encoding if width == 1 else f"{encoding}-le"
    return sum(len(character.encode(codec, "surrogatepass")) for character in text) // width


def lines_with_ends(text: str) -> list[str]:
    return [*re.findall(r"[^\r\n]*(?:\r\n|\r|\n)", text), re.split(r"[\r\n]", text)[-1]]


@given(NASTY)
def test_lines(text: str) -> None:
    lines = lines_with_ends(text)
    assert "".join(lines) == text
    stripped = [line.rstrip("\r\n") for line in lines]
    table = LineTable(text)
    assert [table.line(number) for number in range(len(table.starts))] == stripped
    assert split_lines(text) == (stripped if stripped[-1] else stripped[:-1])


@given(NASTY, st.sampled_from(ENCODINGS))
def test_positions_there_and_back(text: str, encoding: PositionEncoding) -> None:
    table = LineTable(text)
    start = 0
    for number, line in enumerate(lines_with_ends(text)):
        inner = line.rstrip("\r\n")
        for column in range(len(inner) + 1):
            position = Position(number, units(inner[:column], encoding))
            assert table.position(start + column, encoding) == position
            assert table.offset(position, encoding) == start + column
        beyond = Position(number, units(inner, encoding) + 7)
        assert table.offset(beyond, encoding) == start + len(inner)
        start += len(line)


@given(NASTY, st.sampled_from(ENCODINGS))
def test_units(text: str, encoding: PositionEncoding) -> None:
    assert count_units(text, encoding) == units(text, encoding)


@given(NASTY, st.sampled_from(ENCODINGS), st.integers(0, 60))
def test_places_inside_a_character_are_refused(
    text: str, encoding: PositionEncoding, character: int
) -> None:
    line = LineTable(text).line(0)
    sizes = [units(line[:column], encoding) for column in range(len(line) + 1)]
    if character in sizes or character > sizes[-1]:
        LineTable(text).offset(Position(0, character), encoding)
    else:
        with pytest.raises(InvalidPosition):
            LineTable(text).offset(Position(0, character), encoding)


@pytest.mark.parametrize("position", [Position(2, 0), Position(-1, 0), Position(0, -1)])
def test_places_outside_the_text_are_refused(position: Position) -> None:
    with pytest.raises(InvalidPosition, match="outside the document of 2 lines"):
        LineTable("a\n").offset(position, "utf-16")
