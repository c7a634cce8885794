"""A unified diff for a terminal."""

from __future__ import annotations

from rich.text import Text

from glossator.cli.render.printable import printable

_STYLES = {"+": "green", "-": "red", "@": "cyan", "\\": "dim"}


def style_of(line: str) -> str:
    """The colour of a line of a diff that is no head."""
    return _STYLES.get(line[:1], "")


def draw_diff(diff: str) -> Text:
    """The diff in colours; nothing in it is obeyed by the terminal."""
    drawn = Text(no_wrap=False)
    for number, line in enumerate(printable(diff).split("\n")):
        head = number < 2
        drawn.append("\n" if number else "")
        drawn.append(line, "bold" if head else style_of(line))
    drawn.rstrip()
    return drawn
