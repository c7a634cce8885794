"""The workspace engine on large repositories: build, search, keep current, start again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks import living, searching
from tests.benchmarks.corpus import describe
from tests.benchmarks.measure import show_figures
from tests.benchmarks.opened import opened, state_folder


async def run(root: Path, patterns: Sequence[str]) -> bool:
    """Measure on `root`; gives whether the targets are met."""
    note = await asyncio.to_thread(describe, root)
    with state_folder() as state:
        async with opened(root, state) as app:
            figures = await living.build(app, root, state)
            found = await searching.run(app, root, patterns, note)
            figures += await living.work(app, root)
            figures += await living.rest(app)
        figures += await living.warm_start(root, state)
    figures += await living.rewritten(root)
    return show_figures("The index through its life", figures, note) and found
