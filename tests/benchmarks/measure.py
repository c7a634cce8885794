"""Timing and the table that a benchmark prints."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import psutil
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


@dataclass(frozen=True)
class Figure:
    """One figure, such as a ratio, and what it must reach (None: only shown).

    `at_least`: the target is a least, else a most.
    """

    name: str
    value: float
    unit: str
    target: float | None = None
    at_least: bool = False
    detail: str = ""

    @property
    def met(self) -> bool:
        if self.target is None:
            return True
        return self.value >= self.target if self.at_least else self.value <= self.target


def show_figures(title: str, figures: Sequence[Figure], note: str = "") -> bool:
    """Print the figures; gives whether every target is met."""
    table = Table(title=title, title_justify="left", caption=note, caption_justify="left")
    for heading in ("", "figure", "target", "", "detail"):
        table.add_column(heading, justify="right" if heading in ("figure", "target") else "left")
    for figure in figures:
        sign = "≥" if figure.at_least else "≤"
        target = "" if figure.target is None else f"{sign} {figure.target:,.4g} {figure.unit}"
        mark = "" if figure.target is None else "[green]met[/]" if figure.met else "[red]missed[/]"
        value = f"{figure.value:,.3g}" if figure.value < 1000 else f"{figure.value:,.0f}"
        table.add_row(figure.name, f"{value} {figure.unit}", target, mark, figure.detail)
    Console().print(table)
    return all(figure.met for figure in figures)


@dataclass
class Times:
    """Milliseconds of like things, those apart in which a host took a processor from us.

    What it took is nothing that we could spend less of. Linux counts it, in steps of 10 ms.
    """

    kept: list[float] = field(default_factory=list)
    held_up: list[float] = field(default_factory=list)

    @property
    def counted(self) -> list[float]:
        """Those that were not held up; if all were, the best half of them."""
        return self.kept or sorted(self.held_up)[: (len(self.held_up) + 1) // 2]

    @property
    def left_out(self) -> int:
        """How many are not counted."""
        return len(self.kept) + len(self.held_up) - len(self.counted)

    @contextmanager
    def one(self) -> Iterator[None]:
        """Around each of them."""
        stolen, started = _stolen(), time.perf_counter()
        yield
        ended = time.perf_counter()
        times = self.kept if _stolen() == stolen else self.held_up
        times.append((ended - started) * 1000)


def _stolen() -> float:
    """Seconds since the machine runs; always 0 where nobody tells."""
    return getattr(psutil.cpu_times(), "steal", 0.0)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` (0 to 1) of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
