"""The status line of a terminal: what the run does, how far it is, and its sub-agents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from glossator.cli import render


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
        yield _lines(self.activity())

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


def _lines(lines: Iterable[Sequence[str]]) -> Table:
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1, style="dim")
    table.add_column(no_wrap=True, justify="right", style="dim")
    for line in lines:
        table.add_row(*map(Text, map(render.printable, line)))
    return table
