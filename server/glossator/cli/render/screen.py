"""A terminal: what was printed is never redrawn, only the status line at its end moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.progress_bar import ProgressBar
from rich.status import Status
from rich.table import Table
from rich.text import Text

from glossator.cli.messages import PROMPT
from glossator.cli.render.markdown import THEME
from glossator.cli.render.printable import printable

_BAR_WIDTH = 40  # characters
_LEAST = 24  # columns


class _Lines:
    """Lines that are asked for whenever they are drawn."""

    def __init__(self, lines: Callable[[], Iterable[Sequence[str]]]) -> None:
        self._lines = lines

    def __rich_console__(self, _console: Console, _options: ConsoleOptions) -> RenderResult:
        table = Table.grid(padding=(0, 1), expand=True)
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        table.add_column(no_wrap=True, justify="right")
        for who, what, figures in self._lines():
            cells = (Text(printable(cell), style) for cell, style in ((who, ""), (what, "dim")))
            table.add_row(*cells, Text(printable(figures), "dim"))
        yield table


class Screen:
    """Prints lines and blocks, unlike things set apart, and says below them what goes on."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(theme=THEME, highlight=False)
        self._last = ""  # what was printed last: a kind of thing
        self._activity = Status("Starting…", console=self._console, spinner_style="dim")
        if self._console.is_terminal:
            self._activity.start()

    def line(self, kind: str, text: str, style: str = "", *, hang: int = 0) -> None:
        """A line of this kind, without what the terminal would obey.

        Where it does not fit, it goes on below its first `hang` characters.
        """
        self.apart(kind)
        text = printable(text)
        margin = text[:hang]
        for part in Text(text[hang:], style).wrap(self._console, self._width - hang):
            part.rstrip()
            self._console.print(Text.assemble((margin, style), part), soft_wrap=True)
            margin = " " * hang

    def short(self, kind: str, head: str, tail: str, style: str = "") -> None:
        """A line that is cut to fit; of the `head` something is left, and then the `tail`."""
        self.apart(kind)
        drawn, end = Text(printable(head), style), Text(f"  {printable(tail)}", style)
        drawn.truncate(max(self._width - end.cell_len, _LEAST), overflow="ellipsis")
        drawn.append_text(end)
        self._console.print(drawn, no_wrap=True, overflow="ellipsis")

    def block(self, kind: str, drawn: RenderableType, *, soft_wrap: bool = False) -> None:
        """Something that is drawn already; of no `kind`, it is always set apart."""
        self.apart(kind)
        self._console.print(drawn, soft_wrap=soft_wrap)

    def out(self, text: str) -> None:
        """As it is, but for what the terminal would obey."""
        text = printable(text)
        self._console.out(text, end="" if text.endswith("\n") else "\n", highlight=False)

    def prompt(self, kind: str, hint: str) -> None:
        """How to answer, and where."""
        self.line(kind, hint, "dim")
        self._console.print(Text(PROMPT, "bold"), end="")

    @property
    def _width(self) -> int:
        return self._console.width

    def apart(self, kind: str) -> None:
        """A blank line, unless the same `kind` goes on."""
        if self._last and not (kind and kind == self._last):
            self._console.print()
        self._last = kind or "block"

    def doing(self, activity: str) -> None:
        """What the status line says."""
        self._activity.update(Text(activity, "dim"))
        if self._console.is_terminal:
            self._activity.start()

    def doing_all(self, lines: Callable[[], Iterable[Sequence[str]]]) -> None:
        """What the status line says of several things at once, drawn anew as they go on.

        Each line is who, what and how far; what does not fit is cut from the middle.
        """
        self._activity.update(_Lines(lines))
        if self._console.is_terminal:
            self._activity.start()

    def done(self, percentage: int, message: str) -> None:
        """A bar in the status line."""
        bar = Table.grid(padding=(0, 1))
        bar.add_row(
            ProgressBar(100, percentage, width=_BAR_WIDTH),
            Text(f"{percentage:3d}%"),
            Text(printable(message), "dim"),
        )
        self._activity.update(bar)

    def still(self) -> None:
        """Nothing goes on: the status line is gone."""
        self._activity.stop()
