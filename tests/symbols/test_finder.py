"""The finder on a real workspace and worker: what is open, links, patience, and doing without."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from glossator.core.document import Document
from glossator.symbols.candidates import SearchScope
from glossator.symbols.find import Name
from glossator.worker.client import WorkerGone, WorkerPhase, WorkerState
from glossator.worker.jobs import JobProgress
from tests.worker.jobs import Count
from tests.workspaces import MakeWorkspace, Workspace


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Path(__file__).parents[2]  # this tree, whichever is installed, and jobs of tests
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (here / "server", here))))


async def defined(ws: Workspace, name: str) -> list[str]:
    found = await ws.symbols.definitions(ws.snapshot, Name.parse(name), SearchScope())
    return [ws.snapshot.relative(hit.line.path) for hit in found.hits]


async def matched(ws: Workspace, query: str) -> list[str]:
    found = await ws.symbols.matching(ws.snapshot, query, 50)
    return sorted(ws.snapshot.relative(match.line.path) for match in found)


def opened(ws: Workspace, name: str) -> Document:
    document = ws.snapshot.open_document(ws.uri(name))
    assert document is not None
    return document


async def test_a_link_is_what_it_leads_to(workspace: MakeWorkspace) -> None:
    ws = await workspace({"t.py": "def target(): ...\n", "other.py": "x = 1\n"})
    os.symlink("t.py", ws.root / "lnk.py")
    ws.touched("lnk.py")
    assert await matched(ws, "target") == await defined(ws, "target") == ["lnk.py", "t.py"]
    ws.open("t.py", "def renamed(): ...\n")
    assert await defined(ws, "target") == await matched(ws, "target") == []
    assert await defined(ws, "renamed") == await matched(ws, "renamed") == ["lnk.py", "t.py"]
    grepped = await ws.call("Grep", pattern="renamed|target", output_mode="content")
    assert grepped.text.splitlines() == [
        "lnk.py",
        "1:def renamed(): ...",
        "",
        "t.py",
        "1:def renamed(): ...",
    ]
    ws.open("t.py", "# target\n")  # what is read for another name holds it
    assert await defined(ws, "target") == await defined(ws, "renamed") == []
    ws.close("t.py")
    assert await defined(ws, "target") == await matched(ws, "target") == ["lnk.py", "t.py"]


async def test_reading_all_names_does_not_hold_up_what_is_patient(
    workspace: MakeWorkspace,
) -> None:
    code = "".join(f"def common_{n}(a, b):\n    return helper(a, [b, {n}])\n" for n in range(800))
    ws = await workspace({f"m{n}.py": f"{code}# {n}\n" for n in range(12)}, index=False)
    order: list[str] = []
    begun = asyncio.Event()

    def patient(_progress: JobProgress) -> None:
        order.append("patient")
        begun.set()

    building = asyncio.create_task(ws.worker.run(Count(10**6), patient))
    await begun.wait()
    await ws.symbols.matching(ws.snapshot, "common", 5, lambda _: order.append("names"))
    building.cancel()
    between = order[order.index("names") : len(order) - order[::-1].index("names")]
    assert "patient" in between


async def test_large_texts_are_parsed_by_the_worker_alone(workspace: MakeWorkspace) -> None:
    text = "def f(): ...\n" * 5_000
    ws = await workspace({"large.py": text, "small.py": "def f(): ...\n"}, index=False)
    ws.open("large.py", text)
    ws.open("small.py", "def f(): ...\n")
    assert len(await ws.symbols.outline(ws.snapshot, opened(ws, "small.py"))) == 1
    assert ws.worker.state == WorkerState(WorkerPhase.OFF)  # it need not be started for this
    assert len(await ws.symbols.outline(ws.snapshot, opened(ws, "large.py"))) == 5_000
    process_id = ws.worker.state.process_id
    assert process_id is not None
    waiting = asyncio.create_task(ws.worker.run(Count(10**6)))
    await ws.symbols.outline(ws.snapshot, opened(ws, "small.py"))
    os.kill(process_id, signal.SIGKILL)
    with pytest.raises(WorkerGone):
        await waiting
    with pytest.raises(WorkerGone):
        await ws.symbols.outline(ws.snapshot, opened(ws, "large.py"))
    assert len(await ws.symbols.outline(ws.snapshot, opened(ws, "small.py"))) == 1
    found = await ws.symbols.definitions(ws.snapshot, Name.parse("f"))
    assert [ws.snapshot.relative(hit.line.path) for hit in found.hits] == ["small.py"]
    assert (found.coverage.worker_away, found.coverage.unparsed) == (True, 1)


async def test_what_is_kept_can_be_told(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "def f(): ...\n"})
    assert await ws.symbols.statistics(ws.snapshot) is None
    await defined(ws, "f")
    kept = await ws.symbols.statistics(ws.snapshot)
    assert kept is not None
    assert kept.entries == 1
