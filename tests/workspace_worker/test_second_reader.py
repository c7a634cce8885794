"""A search finds the same whether or not the worker process helps, and whatever becomes of it."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any
from unittest.mock import Mock

import psutil
import pytest

from glossator.documents.host import Indexing, WorkspaceHost
from glossator.documents.snapshot import WorkspaceSnapshot
from glossator.files.entries import FileEntry
from glossator.index.candidates import Ranges
from glossator.search import blocks, finder, ripgrep
from glossator.search.block import Reader
from glossator.search.prefilter import Counts, SearchSpec
from glossator.search.ripgrep import Request
from glossator.search.search import TextSearch
from glossator.settings.model import WorkspaceSettings
from glossator.worker.client import Worker
from glossator.worker.parallel_scanner import ParallelScanner
from tests.patience import SECONDS, until
from tests.workspace_text.searching import (
    RIPGREP,
    counts,
    files,
    in_a_segment,
    indexed,
    lines,
    pending,
    write,
)
from tests.workspace_worker.jobs import Echo, Quiet

_PATTERNS = ("needle", r"need\w+ \d", "(?i)NEEDLE", "^needle", r"a{3}|needle", r"\bx\b", "zebra")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[FileEntry]:
    """The files that a worker process is asked to look into: all it can be, but for the first."""
    monkeypatch.setattr(blocks, "FIRST", 1)
    monkeypatch.setattr(blocks, "_LENT", 0)
    files: list[FileEntry] = []
    ask = ParallelScanner.ask

    def noted(
        self: ParallelScanner,
        sought: SearchSpec,
        block: Sequence[FileEntry],
        ranges: Mapping[str, Ranges],
    ) -> None:
        files.extend(block)
        ask(self, sought, block, ranges)

    monkeypatch.setattr(ParallelScanner, "ask", noted)
    return files


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """Called for each ripgrep that is begun."""
    begun = Mock(wraps=ripgrep._Run)
    monkeypatch.setattr(ripgrep, "_Run", begun)
    return begun


@pytest.fixture
async def alone(tmp_path: Path) -> WorkspaceSnapshot:
    """Files of all kinds, few with a match; no worker helps."""
    filler = b"need eedl edle and nothing\n" * 30  # all of the trigrams, and not the word
    texts = {f"{number:03}.txt": filler for number in range(60)}
    texts |= {f"{number:03}.txt": filler + b"needle %d\r\n" % number for number in range(5, 60, 9)}
    texts |= {"016.txt": "the needle 16\n".encode("utf-16"), "025.txt": b"\0needle 25\n"}
    texts |= {"034.txt": b"", "043.txt": b"needle 43", "044.txt": "größe needle 4 é\n".encode()}
    write(tmp_path, texts)
    return indexed(await pending(tmp_path))


async def helped(snapshot: WorkspaceSnapshot, worker: Worker) -> WorkspaceSnapshot:
    """The same with a worker that has started."""
    await worker.run(Echo(0))
    await until(lambda: is_lent(worker))
    return replace(snapshot, second_reader=worker.second_reader)


def is_lent(worker: Worker) -> bool:
    with worker.second_reader() as second:
        return second is not None and second.has_room()


@contextmanager
def stopped(worker: Worker) -> Iterator[None]:
    """The process stands still, as on a machine that has other things to do."""
    process = worker.state.process_id
    assert process is not None
    os.kill(process, signal.SIGSTOP)
    while psutil.Process(process).status() != psutil.STATUS_STOPPED:
        time.sleep(0.001)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


@pytest.mark.parametrize("pattern", _PATTERNS)
async def test_the_same_is_found(
    alone: WorkspaceSnapshot, worker: Worker, asked: list[FileEntry], pattern: str
) -> None:
    both = await helped(alone, worker)
    for request in (Request(pattern), Request(pattern, multiline=True)):
        for find in (files, counts, lines):
            assert find(both, request) == find(alone, request)
    assert asked or pattern == "zebra"  # of which the index knows that nobody has it


async def test_of_a_long_file_passages_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worker: Worker, asked: list[FileEntry]
) -> None:
    filler = b"".join(b"filler %d\n" % number for number in range(50))
    # the last has all of the trigrams, and not the word
    texts = {f"{number}.txt": filler + b"need eedl edle\n" for number in range(9)}
    texts["5.txt"] = filler + b"needle 5\n" + filler + b"needle 6\n" + filler
    (tmp_path / "ws").mkdir()
    write(tmp_path / "ws", texts)
    alone = in_a_segment(await pending(tmp_path / "ws"), tmp_path, monkeypatch)
    both = await helped(alone, worker)
    assert counts(both, Request("needle")) == [("5.txt", 2)]
    assert lines(both, Request("needle")) == [("5.txt", [51, 102])]
    assert files(both, Request("needle")) == ["5.txt"]
    assert asked


def _change_some(root: Path) -> None:
    for number in (10, 20, 30, 40):
        (root / f"{number:03}.txt").write_bytes(b"needle one\nneedle two\n")
        (root / f"{number + 1:03}.txt").unlink()


async def test_a_file_that_changed_since_it_was_listed_is_read_as_it_is_now(
    alone: WorkspaceSnapshot, worker: Worker, asked: list[FileEntry]
) -> None:
    both = await helped(alone, worker)
    (root,) = both.roots
    _change_some(Path(root))
    assert counts(both, Request("needle")) == counts(alone, Request("needle"))
    assert dict(counts(both, Request("needle")))["030.txt"] == 2
    assert asked


async def test_a_worker_that_dies_costs_nothing_but_time(
    alone: WorkspaceSnapshot, worker: Worker, asked: list[FileEntry]
) -> None:
    both, request = await helped(alone, worker), Request("needle")
    expected = files(alone, request)
    running = TextSearch(both, request)
    found = running.files(running.newest_first())
    first = next(found).relative
    process = worker.state.process_id
    assert process is not None
    os.kill(process, signal.SIGKILL)
    assert [first, *(entry.relative for entry in found)] == expected
    assert files(both, request) == expected
    assert asked


async def test_one_that_is_late_is_not_waited_for(
    alone: WorkspaceSnapshot, worker: Worker, asked: list[FileEntry]
) -> None:
    both, request = await helped(alone, worker), Request("needle")
    expected = counts(alone, request)
    with stopped(worker):
        assert counts(both, request) == expected
        assert asked
        asked.clear()
        assert counts(both, request) == expected
        assert not asked  # it has answers to give before it is asked anything
        assert not is_lent(worker)
    await until(lambda: is_lent(worker))
    assert counts(both, request) == expected
    assert asked


async def test_what_it_has_not_come_to_in_the_end_is_looked_into_here(
    alone: WorkspaceSnapshot,
    worker: Worker,
    asked: list[FileEntry],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited = 0
    answer = ParallelScanner.answer

    def counted(self: ParallelScanner, cancelled: Callable[[], bool]) -> Counts | None:
        nonlocal waited
        waited += 1
        return answer(self, cancelled)

    monkeypatch.setattr(ParallelScanner, "answer", counted)
    monkeypatch.setattr(blocks, "_AHEAD", 100)
    both, request = await helped(alone, worker), Request("needle")
    for find in (counts, files, lines):
        await until(lambda: is_lent(worker))
        with stopped(worker):
            asked.clear()
            waited = 0
            assert find(both, request) == find(alone, request)
            assert len(asked) > 1
            assert waited == 1


async def test_a_cancelled_search_does_not_wait_for_it(
    alone: WorkspaceSnapshot,
    worker: Worker,
    asked: list[FileEntry],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("glossator.worker.parallel_scanner._LATE", SECONDS)
    both, cancelled = await helped(alone, worker), False
    running = TextSearch(both, Request("needle"), lambda: cancelled)
    with stopped(worker):
        going = asyncio.create_task(asyncio.to_thread(list, running.files(running.newest_first())))
        await until(lambda: len(asked) > 0)
        cancelled, started = True, monotonic()
        await going
        assert monotonic() - started < SECONDS / 2


@pytest.mark.parametrize("read_here", range(1, 12))
async def test_ripgrep_goes_on_wherever_the_two_stop(
    alone: WorkspaceSnapshot,
    worker: Worker,
    asked: list[FileEntry],
    begun: Mock,
    monkeypatch: pytest.MonkeyPatch,
    read_here: int,
) -> None:
    both, request = await helped(alone, worker), Request("needle")
    expected = [(find, find(alone, request)) for find in (files, counts, lines)]
    monkeypatch.setattr(finder, "_ALONE", 0.5)
    monkeypatch.setattr(finder, "_WORTH", 0)
    monkeypatch.setattr(ripgrep, "_FIRST_BATCH", 7)
    now, read = 0.0, Reader.block

    def block(*of: Any) -> Any:
        nonlocal now
        now += 1 / read_here
        return read(*of)

    monkeypatch.setattr(Reader, "block", block)
    monkeypatch.setattr(finder, "monotonic", lambda: now)
    for find, found in expected:
        now = 0.0
        assert find(replace(both, ripgrep=RIPGREP), request) == found
    assert begun.call_count > 3
    assert asked or read_here < 3


async def test_ripgrep_does_not_wait_for_it(
    alone: WorkspaceSnapshot,
    worker: Worker,
    asked: list[FileEntry],
    begun: Mock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("glossator.worker.parallel_scanner._LATE", SECONDS)
    monkeypatch.setattr(finder, "_ALONE", 0)
    monkeypatch.setattr(finder, "_WORTH", 0)
    monkeypatch.setattr(finder, "monotonic", lambda: float(len(asked)))
    both, request = await helped(alone, worker), Request("needle")
    with stopped(worker):
        finding = asyncio.to_thread(counts, replace(both, ripgrep=RIPGREP), request)
        going = asyncio.create_task(finding)
        await until(lambda: begun.call_count == 1)
        assert asked
        assert not going.done()
    assert await going == counts(alone, request)


async def test_another_search_has_it_while_ripgrep_is_at_work(
    alone: WorkspaceSnapshot, worker: Worker, begun: Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finder, "_ALONE", 0)
    both = replace(await helped(alone, worker), ripgrep=RIPGREP)
    monkeypatch.setattr(finder, "_WORTH", 0)
    monkeypatch.setattr(blocks, "FIRST", 1)
    running = TextSearch(both, Request("needle"))
    found = running.counts(running.by_path())
    next(found)
    assert begun.called
    assert is_lent(worker)
    assert list(found)


async def test_one_that_reads_nothing_is_not_written_to_for_ever(
    alone: WorkspaceSnapshot, worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    both = await helped(alone, worker)
    long = {f"/{number}": ((number, number + 1),) for number in range(100_000)}
    with stopped(worker), both.second_reader() as second:
        assert second is not None
        second.ask(SearchSpec(Request("needle"), b"", False, 1), both.files(), long)
        assert second.has_answered
        assert second.answer(lambda: False) is None
        assert not second.has_room()
    assert "stuck" in caplog.text


async def test_nothing_is_found_where_to_ask_for_help_takes_long(
    alone: WorkspaceSnapshot,
) -> None:
    @contextmanager
    def slow() -> Iterator[None]:
        time.sleep(0.02)
        yield None

    assert files(replace(alone, second_reader=slow), Request("zebra")) == []


async def test_it_helps_one_search_at_a_time_and_none_while_it_has_a_job(
    alone: WorkspaceSnapshot, worker: Worker
) -> None:
    await helped(alone, worker)
    with worker.second_reader() as second:
        assert second is not None
        assert not is_lent(worker)
    assert is_lent(worker)
    job = asyncio.create_task(worker.run(Quiet(0.2)))
    await until(lambda: not is_lent(worker))
    await job
    assert is_lent(worker)


async def test_what_nobody_asked_for_any_longer_is_not_taken_for_an_answer(
    alone: WorkspaceSnapshot, worker: Worker, asked: list[FileEntry]
) -> None:
    both = await helped(alone, worker)
    for pattern in ("needle", "nothing") * 3:
        running = TextSearch(both, Request(pattern))
        next(running.files(running.newest_first()))  # and no more: some was asked for in vain
        await until(lambda: is_lent(worker))
    assert files(both, Request("needle")) == files(alone, Request("needle"))
    assert asked


@pytest.mark.parametrize("index", [True, False])
async def test_a_long_search_gets_the_next_one_a_second_reader_unless_there_is_no_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worker: Worker, *, index: bool
) -> None:
    monkeypatch.setattr("glossator.worker.client._LONG_SEARCH", -1)
    write(tmp_path / "ws", {"a": b"needle\n"})
    indexing = Indexing(worker, lambda _: None, lambda _: None, patience=1000)
    host = WorkspaceHost((str(tmp_path / "ws"),), WorkspaceSettings(index=index), indexing)
    await host.start()
    await host.ready()
    assert await asyncio.to_thread(files, host.snapshot(), Request("needle")) == ["a"]
    await asyncio.sleep(0)
    assert (worker._beginning is not None) == index
    if index:
        await until(lambda: is_lent(worker))
    await host.close()
