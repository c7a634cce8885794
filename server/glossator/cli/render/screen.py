"""A terminal: what was printed is never redrawn, only the status line at its end moves."""

from __future__ import annotations

from rich.console import Console, RenderableType
from rich.progress_bar import ProgressBar
from rich.status import Status
from rich.table import Table
from rich.text import Text

from glossator.cli.messages import PROMPT
from glossator.cli.render.markdown import THEME
from glossator.cli.render.printable import printable

_BAR_WIDTH = 40  # characters
_WHOLE = frozenset({"notice", "question", "thinking", "footer"})  # wrapped; others are cut to fit


class Screen:
    """Prints lines and blocks, unlike things set apart, and says below them what goes on."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(theme=THEME, highlight=False)
        self._last = ""  # what was printed last: a kind of thing
        self._activity = Status("Starting…", console=self._console, spinner_style="dim")
        if self._console.is_terminal:
            self._activity.start()

    def line(self, kind: str, text: str, style: str = "") -> None:
        """A line of this kind, without what the terminal would obey."""
        self.apart(kind)
        whole = kind in _WHOLE
        self._console.print(
            Text(printable(text), style),
            no_wrap=not whole,
            overflow="fold" if whole else "ellipsis",
            crop=not whole,
        )

    def block(self, kind: str, drawn: RenderableType, *, soft_wrap: bool = False) -> None:
        """Something that is drawn already; of no `kind`, it is always set apart."""
        self.apart(kind)
        self._console.print(drawn, soft_wrap=soft_wrap)

    def out(self, text: str) -> None:
        """As it is, but for what the terminal would obey."""
        text = printable(text)
        self._console.out(text, end="" if text.endswith("\n") else "\n", highlight=False)

    def prompt(self, hint: str) -> None:
        """How to answer, and where."""
        self.line("question", hint, "dim")
        self._console.print(Text(PROMPT, "bold"), end="")

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
