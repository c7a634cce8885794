"""One file that raises, crashes or hangs: the others are worked on, and it is tried once."""

from __future__ import annotations

import mmap
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from glossator.worker import Worker, WorkerGone, run_here
from glossator.worker.items import MARK_BYTES, Item, Troubles, load, marked
from tests.worker.jobs import Each, Echo

NAMES = ("a", "b", "c")

MakeWorker = Callable[..., Worker]


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[MakeWorker]:
    made: list[Worker] = []

    def begin(patience: float = 30.0) -> Worker:
        made.append(
            Worker(
                first_wait=60.0,
                longest_wait=60.0,
                patience=patience,
                saved=lambda: tmp_path / "troubles.json",
            )
        )
        return made[-1]

    yield begin
    for each in made:
        await each.close()


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return tmp_path / "trace"


def tries(trace: Path) -> Counter[str]:
    return Counter(trace.read_text().split())


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        ("raises", "ZeroDivisionError: division by zero"),
        ("second step", "ZeroDivisionError: division by zero"),
        ("crashes", f"the worker process was ended by signal {signal.SIGSEGV.value}"),
        ("exits", "the worker process ended with code 7"),
    ],
)
async def test_the_others_are_worked_on(make: MakeWorker, trace: Path, harm: str, why: str) -> None:
    worker = make()
    made = await worker.run(Each(NAMES, {"b": harm}, str(trace)))
    assert made == {"a": "A", "b": f"b is not made: {why}", "c": "C"}
    assert tries(trace)["b"] == 1
    assert [each.in_words for each in worker.troubles.listed] == [made["b"]]


async def test_one_that_hangs_is_given_up_and_the_worker_replaced(
    make: MakeWorker, trace: Path
) -> None:
    worker = make(patience=2.0)
    await worker.run(Echo(1))
    process_id = worker.state.process_id
    made = await worker.run(Each(NAMES, {"b": "loops"}, str(trace)))
    assert made["b"].endswith("the worker process gave no sign of life for 2 s and was ended")
    assert (made["a"], made["c"]) == ("A", "C")
    assert worker.state.process_id not in (None, process_id)


async def test_too_deep_recursion_is_a_failure_like_any_other(
    make: MakeWorker, trace: Path
) -> None:
    made = await make().run(Each(NAMES, {"b": "recurses"}, str(trace)))
    assert "RecursionError" in made["b"]
    assert made["c"] == "C"


async def test_it_is_tried_again_when_it_changed(make: MakeWorker, trace: Path) -> None:
    worker = make()
    for _ in range(2):
        await worker.run(Each(NAMES, {"b": "raises"}, str(trace)))
    assert tries(trace)["b"] == 1
    made = await worker.run(Each(NAMES, {}, str(trace), version="2"))
    assert made["b"] == "B"
    assert worker.troubles.listed == ()


async def test_one_that_ends_processes_whatever_changes_is_left_alone(
    make: MakeWorker, trace: Path
) -> None:
    """As a file does in which somebody types."""
    worker = make()
    for version in "12345":
        made = await worker.run(Each(NAMES, {"b": "crashes"}, str(trace), version))
        assert made["c"] == "C"
    assert tries(trace)["b"] == 3
    worker.try_all_again()
    assert (await worker.run(Each(NAMES, {}, str(trace), "6")))["b"] == "B"


async def test_the_next_start_knows_it(make: MakeWorker, trace: Path, tmp_path: Path) -> None:
    first = make()
    await first.run(Each(NAMES, {"a": "raises", "b": "crashes"}, str(trace)))
    await first.close()
    made = await make().run(Each(NAMES, {"a": "raises", "b": "crashes"}, str(trace)))
    assert made["c"] == "C"
    assert tries(trace) == {"a": 1, "b": 1, "c": 2}
    assert [each.item.name for each in load(tmp_path / "troubles.json")] == ["a", "b"]


async def test_another_version_of_glossator_tries_it_again(
    make: MakeWorker, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make().run(Each(NAMES, {"b": "raises"}, str(trace)))
    monkeypatch.setattr("glossator.worker.items.__version__", "next")
    assert (await make().run(Each(NAMES, {}, str(trace))))["b"] == "B"


async def test_a_process_that_is_killed_blames_nobody_the_first_time(
    make: MakeWorker, trace: Path
) -> None:
    """The system kills what takes too much memory, and it may be another program's."""
    worker = Worker(first_wait=0.01, longest_wait=0.01)
    job = Each(NAMES, {"b": "is killed"}, str(trace))
    with pytest.raises(WorkerGone):
        await worker.run(job)
    assert worker.troubles.listed == ()
    made = None
    while made is None:
        with suppress(WorkerGone):
            made = await worker.run(job)
    assert tries(trace)["b"] == 2
    assert made["c"] == "C"
    await worker.close()


async def test_work_in_the_server_spares_what_ended_a_worker(make: MakeWorker, trace: Path) -> None:
    worker = make()
    job = Each(NAMES, {"b": "exits"}, str(trace))
    made = await worker.run(job)
    assert await run_here(job, worker.troubles) == made


async def test_many_that_crash_make_the_worker_wait(make: MakeWorker, trace: Path) -> None:
    """A broken installation must not keep the machine busy with starting processes."""
    worker = make()
    names = tuple(f"n{number}" for number in range(20))
    with pytest.raises(WorkerGone):
        await worker.run(Each(names, dict.fromkeys(names, "exits"), str(trace)))
    assert 5 < len(worker.troubles.listed) < 20


def test_names_that_are_no_text_are_marked() -> None:
    mark = mmap.mmap(-1, MARK_BYTES)
    troubles = Troubles(mark=mark)
    item = Item("/ws/\udcff\udc80é", "x", "1")
    troubles.begin(item)
    assert marked(mark[:]) == item
    troubles.begin(Item("/" + "x" * MARK_BYTES, "x", "1"))
    assert marked(mark[:]) is None
    troubles.begin(item)
    troubles.begin(None)
    assert marked(mark[:]) is None
