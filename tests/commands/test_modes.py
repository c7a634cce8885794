"""Each session has its own mode: what one is allowed widens nothing for a run of another."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.answers.server import ModeAnswer, SessionMode
from glossator.commands.ask import StartPlanRequest, start_plan
from glossator.commands.models import SetModeRequest, set_mode
from glossator.commands.sessions import (
    DeleteSessionRequest,
    NewSessionRequest,
    delete_session,
    new_session,
)
from glossator.commands.status import StatusRequest, status
from glossator.core.errors import SessionInUse
from glossator.core.permission import Mode
from glossator.turn import Asked, take_turn
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn

_FILES = {"a.py": "a = 1\n", "b.py": "b = 1\n"}
_AUTO = {"permissions": {"mode": "auto"}}


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def editing(gate: asyncio.Event) -> Any:
    """A session edits the file that its question names, once the gate is open."""

    def play(body: Mapping[str, Any]) -> Turn:
        name = body["messages"][0]["content"][-1]["text"]
        edit = {"path": name, "old_text": " = 1", "new_text": " = 2"}
        turns = (
            Turn(ToolUse("Read", {"path": name}, "read"), gate=gate),
            Turn(ToolUse("Edit", edit, "edit")),
            Turn(Text("Done.")),
        )
        return turns[sum(message["role"] == "assistant" for message in body["messages"])]

    return play


async def change(s: Stage, mode: Mode, session_id: str | None = None) -> ModeAnswer:
    return await set_mode(s.app, SetModeRequest(mode, session_id))


async def modes(s: Stage) -> tuple[Mode, dict[str, Mode]]:
    """That of new sessions, and those of others."""
    answer = await status(s.app, StatusRequest())
    return answer.mode, {each.session_id: each.mode for each in answer.modes}


async def test_a_run_is_allowed_no_more_by_a_change_elsewhere(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with stage(tmp_path / "ws", _FILES, editing(gate)) as s:
        first, second = s.app.sessions.create().id, s.app.sessions.create().id
        runs = [
            asyncio.create_task(s.ask(name, session_id=session_id))
            for name, session_id in (("a.py", first), ("b.py", second))
        ]
        await s.api.wait_for_requests(2)
        assert await change(s, Mode.AUTO, second) == ModeAnswer(Mode.AUTO, Mode.ASK)
        await change(s, Mode.AUTO)
        gate.set()
        await asyncio.gather(*runs)
        assert (tmp_path / "ws/a.py").read_text() == "a = 1\n"
        assert (tmp_path / "ws/b.py").read_text() == "b = 2\n"
        assert len(s.port.permissions) == 1
        assert await modes(s) == (Mode.AUTO, {first: Mode.ASK, second: Mode.AUTO})


async def test_a_session_keeps_its_mode_between_its_runs(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", _FILES, [Turn(Text("A."))] * 2, _AUTO) as s:
        session_id = (await s.ask("One?")).session_id
        await change(s, Mode.PLAN)
        for number in range(9):  # so many that it is closed, and opened again
            await s.app.sessions.open(s.app.sessions.create(f"Another {number}").id)
        await s.ask("Two?", session_id=session_id)
        assert (await modes(s))[1][session_id] is Mode.AUTO
        assert len(s.app.sessions.loaded()) < 10


async def test_a_session_that_is_only_looked_at_has_no_mode_yet(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", _FILES, [Turn(Text("A."))], _AUTO) as s:
        session_id = s.app.sessions.create("Later").id
        assert await modes(s) == (Mode.AUTO, {})
        await change(s, Mode.ACCEPT_EDITS)
        await s.ask("One?", session_id=session_id)
        assert await modes(s) == (Mode.ACCEPT_EDITS, {session_id: Mode.ACCEPT_EDITS})


async def test_a_plan_is_started_for_its_session_alone(tmp_path: Path) -> None:
    script = [Turn(Text("## Plan\n\n1. Do.")), Turn(Text("Done."))]
    settings = {"permissions": {"mode": "plan"}}
    async with stage(tmp_path / "ws", _FILES, script, settings) as s:
        session_id = (await s.ask("Fix it.")).session_id
        await start_plan(s.app, StartPlanRequest(session_id, Mode.AUTO))
        assert await modes(s) == (Mode.PLAN, {session_id: Mode.AUTO})


async def test_a_session_in_use_elsewhere_has_its_mode_once_it_is_resumed(tmp_path: Path) -> None:
    root, script = tmp_path / "ws", [Turn(Text("A."))]
    async with stage(root, _FILES, script) as s:
        async with stage(root, {}, ()) as elsewhere:
            session_id = elsewhere.app.sessions.create("Its own").id
            await elsewhere.app.sessions.open(session_id)
            with pytest.raises(SessionInUse):
                await s.app.sessions.open(session_id)
            assert await change(s, Mode.PLAN, session_id) == ModeAnswer(Mode.PLAN, Mode.ASK)
        await s.ask("One?", session_id=session_id)
        assert (await modes(s))[1] == {session_id: Mode.PLAN}


async def test_a_session_that_is_deleted_has_no_mode(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", _FILES, [Turn(Text("A."))], _AUTO) as s:
        session_id = (await s.ask("One?")).session_id
        assert (await status(s.app, StatusRequest())).modes == (SessionMode(session_id, Mode.AUTO),)
        await delete_session(s.app, DeleteSessionRequest(session_id))
        assert await modes(s) == (Mode.AUTO, {})


async def test_a_mode_that_is_chosen_once_is_that_of_the_next_session(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", _FILES, [Turn(Text("Hello."))] * 3) as s:
        await set_mode(s.app, SetModeRequest(Mode.AUTO, once=True))
        place = Asked("Edit here", in_place=True)
        edit = (await take_turn(s.app, place, frozenset())).session_id
        assert await modes(s) == (Mode.AUTO, {edit: Mode.ASK})
        first, second = [(await s.ask(each)).session_id for each in ("Do this", "And that")]
        known = {edit: Mode.ASK, first: Mode.AUTO, second: Mode.ASK}
        assert await modes(s) == (Mode.ASK, known)


@pytest.mark.parametrize("mode", [Mode.PLAN, Mode.AUTO])
async def test_a_session_of_before_takes_no_mode_of_the_next_one(
    tmp_path: Path, mode: Mode
) -> None:
    async with stage(tmp_path / "ws", _FILES, [Turn(Text("Hello."))] * 2) as s:
        before = s.app.sessions.create("As from another server").id
        await set_mode(s.app, SetModeRequest(mode, once=True))
        assert s.app.acting.modes.of(before) is Mode.ASK
        assert (await status(s.app, StatusRequest())).usual_mode is Mode.ASK
        await s.ask("Go on", session_id=before)
        assert await modes(s) == (mode, {before: Mode.ASK})
        made = (await new_session(s.app, NewSessionRequest("For a question that follows"))).id
        await s.ask("Begin", session_id=made)
        assert await modes(s) == (Mode.ASK, {before: Mode.ASK, made: mode})


async def test_plan_mode_is_that_of_one_new_session(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", _FILES, [Turn(Text("Hello."))] * 3) as s:
        await change(s, Mode.PLAN)
        first = (await s.ask("Plan this")).session_id
        assert await modes(s) == (Mode.ASK, {first: Mode.PLAN})
        await change(s, Mode.AUTO)
        second, third = [(await s.ask(each)).session_id for each in ("Do this", "And that")]
        assert await modes(s) == (
            Mode.AUTO,
            {first: Mode.PLAN, second: Mode.AUTO, third: Mode.AUTO},
        )
