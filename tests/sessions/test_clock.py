"""A run's limits count its work, not the time in which the user thinks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from glossator.core.edit import EditPlan
from glossator.core.events import ToolFinished
from glossator.core.permission import Choice, PermissionAnswer
from glossator.core.ports import Review
from glossator.core.question import QuestionAnswer
from glossator.sessions.runs import RunClock
from tests.passing import let_pass
from tests.stage import Recorder, stage
from tests.standin import Text, ToolUse, Turn

_LIMIT = 60  # seconds


async def answer_late(clock: RunClock, patch: pytest.MonkeyPatch) -> None:
    """Two questions at once, both answered after the limit."""
    with clock.waiting(), clock.waiting():
        let_pass(patch, 1.5 * _LIMIT)
        await asyncio.sleep(0.01)  # whatever is late by now ends here


async def test_a_limit_stands_still_while_the_user_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = RunClock()
    async with clock.limit(_LIMIT):
        await answer_late(clock, monkeypatch)
    assert clock.seconds < _LIMIT


async def test_and_goes_on_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = RunClock()

    async def work() -> None:
        async with clock.limit(_LIMIT):
            await answer_late(clock, monkeypatch)
            let_pass(monkeypatch, _LIMIT)
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await work()


async def test_a_limit_that_begins_while_the_user_is_waited_for() -> None:
    clock = RunClock()
    with clock.waiting():
        async with clock.limit(0):
            await asyncio.sleep(0.01)


async def test_a_limit_that_was_reached_stays_so() -> None:
    clock = RunClock()

    async def work() -> None:
        async with clock.limit(0):
            try:
                await asyncio.Event().wait()
            finally:
                with clock.waiting():
                    pass

    with pytest.raises(TimeoutError):
        await work()


QUESTION = ToolUse("AskUser", {"question": "?", "options": [{"label": "a"}, {"label": "b"}]})
WRITE = ToolUse("Write", {"path": "new.py", "content": "1\n"})


@pytest.mark.parametrize(
    ("call", "settings"),
    [
        (QUESTION, {}),
        (WRITE, {}),
        (WRITE, {"edits": {"review": "propose"}}),
        (ToolUse("Read", {"path": "a.py"}), {"permissions": {"ask": ["Read(a.py)"]}}),
    ],
)
async def test_a_call_takes_no_time_while_the_user_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: ToolUse, settings: dict[str, Any]
) -> None:
    now = 0.0

    def read() -> float:
        return now

    def think() -> None:
        nonlocal now
        now += 240.0

    async def answer(_port: Recorder, _question: object) -> QuestionAnswer:
        think()
        return QuestionAnswer(("a",))

    async def allow(_port: Recorder, _request: object) -> PermissionAnswer:
        think()
        return PermissionAnswer(Choice.ONCE)

    async def accept(_port: Recorder, plan: EditPlan) -> Review:
        think()
        return Review(tuple(hunk.id for hunk in plan.hunks))

    monkeypatch.setattr(Recorder, "ask_user", answer)
    monkeypatch.setattr(Recorder, "ask_permission", allow)
    monkeypatch.setattr(Recorder, "review", accept)
    time = SimpleNamespace(monotonic=read, perf_counter=read)
    monkeypatch.setattr("glossator.sessions.runs.time", time)
    monkeypatch.setattr("glossator.turn.calls.time", time)
    script = [Turn(call), Turn(Text("Done."))]
    async with stage(tmp_path, {"a.py": "1\n"}, script, settings) as s:
        await s.ask("?")
        (finished,) = s.port.of(ToolFinished)
        assert now >= 240.0
        assert (finished.error, finished.milliseconds) == (False, 0.0)
