"""The index through its life: built, used, kept current, left alone, and started again."""

from __future__ import annotations

import asyncio
import gc
import os
import statistics
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import NamedTuple

import psutil

from glossator.application.application import Application
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.index.manager import TextIndexManager
from glossator.workspace.search.ripgrep import Request
from glossator.workspace.search.search import TextSearch
from tests.benchmarks.measure import Figure, percentile
from tests.benchmarks.opened import call, opened, state_folder
from tests.benchmarks.pace import Pace

_TICK = 0.001  # seconds
_IDLE_SECONDS = 10
_SAVES = 60
_COPIED, _REWRITES = 6_000, 30  # files, and how often some of them are written again
_UNTIL_RIPE = 2.5  # seconds until files that were changed just now are indexed
_STARTS = 11
_LOOKS = 4  # at all stamps, which together take about as long as a start
_WARM = 100  # ms for 10,000 files, …
_STAMPS = 24  # … where their bare stamps take so many


async def build(app: Application, root: Path, state: Path) -> list[Figure]:
    """From nothing to a whole index."""
    pace = Pace(root)
    async with _loop_delay() as idle:
        await asyncio.sleep(2)
    await app.start()
    await app.ready()
    listed = app.host.snapshot().files()
    files, megabytes = len(listed), sum(entry.size for entry in listed) / 1e6
    await asyncio.to_thread(pace.take)
    started = time.perf_counter()
    async with _loop_delay() as building:
        await _keeper(app).build()
    seconds = time.perf_counter() - started
    (worker,) = psutil.Process().children()
    cpu = sum(worker.cpu_times()[:2])
    for _ in range(4):
        await asyncio.to_thread(pace.take)
    peak, disk = _peak_megabytes(worker.pid), _disk_megabytes(state)
    per, per_bytes = 10_000 / files, 100 / megabytes
    return [
        Figure(
            "build, CPU per 10k files",
            cpu * per,
            "s",
            pace.allow(2.5),
            detail=f"{seconds:.1f} s in all; 2.5 s where the target was set: {pace}",
        ),
        Figure("build, CPU per 100 MB of files", cpu * per_bytes, "s"),
        Figure("build, disk per 10k files", disk * per, "MB", 20, detail=f"{disk:.0f} MB in all"),
        Figure("build, disk per 100 MB of files", disk * per_bytes, "MB"),
        Figure("build, peak memory of the worker", peak, "MB", 300, detail=f"{files:,} files"),
        _delay("building", building, idle),
    ]


async def work(app: Application, root: Path) -> list[Figure]:
    """Grep and change files."""
    async with _loop_delay() as idle:
        await asyncio.sleep(2)

    async def grep() -> None:
        for number in range(40):
            await call(app, "Grep", pattern=f"return.*{number}", output_mode="count")

    async with _loop_delay() as grepping:
        await grep()
    async with _loop_delay() as watching:
        saves = [await _save(app, root, number) for number in range(_SAVES)]
    p50, p95 = percentile(saves, 0.5), percentile(saves, 0.95)
    missed = sum([await _misses(app, root, number) for number in range(_SAVES)])
    return [
        Figure("first searches after a save that miss it", missed, f"of {_SAVES}", 0),
        Figure("save → searchable, p95", p95, "ms", 15, detail=f"median {p50:.1f} ms"),
        _delay("grepping", grepping, idle),
        _delay("watching and saving", watching, idle),
    ]


async def rest(app: Application) -> list[Figure]:
    """Nobody asks for anything: what is used between two sweeps, and by a sweep in its interval."""
    await _keeper(app).settle()
    await asyncio.sleep(2)
    processes = [psutil.Process(), *psutil.Process().children(recursive=True)]

    def used() -> float:
        return sum(sum(process.cpu_times()[:2]) for process in processes)

    indexer = app.host._indexer
    before, known = used(), indexer.last_sweep
    indexer.sweep("to see what it takes", 0.0)
    while indexer.last_sweep is known:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.1)
    await _keeper(app).settle()
    await asyncio.sleep(2)
    swept = used() - before
    interval = indexer._slot.seconds_left()
    before = used()
    await asyncio.sleep(_IDLE_SECONDS)
    idle = (used() - before) / _IDLE_SECONDS + swept / interval
    memory = ", ".join(f"{process.memory_info().rss / 1e6:.0f} MB" for process in processes)
    detail = f"a sweep takes {swept:.1f} s every {interval:.0f} s; memory {memory}"
    return [
        Figure("idle CPU", idle * 100, "%", 0.5, detail=detail),
        Figure("child processes when idle", len(processes) - 1, "", 1),
    ]


async def warm_start(root: Path, state: Path) -> list[Figure]:
    """As `_warm_starts`, in a new process: to start in one that has long been busy takes longer."""
    with ProcessPoolExecutor(1, get_context("spawn")) as new:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(new, _in_new_process, root, state)


def _in_new_process(root: Path, state: Path) -> list[Figure]:
    return asyncio.run(_warm_starts(root, state))


