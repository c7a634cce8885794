"""What 2,000 facts take: keeping one, finding those for a question, a change of a cited document.

A question waits for the second, the editor for the third.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from glossator.core.fact import NewFact
from glossator.core.text import Position
from glossator.core.uri import to_uri
from glossator.settings.model import WorkspaceSettings
from glossator.worker.client import Worker
from glossator.workspace.documents.host import WorkspaceHost
from glossator.workspace.documents.overlays import Edited, Opened, TextEdit
from tests.benchmarks.measure import Figure, percentile, show_figures
from tests.ledger.support import Kept, kept
from tests.workspaces import idle_indexing

_FACTS = 2_000
_FILES = 100
_TIMES = 100
_WORDS = (
    "price swim order pool invoice parse cache token retry session window index search graph node"
    " edge lock queue batch fetch render route merge commit branch plan tool prompt model answer"
).split()


async def run() -> bool:
    """Measure; gives whether the targets are met."""
    sys.setswitchinterval(0.001)  # as the server does
    random = Random(1)
    with TemporaryDirectory() as folder:
        host = WorkspaceHost((folder,), WorkspaceSettings(), idle_indexing(Worker()))
        for number in range(_FILES):
            text = "".join(f"v{number}_{line} = {line}\n" for line in range(300))
            host.apply(Opened(to_uri(f"{folder}/m{number}.py"), 1, text))
        async with kept(host, Path(folder) / "state", most=2 * _FACTS) as k:
            found = [_fact(k, random, number) for number in range(_FACTS)]
            await k.ledger.remember("s", "r", found)
            more = iter([_fact(k, random, _FACTS + number) for number in range(_TIMES)])
            keeping = await _timed(lambda _: k.ledger.remember("s", "r", [next(more)]))
            questions = [" ".join(random.choices(_WORDS, k=6)) for _ in range(_TIMES)]
            asking = await _timed(lambda at: k.ledger.relevant(questions[at]))
            changing = [_change(host, at) for at in range(_TIMES)]
            await k.anchors.settled()
        await host.close()
    return show_figures(
        f"{_FACTS:,} facts",
        [
            Figure("one is kept on disk, p95", percentile(keeping, 0.95), "ms", 50),
            Figure("those for a question, p95", percentile(asking, 0.95), "ms", 50),
            Figure("a change of a cited document, p95", percentile(changing, 0.95), "ms", 2),
        ],
    )


def _fact(k: Kept, random: Random, number: int) -> NewFact:
    name, *words = random.choices(_WORDS, k=4)
    statement = f"`{name}_{number}` {words[0]}s the {words[1]} when {words[2]} is {number}."
    line = 1 + (number * 3) % 280
    path = list(k.host.overlays)[number % _FILES]
    return k.new(statement, path, line, line + 2)


async def _timed(work: Callable[[int], Awaitable[object]]) -> list[float]:
    times = []
    for at in range(_TIMES):
        started = time.perf_counter()
        await work(at)
        times.append((time.perf_counter() - started) * 1000)
    return times


def _change(host: WorkspaceHost, at: int) -> float:
    overlay = list(host.overlays.values())[at % _FILES]
    top = Position(0, 0), Position(0, 0)
    started = time.perf_counter()
    host.apply(Edited(overlay.uri, at + 2, (TextEdit(top, "#\n"),)))
    return (time.perf_counter() - started) * 1000
