"""What was undone is said on every surface, and can be done again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from glossator.commands.sessions import (
    ExportFormat,
    ExportSessionRequest,
    ResumeSessionRequest,
    export_session,
    resume_session,
)
from glossator.commands.turns import (
    ListTurnsRequest,
    RedoRequest,
    UndoRequest,
    list_turns,
    redo_turn,
    undo_turn,
)
from glossator.core.errors import UsageError
from glossator.core.events import TurnsUndone, UndoneTurn
from tests.stage import Stage, stage
from tests.standin import Script, Text, ToolUse, Turn

_FILES = {"a.txt": "one\n"}
_EDITS = {"permissions": {"mode": "acceptEdits"}}
_SCRIPT: Script = [
    Turn(ToolUse("Write", {"path": "new.txt", "content": "new\n"}, "new")),
    Turn(Text("Made.")),
    Turn(ToolUse("Write", {"path": "other.txt", "content": "other\n"}, "other")),
    Turn(Text("Made, too.")),
]


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def asked_twice(s: Stage) -> tuple[str, str, str]:
    """The session and its two runs, each of which made a file."""
    first = await s.ask("Make a file.")
    second = await s.ask("Another.", session_id=first.session_id)
    return first.session_id, first.run_id, second.run_id


async def test_a_turn_is_undone_until_its_undo_is(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, _FILES, _SCRIPT, _EDITS) as s:
        session, first, second = await asked_twice(s)
        one = await undo_turn(s.app, UndoRequest(session))
        two = await undo_turn(s.app, UndoRequest(session))
        assert one.turn
        assert two.turn
        both = (UndoneTurn(first, two.turn), UndoneTurn(second, one.turn))
        assert two.undone == both
        assert s.port.undone_turns[-1] == TurnsUndone(session, both)
        turns = (await list_turns(s.app, ListTurnsRequest(session))).turns
        assert [each.undone_by for each in turns] == [two.turn, one.turn, None, None]

        redone = await redo_turn(s.app, RedoRequest(session))  # what was undone last
        assert (redone.restored, redone.undone) == (("new.txt",), both[1:])
        redone = await redo_turn(s.app, RedoRequest(session))
        assert (redone.restored, redone.undone) == (("other.txt",), ())
        assert s.port.undone_turns[-1] == TurnsUndone(session, ())
        with pytest.raises(UsageError, match="nothing to redo"):
            await redo_turn(s.app, RedoRequest(session))
        again = await undo_turn(s.app, UndoRequest(session))  # a turn that was redone stands
        assert again.undone == (UndoneTurn(second, again.turn or ""),)
        assert not (root / "other.txt").exists()


async def test_a_turn_that_is_named_is_redone(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", _FILES, _SCRIPT, _EDITS) as s:
        session, first, second = await asked_twice(s)
        await undo_turn(s.app, UndoRequest(session, first))
        with pytest.raises(UsageError, match="is not undone"):
            await redo_turn(s.app, RedoRequest(session, second))
        with pytest.raises(UsageError, match="list the turns"):
            await redo_turn(s.app, RedoRequest(session, "nothing"))
        await undo_turn(s.app, UndoRequest(session, second))
        assert (await redo_turn(s.app, RedoRequest(session, first))).restored == ("new.txt",)


async def test_what_was_undone_together_is_redone_together(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", _FILES, _SCRIPT, _EDITS) as s:
        session, first, second = await asked_twice(s)
        undone = await undo_turn(s.app, UndoRequest(session, first, since=True))
        assert {each.turn: each.by for each in undone.undone} == dict.fromkeys(
            (first, second), undone.turn
        )
        redone = await redo_turn(s.app, RedoRequest(session, second))
        assert redone.restored == ("new.txt", "other.txt")
        assert redone.undone == ()


async def test_a_redo_leaves_what_somebody_changed_since(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, _FILES, _SCRIPT, _EDITS) as s:
        session, _, second = await asked_twice(s)
        await undo_turn(s.app, UndoRequest(session))
        (root / "other.txt").write_text("mine\n")
        refused = await redo_turn(s.app, RedoRequest(session))
        assert (refused.turn, [each.path for each in refused.conflicts]) == (None, ["other.txt"])
        assert [each.turn for each in refused.undone] == [second]
        done = await redo_turn(s.app, RedoRequest(session, overwrite=True))
        assert (done.restored, done.undone) == (("other.txt",), ())


async def test_what_is_undone_twice_is_redone_once(tmp_path: Path) -> None:
    """The second time there is nothing to take back, so that nothing is noted."""
    async with stage(tmp_path / "ws", _FILES, _SCRIPT, _EDITS) as s:
        session, _, second = await asked_twice(s)
        await undo_turn(s.app, UndoRequest(session, second))
        assert (await undo_turn(s.app, UndoRequest(session, second))).turn is None
        assert (await redo_turn(s.app, RedoRequest(session))).undone == ()


async def test_another_server_and_an_export_say_it(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, _FILES, _SCRIPT, _EDITS) as s:
        session, first, _ = await asked_twice(s)
        undone = await undo_turn(s.app, UndoRequest(session, first))
    async with stage(root, {}, [], _EDITS) as s:
        resumed = await resume_session(s.app, ResumeSessionRequest(session))
        assert resumed.undone == (UndoneTurn(first, undone.turn or ""),)
        text = (await export_session(s.app, ExportSessionRequest(session))).text
        assert text.count("was undone") == 1
        assert text.index("Made.") < text.index("was undone") < text.index("Another.")
        request = ExportSessionRequest(session, ExportFormat.JSON)
        document = json.loads((await export_session(s.app, request)).text)
        assert document["undone"] == [{"turn": first, "by": undone.turn}]
        await redo_turn(s.app, RedoRequest(session))
        text = (await export_session(s.app, ExportSessionRequest(session))).text
        assert "undone" not in text
