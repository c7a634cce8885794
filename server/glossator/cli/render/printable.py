"""Text from a workspace made safe to show: it may hold what a terminal would obey, or hide."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import east_asian_width

from glossator.core.shown import shown_prose

_CONTROLS = frozenset([*range(0x20), *range(0x7F, 0xA0)]) - {0x09, 0x0A}  # C0, DEL, C1
_VISIBLE = {
    code: chr(0x2400 + code) if code < 0x20 else "\N{REPLACEMENT CHARACTER}" for code in _CONTROLS
}


def printable(text: str) -> str:
    """`text` with what cannot be seen in it made visible; tabs stay, line ends become LF."""
    return shown_prose(text.replace("\r\n", "\n").translate(_VISIBLE))


def wrapped(line: str, width: int) -> Iterator[str]:
    """A line, made printable, in parts that fit `width` columns: a terminal breaks none itself."""
    part, taken = "", 0
    for character in printable(line).expandtabs():
        wide = 2 if east_asian_width(character) in "WF" else 1
        if taken + wide > width:
            yield part
            part, taken = "", 0
        part, taken = part + character, taken + wide
    yield part
