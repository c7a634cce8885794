"""A session's conversation is compacted by command and when it is due, and goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glossator.commands.sessions import CompactRequest, compact_session
from glossator.core.errors import UsageError
from glossator.core.events import Compaction
from glossator.core.permission import Mode
from tests.sessions.compaction.compacting import MUSING, is_asked_for_a_summary, summary_turn
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn

FILES = {"app.py": "def greet(name):\n    return f'Hello {name}'\n" * 40}
_READ = ToolUse("Read", {"path": "app.py"})


def player(body: dict[str, Any]) -> Turn:
    """Reads for every question, then answers."""
    if is_asked_for_a_summary(body):
        return summary_turn()
    last = body["messages"][-1]["content"][-1]
    return Turn(MUSING, Text("It greets.")) if last["type"] == "tool_result" else Turn(_READ)


async def test_by_command(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, player) as s:
        session_id = (await s.ask("What does greet do? Never use print.")).session_id
        for number in range(8):
            await s.ask(f"And what about number {number}?", session_id=session_id)
        before = await s.app.sessions.open(session_id)
        length = len(before.conversation.messages)
        compacted = await compact_session(s.app, CompactRequest(session_id))
        assert compacted.by_model
        assert compacted.after < compacted.before
        assert len(before.conversation.messages) < length
        answer = await s.ask("Go on.", session_id=session_id)
        assert answer.text == "It greets."
        sent = s.api.requests[-1].body["messages"]
        assert "Never use print." in str(sent[0])
        assert "app.py: lines 1-80" in str(sent[0])
        assert answer.session_usage.total > answer.usage.total
        again = await s.app.sessions.open(session_id)
        assert again.conversation.messages[: len(sent)] == tuple(sent) or again is before


async def test_a_large_result_goes_even_among_the_newest_messages(tmp_path: Path) -> None:
    """With a refusal of plan mode, which has ended, and a note on what was shown above."""
    files = {"app.py": "".join(f"x{n} = {n}  # {'word ' * 10}\n" for n in range(1_200))}
    edit = ToolUse("Edit", {"path": "app.py", "old_text": "x7 = 7", "new_text": "x7 = 8"}, "edit")
    script = [
        Turn(ToolUse("Read", {"path": "app.py"})),
        Turn(edit),
        Turn(Text("I would change x7.")),
        Turn(ToolUse("Read", {"path": "app.py", "offset": 1, "limit": 9}), edit),
        Turn(Text("Changed.")),
        summary_turn(),
    ]
    modes = {"permissions": {"mode": "plan"}}
    async with stage(tmp_path / "ws", files, script, modes) as s:
        session_id = (await s.ask("Make x7 eight.")).session_id
        s.app.acting.modes.change(Mode.AUTO, session_id)
        await s.ask("Do it.", session_id=session_id)
        session = await s.app.sessions.open(session_id)
        assert "shown above" in str(session.conversation.messages)
        compacted = await compact_session(s.app, CompactRequest(session_id))
        assert compacted.before > 20_000
        assert compacted.after < compacted.before / 5
        left = str(session.conversation.messages)
        for gone in ("Plan mode only reads", "shown above"):
            assert gone not in left
        assert "- Do it.: app.py" in left


async def test_a_short_conversation_stays(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, [Turn(Text("Hello."))]) as s:
        session_id = (await s.ask("Hello")).session_id
        with pytest.raises(UsageError, match="too short"):
            await compact_session(s.app, CompactRequest(session_id))


async def test_when_it_is_due(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, player, {"context": {"compactAt": 0.000_001}}) as s:
        session_id = (await s.ask("What does greet do?")).session_id
        for number in range(8):
            await s.ask(f"And number {number}?", session_id=session_id)
        assert any(event.after < event.before for event in s.port.of(Compaction))
