"""How much of an answer can be shown while it streams, and how much need not be read again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent

from glossator.core.citations import fences

_LINE_CHARACTERS = 1_000  # of an unfinished line that is looked at again with each piece
_MARK_CHARACTERS = 400  # of a citation that is waited for while it streams
_GAP = re.compile(r"\n(?:[ \t]*\n)+")
_SIGNS = re.compile(r"`+|\n|\[|\]\(?|\)")


def steady(text: str) -> int:
    """Up to where a text can be shown: a citation, a link or code begins there, not yet whole."""
    opened: list[tuple[int, bool]] = []  # where brackets begin, and whether an address follows
    code, ticks = len(text), ""
    for sign in _SIGNS.finditer(text, max(0, len(text) - _MARK_CHARACTERS)):
        match sign[0]:
            case "[":
                opened.append((sign.start(), False))
            case "](" if opened:
                opened[-1] = (opened[-1][0], True)
            case "]" if opened and sign.end() < len(text):
                opened.pop()
            case ")" if opened and opened[-1][1]:
                opened.pop()
            case "\n":
                code, ticks = len(text), ""
            case found if found[0] == "`" and not ticks:
                code, ticks = sign.start(), found
            case found if found == ticks:
                code, ticks = len(text), ""
    return min(code, *(start for start, _ in opened[:1]), len(text))


def settled(text: str) -> int:
    """Up to where what is shown of a text stays, whatever follows: a line, or a word of a long one.

    Without it each piece that streams in would cost as much as all before it.
    """
    end = text.rfind("\n") + 1
    if not end and len(text) > _LINE_CHARACTERS:
        end = text.rstrip().rfind(" ") + 1
        # neither the opening of a block of code is cut off, nor anything that seems one then
        if {text.lstrip()[:1], text[end]} & {"`", "~"} or text.count("`", 0, end) % 2:
            return 0
    return end if end <= steady(text) and steady(text[:end]) == end else 0


def differing(text: str, before: str) -> str:
    """The blocks of a text, as blank lines set them apart, that are not in the one before it.

    They are not indented: a paragraph of a list would be code without its item.
    """
    known = {*_blocks(before)}
    return "\n\n".join(dedent(block) for block in _blocks(text) if block not in known)


def _blocks(text: str) -> Iterator[str]:
    code, start = fences(text), 0
    for gap in _GAP.finditer(text):
        if not any(first < gap.start() < last for first, last in code):
            yield text[start : gap.start()].strip("\n")
            start = gap.end()
    yield text[start:].strip("\n")


def open_fence(text: str) -> str:
    """The line that opens the block of code in which a text of whole lines ends; "" for none."""
    start, end = next(reversed(fences(text)), (0, 0))
    return text[start : text.index("\n", start) + 1] if end == len(text) > 0 else ""
