"""The index of chunks: what it costs to build, keep and search, on a large and on a small tree."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import psutil

from glossator.core.text import split_lines
from glossator.retrieval.chunks import chunk_folder
from glossator.retrieval.chunks.candidate import MOST_OF_FILE, digest_of
from glossator.retrieval.chunks.chunk_index import ChunkIndex, IndexedFile
from glossator.retrieval.chunks.cutting import cut
from glossator.symbols import Library, Outlines, read
from glossator.workspace.documents.overlays import DiskChanged
from tests.benchmarks.client import server, usual_environment
from tests.benchmarks.corpus import describe
from tests.benchmarks.measure import Figure, Times, percentile, show_figures
from tests.benchmarks.opened import state_folder
from tests.retrieval.searching import Kept

_SAMPLE = 2_000  # files, of which each part of the work is timed alone
_SAVES = 20
_QUESTIONS = (
    """
How are pods assigned to nodes?|where are volumes mounted|retry when an update conflicts
validate the names of ports|What is evicted under memory pressure?|rules for loading the config
leader election and renewing its lease|parse a selector|how long is a session kept
split text into lines|read cache eviction|Where are errors reported to the user?
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


async def run(large: Path, small: Path) -> bool:
    """Measure; gives whether the targets are met."""
    note = await asyncio.to_thread(describe, large)
    with state_folder():
        figures = [*await asyncio.to_thread(_parts, large), *await _large(large)]
        figures += [await _small(small), await _by_a_client(small)]
    return show_figures("Retrieval, no model", figures, note)


@dataclass
class _Cpu:
    """Seconds of this thread, and of the others of this process."""

    thread: float = 0.0
    others: float = 0.0

    @contextmanager
    def one(self) -> Iterator[None]:
        thread, all_ = time.thread_time(), time.process_time()
        yield
        taken = time.thread_time() - thread
        self.thread += taken
        self.others += time.process_time() - all_ - taken


def _parts(root: Path) -> list[Figure]:
    """The processor time of a build by its parts, and its disk space, for 10,000 files."""
    reading, parsing, indexing = _Cpu(), _Cpu(), _Cpu()
    paths = sorted(str(path) for path in root.rglob("*") if path.is_file())
    paths = Random(1).sample(paths, min(_SAMPLE, len(paths)))
    library, outlines = Library((str(root),), 2_000_000), Outlines(None)
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        chunk_files = os.path.join(folder, "chunks")
        index = ChunkIndex(str(root), chunk_files)
        with index.writing() as writer:
            for path in paths:
                with reading.one():
                    text = read(library, path)
                if text is None:
                    continue
                with parsing.one():
                    lines = split_lines(text.text)
                    symbols = outlines.of(text)
                with indexing.one():
                    chunks = cut(lines, symbols)[:MOST_OF_FILE]
                    stamp = IndexedFile(bytes(32), digest_of(text.sha256))
                    writer.put(os.path.relpath(path, root), stamp, lines, chunks)
                count += len(chunks)
            with indexing.one():
                writer.commit()
        disk = chunk_folder.disk_bytes(chunk_files)
    scale = 10_000 / len(paths)
    lexical = (indexing.thread + indexing.others + parsing.others) * scale
    detail = f"{indexing.thread * scale:.1f} s chunks and terms, the rest tantivy"
    return [
        Figure("10,000 files: reading", reading.thread * scale, "s CPU"),
        Figure("10,000 files: parsing", parsing.thread * scale, "s CPU"),
        Figure("10,000 files: lexical index", lexical, "s CPU", 6, detail=detail),
        Figure("10,000 files: disk", disk * scale / 1e6, "MB", 60),
        Figure("10,000 files: chunks", count * scale, ""),
    ]


async def _large(root: Path) -> list[Figure]:
    """A whole build in the worker, its memory, searches, and a saved file."""
    kept = Kept(str(root))
    await kept.host.start()
    await kept.host.ready()
    await kept.search("one to start the worker")
    process = psutil.Process(kept.worker.state.process_id)
    before, started = _own_memory(process), time.perf_counter()
    kept.retriever.start()
    await kept.index.settle()
    seconds = time.perf_counter() - started
    times = await _searches(kept)
    held = _own_memory(process) - before
    saves = Times()
    for number in range(_SAVES):
        path = root / f"glossator_benchmark_{number}.py"
        try:
            path.write_text(f"def zebra_{number}_crossing(): ...\n")
            with saves.one():
                kept.host.apply(DiskChanged(frozenset({str(path)})))
                found = await kept.search(f"zebra_{number}_crossing")
            if found.hits[0].document.path != str(path):
                raise AssertionError("the saved file is not found")
        finally:
            path.unlink()
            kept.host.apply(DiskChanged(frozenset({str(path)})))
        await kept.index.settle()
    status = kept.index.status()
    await kept.close()
    built = f"{status.files:,} files in {seconds:.0f} s, {status.disk_bytes / 1e6:.0f} MB"
    return [
        Figure("a search, median", percentile(times.counted, 0.5), "ms", 20, detail=built),
        Figure("a search, p95", percentile(times.counted, 0.95), "ms", 60),
        Figure("a saved file is found, median", percentile(saves.counted, 0.5), "ms", 100),
        Figure("memory of the worker", held, "MB", 120, detail="more than before the build"),
    ]


def _own_memory(process: psutil.Process) -> float:
    """Its memory in MB, without the files that are mapped: the system takes that back at need."""
    memory = process.memory_info()
    return (memory.rss - getattr(memory, "shared", 0)) / 1e6


async def _small(root: Path) -> Figure:
    kept = Kept(str(root))
    await kept.start()
    times = await _searches(kept)
    await kept.close()
    detail = f"{kept.index.status().files:,} files"
    median = percentile(times.counted, 0.5)
    return Figure("a search in a small tree, median", median, "ms", 5, detail=detail)


async def _by_a_client(root: Path) -> Figure:
    """What an editor waits for: the same small tree, asked over the protocol."""
    times = Times()
    async with server(usual_environment()) as client:
        await client.initialize(root)
        client.notify("initialized", {})
        await client.command("index")
        for round_ in range(4):
            for question in _QUESTIONS:
                measured = times if round_ else Times()
                with measured.one():
                    await client.command("search", query=question, report=False)
    median = percentile(times.counted, 0.5)
    return Figure("the same by a client, median", median, "ms", 10)


async def _searches(kept: Kept) -> Times:
    """Warm searches, as the tool makes them."""
    times = Times()
    for round_ in range(4):
        for question in _QUESTIONS:
            measured = times if round_ else Times()
            with measured.one():
                await kept.retriever.search(kept.snapshot, question, 20)
    return times
