"""Timing and the table that a benchmark prints."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Row:
    """Times of one thing in ms, and the most that its median may be (None: only shown)."""

    name: str
    milliseconds: Sequence[float]
    target: float | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.milliseconds)

    @property
    def met(self) -> bool:
        return self.target is None or self.median <= self.target


def show(title: str, rows: Sequence[Row], note: str = "") -> bool:
    """Print the rows; gives whether every target is met."""
    table = Table(title=title, title_justify="left", caption=note, caption_justify="left")
    for heading in ("", "median", "min", "max", "n", "target", ""):
        table.add_column(heading, justify="left" if not heading else "right")
    for row in rows:
        target = "" if row.target is None else f"{row.target:,.0f} ms"
        mark = "" if row.target is None else ("[green]met[/]" if row.met else "[red]missed[/]")
        times = sorted(row.milliseconds)
        figures = (f"{value:,.1f} ms" for value in (row.median, times[0], times[-1]))
        table.add_row(row.name, *figures, str(len(times)), target, mark)
    Console().print(table)
    return all(row.met for row in rows)
