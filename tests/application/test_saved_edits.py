"""What became of an edit on disk: saved, left unsaved, or gone, and who is told."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from glossator.commands.sessions import ResumeSessionRequest, resume_session
from glossator.commands.turns import RedoRequest, redo_turn
from glossator.core.run_events import FilesChanged, UnsavedFile
from glossator.core.uri import to_uri
from tests.application.test_unsaved import buffers, told, undo
from tests.patience import until
from tests.stage import Stage
from tests.standin import Text, ToolUse, Turn

_CALC = "def add(a, b):\n    return a - b\n"
_FIXED = _CALC.replace("a - b", "a + b")
_EDIT = ToolUse("Edit", {"path": "calc.py", "old_text": "a - b", "new_text": "a + b"}, "edit")
_FIX = [Turn(ToolUse("Read", {"path": "calc.py"}, "read")), Turn(_EDIT), Turn(Text("Fixed."))]
_MINE = "# mine\n"


def standing(s: Stage) -> list[tuple[str, bool]]:
    return [(each.path, each.gone) for each in s.port.unsaved]


@pytest.mark.parametrize("is_open", [True, False])
async def test_an_edit_is_on_disk_when_its_tool_has_ended(tmp_path: Path, is_open: bool) -> None:
    async with buffers(tmp_path, _FIX, saves=True) as (s, editor):
        if is_open:
            editor.open("calc.py")
        answer = await s.ask("Fix it.")
        assert editor.texts["calc.py"] == editor.saved("calc.py") == _FIXED
        assert (answer.unsaved, standing(s)) == ((), [])
        undone = await undo(s, answer.session_id)
        assert (undone.restored, undone.unsaved) == (("calc.py",), ())
        assert editor.texts["calc.py"] == editor.saved("calc.py") == _CALC
        redone = await redo_turn(s.app, RedoRequest(answer.session_id))
        assert (redone.restored, redone.unsaved) == (("calc.py",), ())
        assert editor.texts["calc.py"] == editor.saved("calc.py") == _FIXED


async def test_a_new_file_is_on_disk(tmp_path: Path) -> None:
    write = ToolUse("Write", {"path": "new.txt", "content": "new\n"}, "write")
    async with buffers(tmp_path, [Turn(write), Turn(Text("Made."))], saves=True) as (s, editor):
        await s.ask("Make it.")
        assert editor.saved("new.txt") == "new\n"
        assert standing(s) == []


async def test_what_the_user_typed_before_is_not_saved(tmp_path: Path) -> None:
    async with buffers(tmp_path, _FIX, saves=True) as (s, editor):
        editor.open("calc.py")
        editor.type("calc.py", _MINE + _CALC)
        answer = await s.ask("Fix it.")
        assert editor.saved("calc.py") == _CALC
        assert answer.unsaved == ("calc.py",)
        assert s.port.of(FilesChanged)[0].unsaved == ("calc.py",)
        uri = to_uri(str(tmp_path / "calc.py"))
        assert s.port.unsaved == (UnsavedFile(answer.run_id, "calc.py", uri, gone=False),)
        undone = await undo(s, answer.session_id)
        assert editor.texts["calc.py"] == _MINE + _CALC
        assert (editor.saved("calc.py"), undone.unsaved) == (_CALC, ("calc.py",))


async def test_what_the_user_types_between_the_edit_and_its_saving(tmp_path: Path) -> None:
    """The editor compares versions, and so half a word is not saved."""
    async with buffers(tmp_path, _FIX, saves=True) as (s, editor):
        editor.before_saving = lambda: editor.type("calc.py", "# mi" + editor.texts["calc.py"])
        answer = await s.ask("Fix it.")
        assert editor.saved("calc.py") == _CALC
        assert answer.unsaved == ("calc.py",)


async def test_always_saves_what_the_user_typed_too(tmp_path: Path) -> None:
    async with buffers(tmp_path, _FIX, saves=True, when="always") as (s, editor):
        editor.open("calc.py")
        editor.type("calc.py", _MINE + _CALC)
        editor.open("notes.md")
        editor.type("notes.md", "mine, and not ready\n")
        editor.formats = lambda text: text.replace("a + b", "a  + b")
        answer = await s.ask("Fix it.")
        assert editor.saved("calc.py") == _MINE + _FIXED.replace("a + b", "a  + b")
        assert editor.saved("notes.md") == "mine\n"  # no edit was made there
        undone = await undo(s, answer.session_id)
        assert (undone.restored, undone.conflicts) == (("calc.py",), ())
        assert editor.texts["calc.py"] == editor.saved("calc.py") == _MINE + _CALC


async def test_never_saves_nothing(tmp_path: Path) -> None:
    cat = ToolUse("Bash", {"command": "cat calc.py"}, "cat")
    script = [*_FIX[:2], Turn(cat), Turn(Text("Fixed."))]
    async with buffers(tmp_path, script, saves=True, when="never") as (s, editor):
        answer = await s.ask("Fix it.")
        assert editor.saved("calc.py") == _CALC
        assert "[Not saved in the editor: calc.py. The" in told(s, "cat")
        assert answer.unsaved == ("calc.py",)


async def test_the_model_reads_what_the_editor_made_of_it_as_it_saved(tmp_path: Path) -> None:
    async with buffers(tmp_path, _FIX, saves=True) as (s, editor):
        editor.formats = lambda text: text.replace("a + b", "a  +  b")
        answer = await s.ask("Fix it.")
        assert "return a  +  b" in told(s, "edit")
        undone = await undo(s, answer.session_id)
        assert (undone.restored, undone.conflicts) == (("calc.py",), ())
        assert editor.texts["calc.py"] == editor.saved("calc.py") == _CALC


async def test_an_edit_that_the_user_saves_is_on_disk(tmp_path: Path) -> None:
    async with buffers(tmp_path, _FIX, saves=False) as (s, editor):
        await s.ask("Fix it.")
        assert standing(s) == [("calc.py", False)]
        (tmp_path / "calc.py").write_text(_FIXED)
        editor.reload("calc.py")
        await until(lambda: standing(s) == [])


@pytest.mark.parametrize("typed", ["", _MINE])
async def test_an_edit_that_is_closed_unsaved_is_gone(tmp_path: Path, typed: str) -> None:
    async with buffers(tmp_path, _FIX, saves=False) as (s, editor):
        editor.open("calc.py")
        editor.type("calc.py", typed + _CALC)
        answer = await s.ask("Fix it.")
        editor.type("calc.py", typed + _FIXED + "# more\n")
        editor.close("calc.py")
        await until(lambda: standing(s) == [("calc.py", True)])
        editor.open("calc.py")
        editor.type("calc.py", "# something else\n")
        await s.app.acting.of(await s.app.sessions.open(answer.session_id)).unsaved.look()
        assert standing(s) == [("calc.py", True)]


async def test_an_edit_that_comes_back_is_unsaved_again(tmp_path: Path) -> None:
    """By the editor's own undo and redo."""
    async with buffers(tmp_path, _FIX, saves=False) as (s, editor):
        await s.ask("Fix it.")
        editor.type("calc.py", _CALC)
        await until(lambda: standing(s) == [("calc.py", True)])
        editor.type("calc.py", _FIXED)
        await until(lambda: standing(s) == [("calc.py", False)])


