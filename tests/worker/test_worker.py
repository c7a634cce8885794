"""The worker process: jobs, urgency, cancelling, and every way to end."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from glossator.worker import JobFailed, Worker, WorkerGone, WorkerPhase
from glossator.worker.connection import clean_environment
from glossator.worker.jobs import JobProgress
from tests.patience import until
from tests.worker.jobs import (
    Count,
    Die,
    Echo,
    Environment,
    Quiet,
    Refuse,
    Stuck,
    Unpicklable,
    UrgentEcho,
    UrgentEnvironment,
)

pytestmark = pytest.mark.usefixtures("true_start")


async def ask_again(worker: Worker, value: object) -> object:
    """What an `Echo` answers, however long the worker backs off."""
    while True:
        try:
            return await worker.run(Echo(value))
        except WorkerGone as gone:
            await asyncio.sleep(gone.retry_after)


async def test_a_job_runs_in_one_other_process_started_when_it_is_needed(worker: Worker) -> None:
    before = worker.state
    environment = await worker.run(Environment())
    process_id = worker.state.process_id
    assert (before.phase, worker.state.phase) == (WorkerPhase.OFF, WorkerPhase.READY)
    assert process_id not in (None, os.getpid())
    assert environment["cwd"] == "/"
    assert int(environment["nice"]) > os.nice(0)
    assert await worker.run(Echo(["x" * 1_000_000])) == ["x" * 1_000_000]
    assert worker.state.process_id == process_id


async def test_it_ends_at_rest_and_starts_again(caplog: pytest.LogCaptureFixture) -> None:
    worker = Worker(rest=0.01)
    assert await worker.run(Echo("a")) == "a"
    first = worker.state.process_id
    await until(lambda: worker.state.phase is WorkerPhase.OFF)
    assert first is not None
    assert not psutil.pid_exists(first)
    counted, echoed = await asyncio.gather(worker.run(Count(300)), worker.run(Echo("b")))
    assert (counted, echoed) == (300, "b")  # it does not end under a job
    for _ in range(5):  # nor is a call lost that comes while it ends
        await asyncio.sleep(0.01)
        assert await worker.run(Echo("c")) == "c"
    assert worker.state.failures == 0
    await worker.close()
    assert caplog.records == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread has no niceness of its own")
async def test_only_what_nobody_waits_for_lets_other_programs_go_first(worker: Worker) -> None:
    for _ in range(2):
        patient, urgent = await worker.run(Environment()), await worker.run(UrgentEnvironment())
        assert (int(patient["nice"]), int(urgent["nice"])) == (min(os.nice(0) + 10, 19), os.nice(0))


async def test_it_inherits_no_secrets(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "ANTHROPIC_API_KEY SOME_TOKEN AWS_SECRET_ACCESS_KEY GOOGLE_X GH_TOKEN".split():
        monkeypatch.setenv(name, "secret")
    assert "secret" not in (await worker.run(Environment())).values()


def test_only_its_own_folders_are_imported_from(tmp_path: Path) -> None:
    kept = clean_environment({"PYTHONPATH": f":{tmp_path}:relative", "LC_ALL": "C", "X": "1"})
    assert kept["PYTHONPATH"] == f"{tmp_path}:{os.path.abspath('relative')}"
    assert kept["LC_ALL"] == "C"
    assert "X" not in kept


async def test_progress_arrives_in_order(worker: Worker) -> None:
    seen: list[JobProgress] = []
    assert await worker.run(Count(5), seen.append) == 5
    assert seen == [JobProgress(done, 5) for done in range(5)]


async def test_an_urgent_job_goes_first_and_patient_ones_take_turns(worker: Worker) -> None:
    started = asyncio.Event()
    long = asyncio.create_task(worker.run(Count(1_000_000), lambda _: started.set()))
    await started.wait()
    assert await worker.run(UrgentEcho(1)) == 1
    assert await worker.run(Echo(2)) == 2
    assert not long.done()
    long.cancel()


async def test_a_cancelled_job_is_closed(worker: Worker, tmp_path: Path) -> None:
    trace, started = tmp_path / "closed", asyncio.Event()
    job = Count(1_000_000, str(trace))
    long = asyncio.create_task(worker.run(job, lambda _: started.set()))
    await started.wait()
    long.cancel()
    await until(trace.exists)
    assert await worker.run(Echo(1)) == 1


async def test_a_failed_job_harms_nobody_else(worker: Worker) -> None:
    with pytest.raises(JobFailed, match=r"^not like this$"):
        await worker.run(Refuse("not like this"))
    with pytest.raises(JobFailed, match="ZeroDivisionError"):
        await worker.run(Refuse())
    with pytest.raises(JobFailed, match="pickle"):
        await worker.run(Unpicklable())
    assert await worker.run(Echo(1)) == 1
    assert worker.state.failures == 0


async def test_an_end_unasked_is_told_and_backed_off_from(worker: Worker) -> None:
    slow = Worker(first_wait=1000, longest_wait=5000)
    with pytest.raises(WorkerGone, match="ended"):
        await slow.run(Die())
    assert slow.state.phase is WorkerPhase.BACKING_OFF
    with pytest.raises(WorkerGone) as gone:
        await slow.run(Echo(1))
    assert 900 < gone.value.retry_after <= 1000
    await slow.close()
    for round_ in range(1, 4):
        with pytest.raises(WorkerGone):
            await worker.run(Die())
        assert worker.state.failures == round_
        await until(lambda: worker.state.phase is WorkerPhase.OFF)  # the next call starts it
    assert await ask_again(worker, 1) == 1


async def test_killing_it_releases_all_who_wait(worker: Worker) -> None:
    started = asyncio.Event()
    waiting = [asyncio.create_task(worker.run(Count(10**6), lambda _: started.set()))]
    waiting += [asyncio.create_task(worker.run(Count(10**6))) for _ in range(5)]
    await started.wait()
    os.kill(worker.state.process_id or 0, signal.SIGKILL)
    outcomes = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [WorkerGone] * 6
    assert await ask_again(worker, 1) == 1


@pytest.mark.parametrize("when", ["starting", "working"])
async def test_one_that_hangs_is_ended_and_started_again(
    when: str, caplog: pytest.LogCaptureFixture
) -> None:
    worker, started = Worker(first_wait=0.01, longest_wait=0.05, patience=1.5), asyncio.Event()
    waiting = asyncio.create_task(worker.run(Count(10**6), lambda _: started.set()))
    if when == "working":
        await started.wait()
    else:
        await until(lambda: worker.state.process_id is not None)
    os.kill(worker.state.process_id or 0, signal.SIGSTOP)
    with pytest.raises(WorkerGone):
        await waiting
    assert "gave no sign of life for 1.5 s and was ended" in caplog.text
    assert await ask_again(worker, 1) == 1
    await worker.close()


async def test_a_slice_that_never_ends_is_noticed(tmp_path: Path) -> None:
    worker = Worker(first_wait=0.01, longest_wait=0.05, patience=1.5)
    with pytest.raises(WorkerGone):
        await worker.run(Stuck(str(tmp_path / "started")))
    assert (tmp_path / "started").exists()
    await worker.close()


async def test_slices_without_progress_are_signs_of_life() -> None:
    patient = Worker(patience=2.0)
    await patient.run(Quiet(2.5))
    assert patient.state.failures == 0
    await patient.close()


async def test_closing_ends_it_also_in_the_middle_of_a_slice(tmp_path: Path) -> None:
    worker = Worker()
    stuck = asyncio.create_task(worker.run(Stuck(str(tmp_path / "started"))))
    await until((tmp_path / "started").exists)
    process = psutil.Process(worker.state.process_id)
    await worker.close()
    assert not process.is_running()
    assert worker.state.phase is WorkerPhase.OFF
    with pytest.raises(WorkerGone):
        await stuck
    with pytest.raises(WorkerGone, match="closed"):
        await worker.run(Echo(1))


_SERVER = """
import asyncio, sys
from glossator.worker.client import Worker
from tests.worker.jobs import Stuck

async def main():
    worker = Worker()
    task = asyncio.create_task(worker.run(Stuck(sys.argv[1])))
    while worker.state.process_id is None:
        await asyncio.sleep(0.001)
    print(worker.state.process_id, flush=True)
    await task

asyncio.run(main())
"""


async def test_it_ends_when_the_server_is_killed(tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", _SERVER, str(tmp_path / "started")]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as server:  # noqa: ASYNC220
        assert server.stdout is not None
        process = psutil.Process(int(await asyncio.to_thread(server.stdout.readline)))
        await until((tmp_path / "started").exists)
        server.kill()
    await until(lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE)


async def test_ctrl_c_does_not_end_it_and_idle_it_rests(worker: Worker) -> None:
    await worker.run(Echo(1))
    process = psutil.Process(worker.state.process_id)
    process.send_signal(signal.SIGINT)
    assert await worker.run(Echo(2)) == 2
    assert process.pid == worker.state.process_id
    await until(lambda: process.status() == psutil.STATUS_SLEEPING)
