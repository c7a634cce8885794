"""The mode is told to the model when a run begins and when it changes, and is not repeated."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.models import SetModeRequest, set_mode
from glossator.commands.sessions import (
    CompactRequest,
    ExportSessionRequest,
    compact_session,
    export_session,
)
from glossator.commands.turns import RewindRequest, rewind
from glossator.core.permission import Mode
from glossator.sessions.compaction.own_texts import is_mode_notice
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn
from tests.turn.test_loop import without_cache_marks

_FILES = {"calc.py": "a - b\n"}
_READ = ToolUse("Read", {"path": "calc.py"}, "read")
_EDIT = ToolUse("Edit", {"path": "calc.py", "old_text": "a - b", "new_text": "a + b"}, "edit")
_PLAN = {"permissions": {"mode": "plan"}}


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def told(s: Stage, number: int = -1) -> list[tuple[int, str]]:
    """What a request says of modes: the message's number, and the mode."""
    messages = s.api.requests[number].body["messages"]
    return [
        (at, block["text"].partition(".")[0])
        for at, message in enumerate(messages)
        for block in message["content"]
        if is_mode_notice(block)
    ]


async def switch(s: Stage, mode: Mode, session_id: str | None = None) -> None:
    await set_mode(s.app, SetModeRequest(mode, session_id))


async def test_it_is_told_with_the_first_message_and_when_it_is_another(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", _FILES, [Turn(Text("A."))] * 4) as s:
        session_id = (await s.ask("One?")).session_id
        assert told(s) == [(0, "Mode: ask")]
        assert s.sent(0)["messages"][0]["content"][-1]["text"] == "One?"
        await s.ask("Two?", session_id=session_id)
        assert told(s) == [(0, "Mode: ask")]
        await switch(s, Mode.PLAN, session_id)
        await switch(s, Mode.AUTO, session_id)
        await s.ask("Three?", session_id=session_id)
        assert told(s) == [(0, "Mode: ask"), (4, "Mode: auto")]
        before, after = (without_cache_marks(s.sent(n)) for n in (1, 2))
        assert after["messages"][:3] == before["messages"]
        assert (after["system"], after["tools"]) == (before["system"], before["tools"])


async def test_a_change_during_a_run_comes_with_the_next_results(tmp_path: Path) -> None:
    at: list[Stage] = []
    script = [Turn(_READ), Turn(_EDIT), Turn(Text("## Plan\n\n1. Add."))]

    def play(body: Mapping[str, Any]) -> Turn:
        replies: int = sum(message["role"] == "assistant" for message in body["messages"])
        if replies == 0:
            (session,) = at[0].app.sessions.loaded()
            at[0].app.acting.modes.change(Mode.PLAN, session.id)
        return script[replies]

    async with stage(tmp_path / "ws", _FILES, play, {"permissions": {"mode": "auto"}}) as s:
        at.append(s)
        answer = await s.ask("Fix it.")
        assert told(s) == [(0, "Mode: auto"), (2, "Mode: plan")]
        result, mode = s.sent(1)["messages"][-1]["content"]
        assert result["type"] == "tool_result"
        assert "`## Plan`" in mode["text"]
        assert "Plan mode only reads" in s.results(2)["edit"]["content"]
        assert answer.stop == "planned"


async def test_a_resumed_conversation_is_told_only_what_is_new(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, _FILES, [Turn(Text("A."))], _PLAN) as s:
        session_id = (await s.ask("One?")).session_id
    async with stage(root, {}, [Turn(Text("B.")), Turn(Text("C."))], _PLAN) as s:
        await s.ask("Two?", session_id=session_id)
        assert told(s) == [(0, "Mode: plan")]
        await switch(s, Mode.ASK, session_id)
        await s.ask("Three?", session_id=session_id)
        assert told(s) == [(0, "Mode: plan"), (4, "Mode: ask")]


async def test_what_a_dropped_message_told_is_told_again(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", _FILES, [Turn(Text("A."))] * 3) as s:
        session_id = (await s.ask("One?")).session_id
        await switch(s, Mode.PLAN, session_id)
        await s.ask("Two?", session_id=session_id)
        await rewind(s.app, RewindRequest(session_id))
        await s.ask("Two, then?", session_id=session_id)
        assert told(s) == [(0, "Mode: ask"), (2, "Mode: plan")]


async def test_a_compacted_conversation_is_told_again_and_it_is_not_the_user_s(
    tmp_path: Path,
) -> None:
    script = [Turn(Text("A." * 2_000)) for _ in range(8)]
    async with stage(tmp_path / "ws", _FILES, [*script, Turn(Text("{}")), *script], _PLAN) as s:
        session_id = (await s.ask("Number 0?")).session_id
        for number in range(1, 8):
            await s.ask(f"Number {number}?", session_id=session_id)
        await compact_session(s.app, CompactRequest(session_id))
        await s.ask("And now?", session_id=session_id)
        messages = s.sent(-1)["messages"]
        texts = [block["text"] for block in messages[0]["content"]]
        assert any("Number 0?" in text for text in texts)
        assert not any("Mode: plan" in text for text in texts)
        assert told(s) == [(len(messages) - 1, "Mode: plan")]


async def test_the_mode_is_no_word_of_the_user_s_in_an_export(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", _FILES, [Turn(Text("A."))]) as s:
        session_id = (await s.ask("One?")).session_id
        exported = await export_session(s.app, ExportSessionRequest(session_id))
        assert "## User\n\nOne?" in exported.text
        assert "*Mode: ask." in exported.text


async def test_a_workspace_that_the_editor_does_not_trust(tmp_path: Path) -> None:
    settings = {"permissions": {"mode": "auto"}}
    async with stage(tmp_path / "ws", _FILES, [Turn(Text("A."))], settings, trusted=False) as s:
        await s.ask("One?")
        assert told(s) == [(0, "This workspace is not trusted in my editor: you can only read")]
