"""Grep and Glob against ripgrep, in one run: every pattern in turn by both, several times."""

from __future__ import annotations

import asyncio
import gc
import statistics
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from glossator.application.application import Application
from glossator.workspace.index.required import analyse
from glossator.workspace.search.ripgrep import Request
from glossator.workspace.search.search import TextSearch
from glossator.workspace.search.source import candidates
from tests.benchmarks.corpus import ripgrep
from tests.benchmarks.measure import Figure, Times, percentile, show_figures
from tests.benchmarks.opened import call
from tests.benchmarks.pace import Pace
from tests.benchmarks.patterns import GLOBS, NO_LITERAL

_ROUNDS = 5
_PATIENCE = 4  # times as many tries as rounds, at most
_BUCKETS = ((20, 40.0), (200, 15.0), (1_000, 8.0), (5_000, 4.0))  # candidates, least ratio
_BELOW = "more than 5,000 candidates"
_NO_LITERAL = "no usable literal"
_P95 = 20  # ms
_MODES = ("files", "content", "count")


async def run(app: Application, root: Path, patterns: Sequence[str], note: str) -> bool:
    """Measure on an indexed workspace; gives whether the targets are met."""
    gc.freeze()  # as the server does once the workspace is scanned
    figures = await _full_output(app, root, patterns)
    pace = Pace(root)
    figures.append(await _tool(app, patterns, "Grep tool, as the model calls it, p95", pace))
    figures.append(await _tool(app, patterns, "and when 250 are asked for", head_limit=250))
    figures.append(await _huge(app))
    figures += await _globs(app, root)
    return show_figures("Searching, against ripgrep 15 (wall time)", figures, note)


async def _full_output(app: Application, root: Path, patterns: Sequence[str]) -> list[Figure]:
    """Every file with its number of matching lines; ratios by number of candidate files."""
    ratios: dict[str, list[tuple[float, str]]] = defaultdict(list)
    differences: list[str] = []
    for pattern in (*patterns, *NO_LITERAL):
        found = len(candidates(app.host.snapshot(), analyse(pattern).query))
        engine, theirs = await asyncio.to_thread(_compare, app, root, pattern)
        if engine.lines != theirs.lines:
            differences.append(f"{pattern}: {engine.lines} {theirs.lines}")
        bucket = _NO_LITERAL if pattern in NO_LITERAL else _bucket(found)
        ratios[bucket].append((theirs.seconds / engine.seconds, pattern))
    targets = {_title(index): least for index, (_, least) in enumerate(_BUCKETS)}
    targets[_NO_LITERAL] = 0.95
    figures = []
    for title in (*targets, _BELOW):
        if measured := sorted(ratios[title]):
            median = statistics.median(ratio for ratio, _ in measured)
            detail = f"{len(measured)} patterns, least {measured[0][0]:.1f} ({measured[0][1]})"
            figures.append(Figure(title, median, "times", targets.get(title), True, detail))
    figures.append(
        Figure(
            "patterns whose count of lines differs",
            len(differences),
            "",
            None,
            False,
            "; ".join(differences[:3]),
        )
    )
    return figures


class _Timed:
    """The median time of a search and the number of matching lines it gave."""

    def __init__(self, search: Callable[[], int]) -> None:
        self._search = search
        self._times: list[float] = []
        self.lines = 0

    def once(self) -> None:
        started = time.perf_counter()
        self.lines = self._search()
        self._times.append(time.perf_counter() - started)

    @property
    def seconds(self) -> float:
        return statistics.median(self._times)


def _compare(app: Application, root: Path, pattern: str) -> tuple[_Timed, _Timed]:
    snapshot = app.host.snapshot()

    def ours() -> int:
        search = TextSearch(snapshot, Request(pattern))
        found = search.counts(search.by_path())
        return sum(lines for entry, lines in found if not entry.is_link)  # ripgrep follows none

    def theirs() -> int:
        options = ("--hidden", "--count", "--null", "--crlf", "--regexp", pattern)
        output = _ripgrep(root, *options)
        return sum(int(part.partition(b"\n")[0]) for part in output.split(b"\0")[1:])

    pair = _Timed(ours), _Timed(theirs)
    for _ in range(_ROUNDS):
        for timed in pair:
            timed.once()
    return pair


async def _tool(
    app: Application,
    patterns: Sequence[str],
    title: str,
    pace: Pace | None = None,
    **arguments: int,
) -> Figure:
    """The Grep tool in every mode; with `pace` against the target."""
    times: list[tuple[float, str]] = []
    left_out = 0
    for pattern in (*patterns, *NO_LITERAL):
        if pace:
            await asyncio.to_thread(pace.take)
        for mode in _MODES:
            own = Times()
            for _ in range(_PATIENCE * _ROUNDS):
                if len(own.kept) == _ROUNDS:
                    break
                with own.one():
                    result = await call(app, "Grep", pattern=pattern, output_mode=mode, **arguments)
                assert not result.error, result.text
            times += [(milliseconds, f"{pattern}, {mode}") for milliseconds in own.counted]
            left_out += own.left_out
    slowest = max(times)
    p95 = percentile([milliseconds for milliseconds, _ in times], 0.95)
    detail = (
        f"{len(times)} calls, slowest {slowest[0]:.0f} ms ({slowest[1]}),"
        f" {left_out} left out because a host held us up"
    )
    if pace is None:
        return Figure(title, p95, "ms", detail=detail)
    detail += f"; {_P95} ms where the target was set: {pace}"
    return Figure(title, p95, "ms", pace.allow(_P95), detail=detail)


async def _huge(app: Application) -> Figure:
    """Lines in almost every file, of which few are shown and the others counted by folder."""
    own = Times()
    for _ in range(_PATIENCE * _ROUNDS):
        with own.one():
            await call(app, "Grep", pattern="e", output_mode="content")
    return Figure("Grep of what is in every file", percentile(own.counted, 0.5), "ms", 60)


async def _globs(app: Application, root: Path) -> list[Figure]:
    figures = []
    for pattern in GLOBS:
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(_ROUNDS):
            started = time.perf_counter()
            result = await call(app, "Glob", pattern=pattern)
            ours.append(time.perf_counter() - started)
            assert not result.error
            started = time.perf_counter()
            await asyncio.to_thread(_ripgrep, root, "--hidden", "--files", "--glob", pattern)
            theirs.append(time.perf_counter() - started)
        ratio = statistics.median(theirs) / statistics.median(ours)
        detail = f"{statistics.median(ours) * 1000:.1f} ms"
        figures.append(Figure(f"Glob {pattern}", ratio, "times", 10, True, detail))
    return figures


def _ripgrep(root: Path, *arguments: str) -> bytes:
    command = [str(ripgrep()), "--no-config", "--glob", "!.git", *arguments, str(root)]
    return subprocess.run(command, check=False, stdout=subprocess.PIPE).stdout


def _bucket(found: int) -> str:
    return next(
        (_title(index) for index, (most, _) in enumerate(_BUCKETS) if found <= most), _BELOW
    )


def _title(index: int) -> str:
    least = _BUCKETS[index - 1][0] + 1 if index else 0
    return f"{least:,} to {_BUCKETS[index][0]:,} candidates"
