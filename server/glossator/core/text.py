"""Lines and positions as the Language Server Protocol counts them.

LSP knows three line ends: LF, CRLF and CR. `str.splitlines` knows eleven, so it is never used on
document text. Lines and characters are 0-based; a character counts code units of the negotiated
position encoding. Source: LSP 3.17, "Text Documents" and "Position".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from glossator.core.errors import InvalidPosition

PositionEncoding = Literal["utf-8", "utf-16", "utf-32"]

_LINE_END = re.compile(r"\r\n|\r|\n")


class Position(NamedTuple):
    """A place between two characters: 0-based line, 0-based code unit within the line."""

    line: int
    character: int


def split_lines(text: str) -> list[str]:
    """The lines of `text` without their ends; a final line end does not open another line."""
    lines = _LINE_END.split(text)
    if lines and not lines[-1]:
        lines.pop()
    return lines


@dataclass(frozen=True)
class LineTable:
    """Maps positions of one text to offsets in code points, and back."""

    text: str

    @cached_property
    def starts(self) -> list[int]:
        """Offset of the first code point of each line; a final line end opens an empty line."""
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def line(self, number: int) -> str:
        """Line `number` (0-based) without its line end."""
        start, end = self._bounds(number)
        return self.text[start:end]

    def offset(self, position: Position, encoding: PositionEncoding) -> int:
        """The code-point offset of `position`; past the end of a line means the end of that line.

        Raises `InvalidPosition` for a line that does not exist or a place inside a character.
        """
        if not 0 <= position.line < len(self.starts) or position.character < 0:
            raise InvalidPosition(
                f"Line {position.line + 1}, character {position.character} is outside the document"
                f" of {len(self.starts)} lines; the editor and the server disagree about its text."
            )
        start, end = self._bounds(position.line)
        return start + _units_to_points(self.text[start:end], position.character, encoding)

    def position(self, offset: int, encoding: PositionEncoding) -> Position:
        """The position of a code-point offset."""
        line = bisect_right(self.starts, offset) - 1
        return Position(line, count_units(self.text[self.starts[line] : offset], encoding))

    def _bounds(self, number: int) -> tuple[int, int]:
        start = self.starts[number]
        if number + 1 == len(self.starts):
            return start, len(self.text)
        end = self.starts[number + 1] - 1
        if self.text[end] == "\n" and end > start and self.text[end - 1] == "\r":
            end -= 1
        return start, end


def count_units(text: str, encoding: PositionEncoding) -> int:
    """The length of `text` in code units of `encoding`."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(character > "\uffff" for character in text)


def _units_to_points(line: str, units: int, encoding: PositionEncoding) -> int:
    if encoding == "utf-32" or line.isascii():
        return min(units, len(line))
    seen = 0
    for points, character in enumerate(line):
        if seen == units:
            return points
        if seen > units:
            raise InvalidPosition(
                f"Character {units} lies inside a character of the line; positions are counted"
                f" in {encoding} units, check the negotiated position encoding."
            )
        seen += count_units(character, encoding)
    if seen > units:
        raise InvalidPosition(f"Character {units} lies inside the last character of the line.")
    return len(line)
