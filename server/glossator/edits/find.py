"""Where the text that is to be replaced stands: exactly, and just once unless all are meant.

Nothing is edited that was not asked for exactly. What was looked for in vain is explained: which
place is the nearest, and what is different there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from glossator.core.errors import UsageError
from glossator.core.replacement import Replacement
from glossator.core.text import LineTable
from glossator.edits.line_ends import PlainView, as_lf, like, usual_end
from glossator.edits.nearest import explain

_LINES_NAMED = 10
_NUMBERED = re.compile(r" *\d+\t")


@dataclass(frozen=True, slots=True)
class Substitution:
    """`new` shall take the place of `old`: of the only one there is, or of `every` one."""

    old: str
    new: str
    every: bool = False


def substitute(text: str, wanted: Substitution) -> tuple[Replacement, ...]:
    """The replacements in `text`. Raises `UsageError` when it is unclear what is to be replaced.

    Line ends are not told apart; those that come in are like those around them.
    """
    old = as_lf(wanted.old)
    if not old:
        raise UsageError(
            "old_text is empty.\nGive the text that is to be replaced, or use Write for a new text."
        )
    if old == as_lf(wanted.new):
        raise UsageError("old_text and new_text are the same, so there is nothing to change.")
    view = PlainView(text)
    places = list(_places(view.text, old))
    if not places:
        raise UsageError(f"old_text is not in the file.\n{_why_not(view.text, old)}")
    if not wanted.every:
        if len(places) == 1:
            places += _places(view.text, old, places[0] + 1)  # one that overlaps the first
        if len(places) > 1:
            raise UsageError(_ambiguous(view.text, places))
    default = usual_end(text)
    replacements = []
    for place in places:
        start, end = view.original(place, place + len(old))
        replacements.append(Replacement(start, end, like(text[start:end], wanted.new, default)))
    return tuple(replacements)


def _places(text: str, old: str, start: int = 0) -> Iterator[int]:
    at = text.find(old, start)
    while at >= 0:
        yield at
        at = text.find(old, at + len(old))


def _why_not(text: str, old: str) -> str:
    lines = old.split("\n")
    if all(_NUMBERED.match(line) for line in lines if line):
        bare = "\n".join(_NUMBERED.sub("", line, count=1) for line in lines)
        if bare in text:
            return "Leave out the line numbers and tabs that Read puts in front of the lines."
    return explain(text, old)


def _ambiguous(text: str, places: list[int]) -> str:
    table = LineTable(text)
    numbers = [table.position(place, "utf-32").line + 1 for place in places]
    named = ", ".join(f"{number}" for number in dict.fromkeys(numbers[:_LINES_NAMED]))
    more = ", …" if len(numbers) > _LINES_NAMED else ""
    return (
        f"old_text is in the file {len(places):,} times, on lines {named}{more}.\nAdd lines around"
        " it until it is there once, or set replace_all to replace every one."
    )
