"""The workspace engine on large repositories: build, search, keep current, start again."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks import living, searching
from tests.benchmarks.corpus import describe
from tests.benchmarks.measure import show_figures
from tests.benchmarks.opened import opened


async def run(root: Path, patterns: Sequence[str]) -> bool:
    """Measure on `root`; gives whether the targets are met."""
    note = await asyncio.to_thread(describe, root)
    with _state_folder() as state:
        async with opened(root, state) as app:
            figures = await living.build(app, state)
            found = await searching.run(app, root, patterns, note)
            figures += await living.work(app, root)
            figures += await living.rest(app)
        async with opened(root, state) as app:
            figures += await living.warm_start(app)
    return show_figures("The index through its life", figures, note) and found


@contextmanager
def _state_folder() -> Iterator[Path]:
    before = os.environ.get("XDG_STATE_HOME")
    state = Path(tempfile.mkdtemp(prefix="glossator-bench-"))
    os.environ["XDG_STATE_HOME"] = str(state)
    try:
        yield state
    finally:
        shutil.rmtree(state)
        if before is None:
            del os.environ["XDG_STATE_HOME"]
        else:
            os.environ["XDG_STATE_HOME"] = before
