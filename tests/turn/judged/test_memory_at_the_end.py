"""The memory of a session is written back after each run, whatever its end."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.facts import ExportFactsRequest, export_facts
from glossator.core.errors import ModelError
from glossator.turn.plan.planner import PlanChoice
from tests.patience import until
from tests.sides import JUDGED, asked, judging
from tests.stage import Stage, stage
from tests.standin import HttpError, Text, ToolUse, Turn
from tests.turn.plan.planned import FILES, FOUR, QUESTION, Cast, cites

READ = Turn(ToolUse("Read", {"path": "store.py"}))
HOLDS = "`limit` is 5."
SAYS = {"limit": ("SUPPORTED", "limit = 5")}


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


async def memory(s: Stage) -> dict[str, Any]:
    """What is kept of the one session."""
    (session,) = s.app.sessions.loaded()
    exported = await export_facts(s.app, ExportFactsRequest(session.id))
    core: dict[str, Any] = json.loads(exported.text)
    return core


async def cancel(s: Stage, asking: asyncio.Task[Any]) -> None:
    s.app.runs.cancel()
    await asyncio.wait({asking})
    assert asking.cancelled()


@pytest.mark.parametrize("end", ["failed", "cancelled", "answered"])
async def test_it_knows_what_was_looked_at(tmp_path: Path, end: str) -> None:
    gate = asyncio.Event()
    last = {
        "failed": Turn(fault=HttpError(403, message="Out of order.")),
        "cancelled": Turn(Text("It takes a while."), gate=gate),
        "answered": Turn(Text("It is small.")),
    }
    async with stage(tmp_path / "ws", FILES, [READ, last[end]]) as s:
        asking = asyncio.create_task(s.ask("How many?"))
        if end == "cancelled":
            await until(lambda: len(s.api.requests) == 2)
            await cancel(s, asking)
            gate.set()
        elif end == "failed":
            with pytest.raises(ModelError):
                await asking
        else:
            await asking
        assert (await memory(s))["working_bench"]["retrieved"] == ["store.py:1-3"]


async def test_it_knows_what_tasks_had_found_when_a_plan_was_cancelled(tmp_path: Path) -> None:
    gate = asyncio.Event()
    tasks = {
        "fetch have?": cites("client.py"),
        "save have?": cites("store.py", words=HOLDS),
        "in common": Turn(Text("It takes a while."), gate=gate),
        "run?": cites("shell.py"),
    }
    cast = Cast(decomposer=FOUR, tasks=tasks)
    async with stage(tmp_path / "ws", FILES, judging(cast, **SAYS), JUDGED) as s:
        asking = asyncio.create_task(s.ask(QUESTION, plan=PlanChoice.PLAN))
        await until(lambda: "in common" in str(cast.asked.get("generation", [""])[-1]))
        await cancel(s, asking)
        gate.set()
        facts = (await memory(s))["fact_ledger"].values()
        assert [each["statement"] for each in facts] == [HOLDS]


async def test_it_knows_what_held_when_the_rest_was_not_corrected(tmp_path: Path) -> None:
    gate = asyncio.Event()
    stuck = Turn(Text("{" * 40), gate=gate)
    cite = "[cite: doc, store.py, L1-L3]"
    main = iter([READ, Turn(Text(f"{HOLDS} {cite} `save` calls `close`. {cite}"))])

    def turn(body: dict[str, Any]) -> Turn:
        return stuck if asked(body) else next(main)

    settings = {"grounding": {"entailment": True, "correction": "rewrite"}}
    async with stage(tmp_path / "ws", FILES, judging(turn, **SAYS), settings) as s:
        asking = asyncio.create_task(s.ask("How many?"))
        await until(lambda: len(s.api.requests) == 4)
        await cancel(s, asking)
        gate.set()
        facts = (await memory(s))["fact_ledger"].values()
        assert [each["statement"] for each in facts] == [HOLDS]
