"""What 1,000 cited spans add to a change on the event loop, while their lines are compared.

A line is typed in one of 100 files that cite ten spans each, then in one long file that cites all
of them, where every change moves all these lines: the most that a change can cost.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from glossator.anchors.anchor_index import AnchorIndex
from glossator.anchors.passages import passage_of
from glossator.core.document import Document
from glossator.core.span import Span
from glossator.core.text import Position
from glossator.core.uri import to_uri
from glossator.settings.model import WorkspaceSettings
from glossator.worker.client import Worker
from glossator.workspace.documents.host import WorkspaceHost
from glossator.workspace.documents.overlays import Edited, Opened, TextEdit
from tests.benchmarks.measure import Figure, percentile, show_figures
from tests.workspaces import idle_indexing

_SPANS = 1_000
_FILES = 100
_LONG = 10_000  # lines
_TYPED = 100  # changes
_TIMED = 20  # more, while a timer runs
_TICK = 0.001  # seconds
_TARGET = 2  # ms


async def run(sources: Path) -> bool:
    """Measure on texts of `sources`; gives whether the targets are met."""
    texts = await asyncio.to_thread(
        lambda: [path.read_text("utf-8") for path in sorted(sources.rglob("*.py"))]
    )
    long = "".join(texts).splitlines(keepends=True)[:_LONG]
    assert len(long) == _LONG, f"{sources} is too small"
    sys.setswitchinterval(0.001)  # as the server does
    some = sorted(texts, key=len)[-_FILES:]
    figures = [
        *await _measure(f"{_FILES} files of {_SPANS // _FILES} spans", some, _TARGET),
        *await _measure(f"one file of {_LONG:,} lines, all moving", ["".join(long)], None),
    ]
    return show_figures(f"A change, with {_SPANS:,} cited spans", figures)


async def _measure(name: str, texts: Sequence[str], target: float | None) -> list[Figure]:
    with TemporaryDirectory() as folder:
        without, cited = _opened(folder, texts), _opened(folder, texts)
        index = AnchorIndex(cited)
        _cite(index, cited)
        await index.settled()
        gc.freeze()  # as the server does once the workspace is scanned
        bare = [await _used(without, at) for at in range(_TYPED)]
        busy = [await _used(cited, at, index) for at in range(_TYPED)]
        late = [ms for at in range(_TYPED, _TYPED + _TIMED) for ms in await _late(cited, at, index)]
        gc.unfreeze()
        assert len(index._cited) == _SPANS
        await index.close()
    added = percentile(busy, 0.95) - percentile(bare, 0.95)
    medians = f"median {percentile(busy, 0.5):.2f} ms, {percentile(bare, 0.5):.2f} without"
    others = f"median {percentile(late, 0.5):.2f} ms"
    return [
        Figure(f"{name}: added to a change, p95", added, "ms", target, detail=medians),
        Figure(
            f"{name}: a 1 ms timer meanwhile late by, p95",
            percentile(late, 0.95),
            "ms",
            detail=others,
        ),
    ]


def _opened(folder: str, texts: Sequence[str]) -> WorkspaceHost:
    host = WorkspaceHost((folder,), WorkspaceSettings(), idle_indexing(Worker()))
    for number, text in enumerate(texts):
        host.apply(Opened(to_uri(f"{folder}/{number}.py"), 1, text))
    return host


def _cite(index: AnchorIndex, host: WorkspaceHost) -> None:
    """Spans of three lines, spread over all documents."""
    paths = list(host.overlays)
    each = _SPANS // len(paths)
    read = host.snapshot().read
    for path in paths:
        document = read(path)
        assert isinstance(document, Document)
        step = len(document.lines) // each
        for number in range(each):
            span = Span(document.uri, document.sha256, number * step + 1, number * step + 3)
            index.add(f"{path} {number}", (passage_of(span, read),))


def _change(host: WorkspaceHost, at: int) -> None:
    """Type a line at the top of a document."""
    overlays = list(host.overlays.values())
    top = Position(0, 0), Position(0, 0)
    uri = overlays[at % len(overlays)].uri
    host.apply(Edited(uri, at + 2, (TextEdit(top, "#\n"),)))
    host.snapshot()


async def _used(host: WorkspaceHost, at: int, index: AnchorIndex | None = None) -> float:
    """Milliseconds of the loop's thread for a change, until the lines are compared."""
    started = time.thread_time()
    _change(host, at)
    if index is not None:
        await index.settled()
    return (time.thread_time() - started) * 1000


async def _late(host: WorkspaceHost, at: int, index: AnchorIndex) -> list[float]:
    """By how many ms a 1 ms timer is late until the lines are compared."""
    late = []
    _change(host, at)
    settled = asyncio.create_task(index.settled())
    while not settled.done():
        started = time.perf_counter()
        await asyncio.sleep(_TICK)
        late.append((time.perf_counter() - started - _TICK) * 1000)
    return late
