"""Completion of mentions, letter by letter, as somebody types them."""

from __future__ import annotations

import asyncio
import gc
import time
from pathlib import Path

from glossator.application.application import Application
from glossator.commands.complete import CompleteAnswer, CompleteRequest, complete
from tests.benchmarks.corpus import describe
from tests.benchmarks.measure import Figure, percentile, show_figures
from tests.benchmarks.opened import opened, state_folder

_TYPED = "QuerySet models/fields forms.py dbmf getattr test_models xyzzy Model.save base/oper migr"
_BETWEEN = 0.1  # seconds between two letters


async def run(root: Path) -> bool:
    """Measure on `root`; gives whether the targets are met."""
    note = await asyncio.to_thread(describe, root)
    with state_folder() as state:
        async with opened(root, state) as app:
            await app.start()
            await app.ready()
            started = time.perf_counter()
            await app.symbols.matching(app.host.snapshot(), "query", 1)
            seconds = time.perf_counter() - started
            await _complete(app, "@quer")
            gc.freeze()  # as the server does once the workspace is scanned
            times, late = await _type(app)
            gc.unfreeze()
    figures = [
        Figure("symbols of the workspace first read", seconds, "s"),
        Figure("a letter, p95", percentile(times, 0.95), "ms", 20, detail=_median(times)),
        Figure("answers without all symbols", late / len(times) * 100, "%"),
    ]
    return show_figures("Completion of mentions", figures, note)


async def _type(app: Application) -> tuple[list[float], int]:
    """Milliseconds of each answer, and how many lacked symbols."""
    times, late = [], 0
    for word in _TYPED.split():
        for end in range(len(word) + 1):
            started = time.perf_counter()
            answer = await _complete(app, f"See @{word[:end]}")
            times.append((time.perf_counter() - started) * 1000)
            late += answer.incomplete
            await asyncio.sleep(_BETWEEN)
    return times, late


async def _complete(app: Application, text: str) -> CompleteAnswer:
    return await complete(app, CompleteRequest(text))


def _median(times: list[float]) -> str:
    return f"median {percentile(times, 0.5):.1f} ms, {len(times)} letters"
