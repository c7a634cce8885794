"""The last lines of a terminal: what the run does, how far it is, what is being typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from glossator.cli import render
from glossator.cli.messages import PROMPT

_CURSOR = "▏"
_MARGIN = 8  # columns that are left free beside it


class StatusLine:
    """Read whenever it is drawn: words or lines of who, what and how far, and `so_far` of the run.

    What does not fit is cut; `so_far` keeps half of the width if it needs it.
    """

    def __init__(self) -> None:
        self.activity: str | Callable[[], Iterable[Sequence[str]]] = "Starting…"
        self.so_far: Callable[[], str] = str

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        so_far = self.so_far()
        if isinstance(self.activity, str):
            yield _one_line(self.activity, so_far, options.max_width)
            return
        if so_far:
            yield Text(render.printable(so_far), "dim", no_wrap=True, overflow="ellipsis")
        yield _grid(self.activity())

    def __rich_measure__(self, _console: Console, options: ConsoleOptions) -> Measurement:
        width = options.max_width
        if isinstance(self.activity, str):
            width = _one_line(self.activity, self.so_far(), width).cell_len
        return Measurement(width, width)


def _one_line(activity: str, so_far: str, width: int) -> Text:
    words = Text(render.printable(activity), "dim", no_wrap=True)
    behind = Text(f" · {render.printable(so_far)}" if so_far else "", "dim")
    behind.truncate(max(width // 2, width - words.cell_len), overflow="ellipsis")
    words.truncate(width - behind.cell_len, overflow="ellipsis")
    return words + behind


def _grid(lines: Iterable[Sequence[str]]) -> Table:
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1, style="dim")
    table.add_column(no_wrap=True, justify="right", style="dim")
    for line in lines:
        table.add_row(*map(Text, map(render.printable, line)))
    return table


class TypedLine:
    """The terminal does not show keys itself while a line is followed here."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._text = ""
        self.is_prompted = False  # it stands behind a prompt, where nothing is redrawn

    def prompt(self) -> None:
        """Ask for a line, starting with what was typed already."""
        self.is_prompted = True
        self._console.print(Text(PROMPT, "bold"), Text(self._text), sep="", end="")

    def below(self, status: RenderableType) -> RenderableType:
        """A status with the line below it, or with nothing if nothing is typed."""
        if not self._text:
            return status
        most, shown = self._console.width - _MARGIN, self._text
        while cell_len(shown) > most:
            shown = shown[1:]
        line = Text.assemble((PROMPT, "bold"), shown, _CURSOR, no_wrap=True)
        return Group(status, line)

    def becomes(self, text: str) -> None:
        """Take the line as it was edited."""
        before, self._text = self._text, text
        if self.is_prompted:
            kept = before if text.startswith(before) else text if before.startswith(text) else ""
            erased = "\b \b" * cell_len(before.removeprefix(kept))
            self._console.file.write(erased + text.removeprefix(kept))
            self._console.file.flush()

    def entered(self) -> None:
        """Begin a new line; the old one is finished."""
        self._text = ""
        if self.is_prompted:
            self.is_prompted = False
            self._console.file.write("\n")
            self._console.file.flush()
