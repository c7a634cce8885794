"""A long text as the user decides about it: whatever is left out has a mark.

Runs of blank lines and lines that are too long are squeezed, and of too many lines the first and
the last are shown. Each place where something is left out has a mark: a line of its own that says
how much. Its renderer ensures that no line of the text passes for a mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

_BLANK = frozenset({"", "+", "-"})  # in a diff, too
_BLANK_LINES = 3  # in a row that are shown
_AFTER_LONG = 100  # characters from the end of a line that is too long


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the text, or with `mark` a sentence about `lines` of it that are left out."""

    text: str
    mark: bool = False
    lines: int = 1


def excerpt(text: str, *, lines: int, characters: int) -> tuple[Line, ...]:
    """At most so many `lines` for `text`, each of at most so many `characters`."""
    squeezed = tuple(_squeezed(text.removesuffix("\n").split("\n"), characters))
    if len(squeezed) <= lines:
        return squeezed
    tail = lines // 3
    head = lines - tail - 1
    left = sum(line.lines for line in squeezed[head:-tail])
    mark = Line(f"… {left:,} more lines", mark=True, lines=left)
    return (*squeezed[:head], mark, *squeezed[-tail:])


def is_cut(lines: Iterable[Line]) -> bool:
    """Whether something of the text is not shown."""
    return any(line.mark for line in lines)


def _squeezed(lines: Iterable[str], characters: int) -> Iterator[Line]:
    for blank, group in groupby(lines, lambda line: line.strip() in _BLANK):
        run = list(group)
        if blank and len(run) > _BLANK_LINES:
            yield Line(f"… {len(run):,} blank lines", mark=True, lines=len(run))
            continue
        for line in run:
            yield from _cut(line, characters)


def _cut(line: str, characters: int) -> Iterator[Line]:
    left = len(line) - characters
    if left <= 0:
        yield Line(line)
        return
    yield Line(line[: characters - _AFTER_LONG])
    yield Line(f"… {left:,} more characters of this line", mark=True, lines=0)
    yield Line(line[-_AFTER_LONG:], lines=0)
