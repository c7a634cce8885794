"""A unified diff for a terminal."""

from __future__ import annotations

from rich.text import Text

from glossator.core.shown import shown_text

_HEAD_LINES = 2
_STYLES = {"+": "green", "-": "red", "@": "cyan", "\\": "dim"}


def line_style(number: int, line: str) -> str:
    """The style of a line of a diff about one file; `number` counts from 0."""
    return "bold" if number < _HEAD_LINES else _STYLES.get(line[:1], "")


def draw_diff(diff: str) -> Text:
    """The diff in colours; nothing in it is obeyed by the terminal."""
    drawn = Text(no_wrap=False)
    for number, line in enumerate(shown_text(diff).split("\n")):
        drawn.append("\n" if number else "")
        drawn.append(line, line_style(number, line))
    drawn.rstrip()
    return drawn
