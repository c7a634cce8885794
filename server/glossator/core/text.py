"""Lines and positions as the Language Server Protocol counts them, and how deep lines stand.

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
_TAB_COLUMNS = 4  # columns
_BRACKET = re.compile(
    r"\s*(?:[)\]}{]|>(?!=)\s*(?:$|[({:=]|extends\b|implements\b))"
)  # `>` of types
_AT_MARGIN = (
    re.compile(  # what stands at the margin inside of functions: directives and labels of C
        r"\s*#\s*(?:if|ifdef|ifndef|elif|else|endif|define|undef|pragma|error)\b| ?\w+:\s*$"
    )
)


class Position(NamedTuple):
    """A place between two characters: 0-based line, 0-based code unit within the line."""

    line: int
    character: int


def split_lines(text: str) -> list[str]:
    """The lines of `text` without their ends; a final line end does not open another line."""
    lines = _LINE_END.split(text) if "\r" in text else text.split("\n")  # which is much quicker
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
        points, is_exact = _points(self.text[start:end], position.character, encoding)
        if not is_exact:
            raise InvalidPosition(
                f"Character {position.character} lies inside a character of the line; positions are"
                f" counted in {encoding} units, check the negotiated position encoding."
            )
        return start + points

    def nearest_offset(self, position: Position, encoding: PositionEncoding) -> int:
        """Like `offset`, but a place that does not exist means the nearest one before it.

        A line behind the last one means the end of the text.
        """
        if position.line >= len(self.starts):
            return len(self.text)
        start, end = self._bounds(max(position.line, 0))
        return start + _points(self.text[start:end], position.character, encoding)[0]

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


def _points(line: str, units: int, encoding: PositionEncoding) -> tuple[int, bool]:
    """How many whole characters the first `units` hold, and whether they end exactly there."""
    if encoding == "utf-32" or line.isascii():
        return max(0, min(units, len(line))), True
    seen = 0
    for points, character in enumerate(line):
        size = count_units(character, encoding)
        if seen + size > units:
            return points, seen == units
        seen += size
    return len(line), True


def is_inside(line: str) -> bool:
    """Whether a line's indentation is meaningful: it is not blank, no directive and no label."""
    return bool(line.strip()) and not _AT_MARGIN.match(line)


def depth(line: str) -> int:
    """The columns before the line's first character."""
    expanded = line.expandtabs(_TAB_COLUMNS)
    return len(expanded) - len(expanded.lstrip())


def level(line: str) -> int:
    """The indentation of a line; a bracket before it belongs to what began equally deep above."""
    return depth(line) + bool(_BRACKET.match(line))