async def _warm_starts(root: Path, state: Path) -> list[Figure]:
    """The index is there: from the start of the workspace to the first answer.

    Every start is compared with the stamps looked at right after it, for about as long, because
    machines are noisy: the least of many short times is what a long one never comes near.
    """
    starts = [await _start(root, state) for _ in range(_STARTS)]
    async with opened(root, state) as app:
        async with _loop_delay() as idle:
            await asyncio.sleep(2)
        async with _loop_delay() as starting:
            with _without_collector():
                await app.start()
                await app.ready()
    median = sorted(starts, key=lambda start: start.took / start.allowed)[_STARTS // 2]
    detail = (
        f"{median.seconds * 1000:.0f} ms for {median.files:,} files, {median.pending} of them"
        f" pending; {_WARM} ms where their bare stamps take {_STAMPS} ms per 10k:"
        f" {median.per(median.stamps):.0f} here"
    )
    return [
        Figure(
            "warm start → first answer, per 10k files",
            median.took,
            "ms",
            median.allowed,
            detail=detail,
        ),
        _delay("starting", starting, idle),
    ]


class _Start(NamedTuple):
    seconds: float  # until the first answer
    stamps: float  # seconds for the bare stamps of all files
    files: int
    pending: int

    def per(self, seconds: float) -> float:
        """Milliseconds for 10,000 files."""
        return seconds * 1000 * 10_000 / self.files

    @property
    def took(self) -> float:
        return self.per(self.seconds)

    @property
    def allowed(self) -> float:
        """As much more than the target as this machine takes for the stamps, and never less."""
        return _WARM * max(1.0, self.per(self.stamps) / _STAMPS)


async def _start(root: Path, state: Path) -> _Start:
    async with opened(root, state) as app:
        with _without_collector():
            started = time.perf_counter()
            await app.start()
            await app.ready()
            result = await call(app, "Grep", pattern="zzzqqqxxx")
            seconds = time.perf_counter() - started
        assert not result.error
        snapshot = app.host.snapshot()
        files = snapshot.files()
        stamps = statistics.mean(_stamps(files) for _ in range(_LOOKS))
        return _Start(seconds, stamps, len(files), len(snapshot.text.pending))


@contextmanager
def _without_collector() -> Iterator[None]:
    """As the server is until the workspace is scanned."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _stamps(files: Sequence[FileEntry]) -> float:
    """Seconds for looking at the stamp of each file: nothing that proves an answer takes less."""
    started = time.perf_counter()
    for file in files:
        os.lstat(file.path)
    return time.perf_counter() - started


def _keeper(app: Application) -> TextIndexManager:
    assert app.host.index_manager is not None
    return app.host.index_manager


def _peak_megabytes(process_id: int) -> float:
    status = Path(f"/proc/{process_id}/status").read_text("ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1000


def _disk_megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


async def _save(app: Application, root: Path, number: int) -> float:
    """Milliseconds from a write to a search that finds what was written."""
    path = root / f"glossator-benchmark-{os.getpid()}.txt"
    word = f"glossatorbenchmark{number}word"
    noticed = asyncio.Event()
    unsubscribe = app.host.subscribe(
        lambda paths: noticed.set() if str(path) in paths else None  # the whole search counts
    )
    try:
        started = time.perf_counter()
        path.write_text(f"{word}\n")
        while True:
            await noticed.wait()
            noticed.clear()
            search = TextSearch(app.host.snapshot(), Request(word))
            if any(True for _ in search.files(search.newest_first())):
                return (time.perf_counter() - started) * 1000
    finally:
        unsubscribe()
        path.unlink()


async def _misses(app: Application, root: Path, number: int) -> bool:
    """Whether the first search after a save does not find what was written."""
    path, word = root / f"glossator-benchmark-{os.getpid()}.txt", f"glossatorbenchmark{number}first"
    try:
        path.write_text(f"{word}\n")
        await app.ready()  # as every command that searches
        return path.name not in (await call(app, "Grep", pattern=word)).text
    finally:
        path.unlink()


async def rewritten(root: Path) -> list[Figure]:
    """A copy of some files, of which many are written again and again, without a pause."""
    with state_folder() as state:
        copy = Path(await asyncio.to_thread(_copied, root, state))
        async with opened(copy, state) as app:
            await app.start()
            await app.ready()
            await asyncio.sleep(_UNTIL_RIPE)
            await _keeper(app).build()
            fresh, most, chance = _disk_megabytes(state / "glossator"), 0.0, Random(1)
            files = [Path(entry.path) for entry in app.host.snapshot().files()]
            for number in range(_REWRITES):
                for path in chance.sample(files, len(files) // 15):
                    with path.open("a") as file:
                        file.write(f"\n{number}\n")
                await asyncio.sleep(_UNTIL_RIPE)
                await app.ready()
                await _keeper(app).settle()
                most = max(most, _disk_megabytes(state / "glossator"))
    detail = (
        f"{most:.1f} MB after {fresh:.1f}, {len(files):,} files, {_REWRITES} times a 15th of them"
    )
    return [
        Figure(
            "disk while files are written, of a new index",
            most / fresh,
            "times",
            2.5,
            detail=detail,
        )
    ]


def _copied(root: Path, state: Path) -> Path:
    copy = state / "copy"
    for path in sorted(path for path in root.rglob("*") if path.is_file())[:_COPIED]:
        target = copy / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return copy


@asynccontextmanager
async def _loop_delay() -> AsyncIterator[list[float]]:
    """By how many ms a 1 ms timer comes late while the block lasts."""
    delays: list[float] = []

    async def tick() -> None:
        while True:
            started = time.perf_counter()
            await asyncio.sleep(_TICK)
            delays.append((time.perf_counter() - started - _TICK) * 1000)

    ticking = asyncio.create_task(tick())
    try:
        yield delays
    finally:
        ticking.cancel()


def _delay(name: str, delays: list[float], idle: list[float]) -> Figure:
    over = percentile(delays, 0.99) - percentile(idle, 0.99)
    detail = f"p99 {percentile(delays, 0.99):.1f} ms, max {max(delays):.0f} ms"
    return Figure(f"event-loop delay over idle while {name}, p99", over, "ms", 10, detail=detail)