@pytest.mark.parametrize(("becomes", "found"), [("gone", [True]), ("saved", []), ("", [False])])
async def test_a_later_server_finds_out_what_became_of_it(
    tmp_path: Path, becomes: str, found: list[bool]
) -> None:
    """The editor opens again what it has kept unsaved, a moment after the server has started."""
    async with buffers(tmp_path, _FIX, saves=False) as (s, _):
        answer = await s.ask("Fix it.")
        session_id = answer.session_id
    async with buffers(tmp_path, [], {}, saves=False) as (s, editor):
        if becomes == "saved":
            (tmp_path / "calc.py").write_text(_FIXED)
        elif not becomes:
            editor.open("calc.py")
            editor.type("calc.py", _FIXED + "# more\n")
        resumed = await resume_session(s.app, ResumeSessionRequest(session_id))
        assert [each.gone for each in resumed.unsaved] == found
        if becomes == "gone":
            editor.open("calc.py")
            editor.type("calc.py", _FIXED + "# more\n")
            await until(lambda: standing(s) == [("calc.py", False)])


async def test_a_run_that_is_cancelled_while_the_editor_saves(tmp_path: Path) -> None:
    async with buffers(tmp_path, _FIX, saves=True) as (s, editor):
        editor.formats = lambda text: text.replace("a + b", "a  +  b")
        editor.before_saving = s.app.runs.cancel
        session = s.app.sessions.create()
        asking = asyncio.create_task(s.ask("Fix it.", session_id=session.id))
        await asyncio.wait({asking})
        assert asking.cancelled()
        assert "return a  +  b" in editor.saved("calc.py")
        undone = await undo(s, session.id)
        assert (undone.restored, undone.conflicts) == (("calc.py",), ())
        assert editor.texts["calc.py"] == editor.saved("calc.py") == _CALC
