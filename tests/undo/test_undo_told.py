"""The model is told of an undo with the user's next message, once, also by another server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glossator.commands.turns import (
    ListTurnsRequest,
    RedoRequest,
    UndoRequest,
    list_turns,
    redo_turn,
    undo_turn,
)
from glossator.core.errors import ModelError
from tests.sandboxed import SANDBOXED
from tests.stage import Stage, stage
from tests.standin import HttpError, Script, Text, ToolUse, Turn
from tests.turn.test_loop import without_cache_marks

_FILES = {"calc.py": "a - b\n", "other.py": "x\n"}
_READ = ToolUse("Read", {"path": "calc.py"}, "read")
_EDIT = ToolUse("Edit", {"path": "calc.py", "old_text": "a - b", "new_text": "a + b"}, "edit")
_NEW = ToolUse("Write", {"path": "new.txt", "content": "new\n"}, "new")
_WORK: list[Turn] = [Turn(_READ), Turn(_EDIT, _NEW), Turn(Text("Done."))]
_HEAD = "Since your last reply I changed files by "
_EDITS = {"permissions": {"mode": "acceptEdits"}}


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def reminders(s: Stage, number: int = -1) -> list[str]:
    """The reminders in a request to the model, the newest by default."""
    messages: list[Any] = s.api.requests[number].body["messages"]
    texts = (part.get("text", "") for message in messages for part in message["content"])
    return [text for text in texts if text.startswith(_HEAD)]


async def test_the_next_message_says_which_files_were_brought_back(tmp_path: Path) -> None:
    script = [*_WORK, Turn(Text("I see.")), Turn(Text("Still."))]
    async with stage(tmp_path / "ws", _FILES, script, _EDITS) as s:
        session_id = (await s.ask("Do it.")).session_id
        await undo_turn(s.app, UndoRequest(session_id))
        await s.ask("And now?", session_id=session_id)
        (said,) = reminders(s)
        assert said.splitlines()[1:3] == ["- calc.py", "- new.txt (not there now)"]
        content = s.sent(3)["messages"][-1]["content"]
        assert [part["text"] for part in content] == [said, "And now?"]
        before, after = (without_cache_marks(s.sent(n))["messages"] for n in (2, 3))
        assert after[: len(before)] == before
        await s.ask("And now?", session_id=session_id)
        assert reminders(s) == [said]


async def test_the_answer_names_the_files_that_an_undo_brings_back(tmp_path: Path) -> None:
    script = [*_WORK, Turn(Text("Nothing."))]
    async with stage(tmp_path / "ws", _FILES, script, _EDITS) as s:
        done = await s.ask("Do it.")
        assert done.changed_files == ("calc.py", "new.txt")
        nothing = await s.ask("And now?", session_id=done.session_id)
        assert nothing.changed_files == ()


async def test_what_tools_keep_for_themselves_is_named_last(tmp_path: Path) -> None:
    paths = ("__pycache__/calc.pyc", ".ruff_cache/x", "calc.py")
    work = [Turn(ToolUse("Write", {"path": path, "content": "x\n"})) for path in paths]
    async with stage(tmp_path / "ws", {}, [*work, Turn(Text("Done."))], _EDITS) as s:
        changed = (await s.ask("Do it.")).changed_files
        assert changed == ("calc.py", ".ruff_cache/x", "__pycache__/calc.pyc")


async def test_another_server_tells_it(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, _FILES, _WORK, _EDITS) as s:
        session_id = (await s.ask("Do it.")).session_id
        await undo_turn(s.app, UndoRequest(session_id))
    async with stage(root, {}, [Turn(Text("I see."))], _EDITS) as s:
        await s.ask("And now?", session_id=session_id)
        assert len(reminders(s)) == 1
    async with stage(root, {}, [Turn(Text("Still."))], _EDITS) as s:
        await s.ask("And now?", session_id=session_id)
        assert len(reminders(s)) == 1


async def test_an_undo_that_was_undone_is_not_told(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", _FILES, [*_WORK, Turn(Text("Yes."))], _EDITS) as s:
        session_id = (await s.ask("Do it.")).session_id
        undone = await undo_turn(s.app, UndoRequest(session_id))
        await undo_turn(s.app, UndoRequest(session_id, undone.turn))
        await s.ask("And now?", session_id=session_id)
        assert reminders(s) == []


async def test_an_undo_that_was_told_and_then_undone_is_told(tmp_path: Path) -> None:
    script = [*_WORK, Turn(Text("I see.")), Turn(Text("Again."))]
    async with stage(tmp_path / "ws", _FILES, script, _EDITS) as s:
        session_id = (await s.ask("Do it.")).session_id
        undone = await undo_turn(s.app, UndoRequest(session_id))
        await s.ask("And now?", session_id=session_id)
        await undo_turn(s.app, UndoRequest(session_id, undone.turn))
        await s.ask("And now?", session_id=session_id)
        assert [text.splitlines()[1:3] for text in reminders(s)] == [
            ["- calc.py", "- new.txt (not there now)"],
            ["- calc.py", "- new.txt"],
        ]


async def test_going_back_over_several_turns_is_told_as_one(tmp_path: Path) -> None:
    read = ToolUse("Read", {"path": "other.py"}, "read2")
    edit = ToolUse("Edit", {"path": "other.py", "old_text": "x", "new_text": "y"}, "edit2")
    script = [*_WORK, Turn(read), Turn(edit), Turn(Text("Done.")), Turn(Text("I see."))]
    async with stage(tmp_path / "ws", _FILES, script, _EDITS) as s:
        session_id = (await s.ask("Do it.")).session_id
        await s.ask("Do more.", session_id=session_id)
        turns = (await list_turns(s.app, ListTurnsRequest(session_id))).turns
        assert [turn.question for turn in turns] == ["Do it.", "Do more."]
        first = turns[0].turn
        await undo_turn(s.app, UndoRequest(session_id, first, since=True))
        await s.ask("And now?", session_id=session_id)
        (said,) = reminders(s)
        names = ["- calc.py", "- new.txt (not there now)", "- other.py"]
        assert said.splitlines()[1:4] == names


async def test_a_run_that_fails_has_told_it_all_the_same(tmp_path: Path) -> None:
    failed = Turn(Text("x"), fault=HttpError(401, "authentication_error", "bad key"))
    async with stage(tmp_path / "ws", _FILES, [*_WORK, failed, Turn(Text("Yes."))], _EDITS) as s:
        session_id = (await s.ask("Do it.")).session_id
        await undo_turn(s.app, UndoRequest(session_id))
        with pytest.raises(ModelError):
            await s.ask("And now?", session_id=session_id)
        await s.ask("And now?", session_id=session_id)
        assert len(reminders(s)) == 1


async def test_many_files_are_counted(tmp_path: Path) -> None:
    writes = [
        ToolUse("Write", {"path": f"f{n:02}.txt", "content": "x\n"}, f"w{n}") for n in range(33)
    ]
    script: Script = [Turn(*writes), Turn(Text("Done.")), Turn(Text("I see."))]
    async with stage(tmp_path / "ws", _FILES, script, _EDITS) as s:
        session_id = (await s.ask("Do it.")).session_id
        await undo_turn(s.app, UndoRequest(session_id))
        await s.ask("And now?", session_id=session_id)
        (said,) = reminders(s)
        assert said.splitlines()[30:32] == [
            "- f29.txt (not there now)",
            "- and 3 more that you read or edited",
        ]


async def test_undo_and_redo_are_told_apart(tmp_path: Path) -> None:
    more = ToolUse("Write", {"path": "more.txt", "content": "more\n"}, "more")
    seen = [Turn(Text("I see."))] * 4
    script: Script = [*_WORK, Turn(more), Turn(Text("Done.")), *seen]
    async with stage(tmp_path / "ws", _FILES, script, _EDITS) as s:
        session_id = (await s.ask("Do it.")).session_id
        second = (await s.ask("Do more.", session_id=session_id)).run_id
        first = (await list_turns(s.app, ListTurnsRequest(session_id))).turns[0].turn
        await undo_turn(s.app, UndoRequest(session_id, first))
        await s.ask("And now?", session_id=session_id)
        redone = await redo_turn(s.app, RedoRequest(session_id))
        await s.ask("And now?", session_id=session_id)
        await undo_turn(s.app, UndoRequest(session_id, redone.turn))  # of the redo
        await s.ask("And now?", session_id=session_id)
        await redo_turn(s.app, RedoRequest(session_id, first))
        await undo_turn(s.app, UndoRequest(session_id, second))
        await s.ask("And now?", session_id=session_id)
        how = [text.removeprefix(_HEAD).partition(":")[0] for text in reminders(s)]
        assert how == ["an undo", "a redo", "an undo", "undo and redo"]


_MAKE = "mkdir -p a/__pycache__ && for n in $(seq 40); do echo x > a/__pycache__/$n.pyc; done"


@SANDBOXED
async def test_what_was_edited_comes_before_what_commands_made(tmp_path: Path) -> None:
    make = ToolUse("Bash", {"command": f"{_MAKE} && echo x > a/made.txt"}, "make")
    script = [Turn(_READ), Turn(_EDIT), Turn(make), Turn(Text("Done."))]
    async with stage(
        tmp_path / "ws", _FILES, [*script, Turn(Text("I see."))], {"permissions": {"mode": "auto"}}
    ) as s:
        done = await s.ask("Do it.")
        assert done.changed_files[:2] == ("calc.py", "a/made.txt")
        assert len(done.changed_files) == 42
        undone = await undo_turn(s.app, UndoRequest(done.session_id))
        assert undone.restored == ("calc.py",)
        assert undone.removed[0] == "a/made.txt"
        await s.ask("And now?", session_id=done.session_id)
        (said,) = reminders(s)
        assert said.splitlines()[1:-1] == [
            "- calc.py",
            "- and 41 other files that you never read or edited (none is there now)",
        ]


@SANDBOXED
async def test_a_few_files_that_commands_made_are_named(tmp_path: Path) -> None:
    make = ToolUse("Bash", {"command": "echo x > a.txt"}, "make")
    script = [Turn(_READ), Turn(_EDIT), Turn(make), Turn(Text("Done."))]
    async with stage(
        tmp_path / "ws", _FILES, [*script, Turn(Text("I see."))], {"permissions": {"mode": "auto"}}
    ) as s:
        session_id = (await s.ask("Do it.")).session_id
        await undo_turn(s.app, UndoRequest(session_id))
        await s.ask("And now?", session_id=session_id)
        (said,) = reminders(s)
        assert said.splitlines()[1:-1] == ["- calc.py", "- a.txt (not there now)"]
