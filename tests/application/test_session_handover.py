"""A session that is open in another server: it is said so, and can be taken over without a loss."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from glossator.application.start import place_of
from glossator.commands.sessions import (
    ListSessionsRequest,
    ResumeSessionRequest,
    TakeOverRequest,
    list_sessions,
    resume_session,
    take_over,
)
from glossator.core.errors import SessionInUse
from glossator.core.events import RunCancelled, RunFailed, TextDelta
from glossator.sessions import sessions as sessions_module
from glossator.sessions.sessions import sessions_folder
from tests.patience import until
from tests.stage import Stage, stage
from tests.standin import Text, Turn

FILES = {"app.py": "def greet(name):\n    return f'hello {name}'\n"}


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def where(s: Stage) -> str:
    (session,) = (await list_sessions(s.app, ListSessionsRequest())).sessions
    return session.elsewhere


@pytest.mark.parametrize(
    ("editor", "place"),
    [
        ("Visual Studio Code 1.105.1", "Visual Studio Code"),
        ("terminal", "a terminal"),
        ("Neovim", "Neovim"),
        ("", "another Glossator"),
        ("7", "another Glossator"),
    ],
)
def test_where_it_is_open_in_words(editor: str, place: str) -> None:
    assert place_of(editor) == place


async def test_a_run_that_goes_on_elsewhere_is_not_shown_as_broken_off(tmp_path: Path) -> None:
    root, gate = tmp_path / "ws", asyncio.Event()
    async with stage(root, FILES, [Turn(Text("Hello."), gate=gate)]) as first:
        asking = asyncio.create_task(first.ask("One?"))
        await until(lambda: len(first.api.requests) == 1)
        await until(lambda: bool(first.app.sessions.loaded()[0].on_disk))
        async with stage(root, {}, ()) as second:
            (listed,) = (await list_sessions(second.app, ListSessionsRequest())).sessions
            shown = await resume_session(second.app, ResumeSessionRequest(listed.id))
            assert not any(isinstance(each.event, RunFailed) for each in shown.events)
        gate.set()
        await asking


async def test_an_idle_session_is_named_shown_and_taken_over(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, [Turn(Text("Hello."))]) as first:
        session_id = (await first.ask("One?")).session_id
        assert await where(first) == ""
        async with stage(root, {}, [Turn(Text("Again."))]) as second:
            assert await where(second) == "Stage"
            shown = await resume_session(second.app, ResumeSessionRequest(session_id))
            assert shown.session.elsewhere == "Stage"
            assert TextDelta("Hello.") in [each.event for each in shown.events]
            with pytest.raises(SessionInUse, match=r"open in Stage\. Take it over"):
                await second.ask("Two?", session_id=session_id)
            taken = await take_over(second.app, TakeOverRequest(session_id))
            assert (taken.id, taken.title) == (session_id, "One?")
            (told,) = first.port.sessions
            assert (told.session_id, told.title, told.elsewhere) == (session_id, "One?", "Stage")
            assert (await where(first), await where(second)) == ("Stage", "")
            with pytest.raises(SessionInUse):
                await first.ask("Three?", session_id=session_id)
            assert (await second.ask("Two?", session_id=session_id)).text == "Again."
            assert len(second.sent(0)["messages"]) == 3
        assert await where(first) == ""
    assert not [name for name in os.listdir(sessions_folder()) if "owner" in name or "want" in name]


async def test_a_turn_ends_and_what_it_did_is_there(tmp_path: Path) -> None:
    root, gate = tmp_path / "ws", asyncio.Event()
    script = [Turn(Text("This is the beginning of a long answer."), gate=gate)]
    async with stage(root, FILES, script) as first:
        asking = asyncio.create_task(first.ask("One?"))
        await until(lambda: bool(first.port.of(TextDelta)))
        (session,) = first.app.sessions.loaded()
        async with stage(root, {}, [Turn(Text("Again."))]) as second:
            await take_over(second.app, TakeOverRequest(session.id))
            with pytest.raises(asyncio.CancelledError):
                await asking
            assert first.port.of(RunCancelled) == [RunCancelled("Stage")]
            shown = await resume_session(second.app, ResumeSessionRequest(session.id))
            events = [each.event for each in shown.events]
            assert events[-1] == RunCancelled("Stage")
            assert any(isinstance(each, TextDelta) for each in events)
            assert (await second.ask("Two?", session_id=session.id)).text == "Again."
        gate.set()


async def test_what_does_not_answer_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions_module, "_TAKING_SECONDS", 0.3)
    root = tmp_path / "ws"
    async with stage(root, FILES, [Turn(Text("Hello."))]) as first:
        session_id = (await first.ask("One?")).session_id
        await first.app.handover.close()
        async with stage(root, {}, []) as second:
            with pytest.raises(SessionInUse):
                await take_over(second.app, TakeOverRequest(session_id))
            assert await first.app.sessions.wanted() == {}, "it does not ask any longer"


async def test_an_old_note_takes_nothing_away(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, [Turn(Text("Hello."))]) as s:
        session_id = (await s.ask("One?")).session_id
        note = sessions_folder() / f"{session_id}.wanted"
        note.write_text("Stage")
        assert await s.app.sessions.wanted() == {session_id: "Stage"}
        os.utime(note, (time.time() - 60, time.time() - 60))
        assert await s.app.sessions.wanted() == {}


async def test_the_note_of_a_killed_server_names_nobody(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, [Turn(Text("Hello."))]) as s:
        session_id = (await s.ask("One?")).session_id
    (sessions_folder() / f"{session_id}.owner").write_text("Stage")
    async with stage(root, {}, []) as s:
        assert await where(s) == ""
