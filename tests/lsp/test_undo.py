"""Undo in an editor whose user types all the while: what the user typed is never taken away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from glossator.edits import wait
from tests.lsp.support.desk import ALL, Acting, acting
from tests.lsp.support.editor import Message
from tests.standin import Script, Text, ToolUse, Turn

_TEXT = "def add(a, b):\n    return a - b\n\n\ndef sub(a, b):\n    return a + b\n"
_EDITED = _TEXT.replace("a - b", "a + c")
_READ = ToolUse("Read", {"path": "calc.py"}, "read")
_EDIT = ToolUse("Edit", {"path": "calc.py", "old_text": "a - b", "new_text": "a + c"}, "edit")
_FIX: Script = [Turn(_READ), Turn(_EDIT), Turn(Text("Fixed."))]
_NEW = ToolUse("Write", {"path": "new.txt", "content": "new\n"}, "new")
_SINCE = "was changed by somebody else since"


@pytest.fixture
def calc(tmp_path: Path) -> Path:
    path = tmp_path / "calc.py"
    path.write_text(_TEXT)
    return path


async def undo(a: Acting, **fields: Any) -> Any:
    request = {"sessionId": a.events("run.started")[0]["sessionId"], **fields}
    return await a.editor.result(a.editor.command("glossator.undoTurn", request))


def told_undone(a: Acting) -> list[Any]:
    return [each["turns"] for each in a.editor.sent("glossator/undone")]


async def test_the_editor_is_told_what_is_undone_and_what_no_longer(calc: Path) -> None:
    async with acting(calc.parent, _FIX) as a:
        a.desk.open(calc)
        await a.asked()
        started = a.events("run.started")[0]
        run, session = started["runId"], {"sessionId": started["sessionId"]}
        undone = await undo(a)
        assert undone["undone"] == [{"turn": run, "by": undone["turn"]}]
        assert told_undone(a) == [undone["undone"]]
        resumed = await a.editor.result(a.editor.command("glossator.resumeSession", session))
        assert resumed["undone"] == undone["undone"]
        redone = await a.editor.result(a.editor.command("glossator.redoTurn", session))
        assert (redone["restored"], redone["undone"]) == (["calc.py"], [])
        assert told_undone(a) == [undone["undone"], []]
        resumed = await a.editor.result(a.editor.command("glossator.resumeSession", session))
        assert resumed["undone"] == []


def at_edits(a: Acting, *answers: Callable[[Message], Message]) -> None:
    """What happens when the editor is asked to apply the next edits; later ones are applied."""
    left = list(answers)

    def apply(params: Message) -> Message:
        return (left.pop(0) if left else a.desk.apply)(params)

    a.editor.answers["workspace/applyEdit"] = apply


def typed_before(a: Acting, uri: str, old: str, new: str) -> Callable[[Message], Message]:
    def apply(params: Message) -> Message:
        a.desk.type(uri, old, new)
        return a.desk.apply(params)

    return apply


def typed_after(a: Acting, uri: str, old: str, new: str) -> Callable[[Message], Message]:
    def apply(params: Message) -> Message:
        answer = a.desk.apply(params)
        a.desk.type(uri, old, new)
        return answer

    return apply


def conflicts(undone: Any) -> list[tuple[str, str]]:
    return [(each["path"], each["reason"]) for each in undone["conflicts"]]


@pytest.mark.parametrize("late", [False, True])
async def test_what_was_typed_while_the_edit_was_tried_again_stays(calc: Path, late: bool) -> None:
    async with acting(calc.parent, _FIX) as a:
        uri = a.desk.open(calc)
        a.desk.tells_late = late
        at_edits(a, typed_before(a, uri, "def add", "# mine\ndef add"))
        await a.asked()
        assert a.desk.texts[uri] == "# mine\n" + _EDITED
        undone = await undo(a)
        assert undone["restored"] == ["calc.py"]
        assert a.desk.texts[uri] == "# mine\n" + _TEXT
        await undo(a, turn=undone["turn"])
        assert a.desk.texts[uri] == "# mine\n" + _EDITED


@pytest.mark.parametrize("late", [False, True])
async def test_what_was_typed_right_after_the_edit_is_a_conflict(calc: Path, late: bool) -> None:
    async with acting(calc.parent, _FIX) as a:
        uri = a.desk.open(calc)
        a.desk.tells_late = late
        at_edits(a, typed_after(a, uri, "def sub", "# mine\ndef sub"))
        await a.asked()
        mine = a.desk.texts[uri]
        assert conflicts(await undo(a)) == [("calc.py", _SINCE)]
        assert a.desk.texts[uri] == mine
        a.desk.tells_late = False  # else it is told after the undo was asked for
        a.desk.type(uri, "# mine\n", "")
        assert (await undo(a))["restored"] == ["calc.py"]
        assert a.desk.texts[uri] == _TEXT


@pytest.mark.parametrize("workspace", [ALL, {"applyEdit": True}], ids=["versions", "none"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    return total\n", ""),
        ("    total = a + b\n", ""),
        ("log(total)", "log(total, b)"),
        ("    log(total)\n", ""),
    ],
    ids=["deleted-below", "deleted-above", "changed", "taken-back"],
)
async def test_an_edit_that_was_seen_is_made_once(
    calc: Path, workspace: dict[str, Any], old: str, new: str
) -> None:
    """Whatever the user makes of it right afterwards, which is then no longer the turn's."""
    text = "def add(a, b):\n    total = a + b\n    return total\n"
    edited = text.replace("    return", "    log(total)\n    return")
    await asyncio.to_thread(calc.write_text, text)
    write = ToolUse("Write", {"path": "calc.py", "content": edited}, "edit")
    async with acting(calc.parent, [Turn(_READ), Turn(write), Turn(Text("."))], workspace) as a:
        uri = a.desk.open(calc)
        at_edits(a, typed_after(a, uri, old, new))
        await a.asked()
        assert len(a.requests()) == 1
        assert a.desk.texts[uri] == edited.replace(old, new)
        assert "Nothing was changed" not in a.told("edit")
        assert conflicts(await undo(a)) == (
            [("calc.py", _SINCE)] if text != a.desk.texts[uri] else []
        )


async def test_what_was_typed_into_a_new_file_is_a_conflict(tmp_path: Path) -> None:
    async with acting(tmp_path, [Turn(_NEW), Turn(Text("Made."))], saves=True) as a:
        a.desk.opens = True
        uri = (tmp_path / "new.txt").as_uri()
        at_edits(a, typed_after(a, uri, "new", "new and mine"))
        await a.asked()
        assert conflicts(await undo(a)) == [("new.txt", _SINCE)]
        assert a.desk.texts[uri] == "new and mine\n"


async def test_an_edit_that_was_not_made_leaves_nothing_to_undo(calc: Path) -> None:
    """What the user typed in the same place is not the turn's, though it was about to be."""
    async with acting(calc.parent, [Turn(_READ), Turn(_EDIT, _NEW), Turn(Text("Hm."))]) as a:
        uri = a.desk.open(calc)
        at_edits(a, typed_before(a, uri, "a - b", "a * b"))
        await a.asked()
        undone = await undo(a)
        assert (undone["removed"], undone["restored"], undone["conflicts"]) == (["new.txt"], [], [])
        assert a.desk.texts[uri] == _TEXT.replace("a - b", "a * b")


async def test_an_edit_that_the_user_never_let_happen(calc: Path) -> None:
    async with acting(calc.parent, [Turn(_READ), Turn(_EDIT, _NEW), Turn(Text("Hm."))]) as a:
        uri = a.desk.open(calc)
        at_edits(a, *[typed_before(a, uri, "def add", "#\ndef add")] * 4)
        await a.asked()
        assert a.told("edit").startswith("Nothing was changed")
        undone = await undo(a)
        assert (undone["removed"], undone["restored"], undone["conflicts"]) == (["new.txt"], [], [])
        assert a.desk.texts[uri] == "#\n" * 4 + _TEXT


async def test_an_edit_made_again_goes_back_to_what_the_user_had_typed(calc: Path) -> None:
    again = ToolUse("Edit", {"path": "calc.py", "old_text": "a * b", "new_text": "a + c"}, "again")
    script: Script = [Turn(_READ), Turn(_EDIT), Turn(again), Turn(Text("Fixed."))]
    async with acting(calc.parent, script) as a:
        uri = a.desk.open(calc)
        at_edits(a, typed_before(a, uri, "a - b", "a * b"))
        await a.asked()
        assert a.desk.texts[uri] == _EDITED
        undone = await undo(a)
        assert (undone["restored"], undone["conflicts"]) == (["calc.py"], [])
        assert a.desk.texts[uri] == _TEXT.replace("a - b", "a * b")


async def test_what_a_formatter_made_of_an_edit_is_not_taken_for_the_turns(calc: Path) -> None:
    """It may as well have been typed, so the user decides."""
    async with acting(calc.parent, _FIX) as a:
        uri = a.desk.open(calc)
        a.desk.formats = lambda text: text.replace("a + c", "(a + c)")
        await a.asked()
        assert conflicts(await undo(a)) == [("calc.py", _SINCE)]
        assert (await undo(a, overwrite=True))["restored"] == ["calc.py"]
        assert a.desk.texts[uri] == _TEXT


async def test_what_the_user_left_out_is_no_conflict(calc: Path) -> None:
    edits = [
        {"old_text": "def add", "new_text": "def plus"},
        {"old_text": "def sub", "new_text": "def minus"},
    ]
    call = ToolUse("MultiEdit", {"path": "calc.py", "edits": edits}, "edit")
    script: Script = [Turn(_READ), Turn(call), Turn(Text("Done."))]
    async with acting(calc.parent, script, review="propose") as a:
        uri = a.desk.open(calc)
        a.desk.declines = lambda edit: edit["newText"] == "minus"
        await a.asked()
        assert "The user rejected 1 of 2 changes (line 5)" in a.told("edit")
        assert a.desk.texts[uri] == _TEXT.replace("add", "plus")
        a.desk.declines = lambda _: False
        undone = await undo(a)
        assert (undone["restored"], undone["conflicts"]) == (["calc.py"], [])
        assert a.desk.texts[uri] == _TEXT


async def test_what_was_typed_after_an_edit_that_was_cut_off_is_a_conflict(
    calc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whose the text is that is found then, nobody knows."""
    monkeypatch.setattr(wait, "LATE_SECONDS", 5.0)
    async with acting(calc.parent, _FIX) as a:
        uri = a.desk.open(calc)

        def cut_off(params: Message) -> Message:
            a.editor.cancel(command)
            return typed_after(a, uri, "def sub", "# mine\ndef sub")(params)

        at_edits(a, cut_off)
        command = a.ask()
        await a.editor.error(command)
        mine = a.desk.texts[uri]
        reason = "was being changed when its turn was cut off"
        assert conflicts(await undo(a)) == [("calc.py", reason)]
        assert a.desk.texts[uri] == mine


async def test_what_is_typed_while_it_is_undone_stays(calc: Path) -> None:
    async with acting(calc.parent, [Turn(_READ), Turn(_EDIT, _NEW), Turn(Text("Done."))]) as a:
        uri = a.desk.open(calc)
        await a.asked()
        at_edits(a, typed_before(a, uri, "def sub", "# mine\ndef sub"))
        undone = await undo(a)
        assert (undone["removed"], undone["restored"]) == (["new.txt"], [])
        assert conflicts(undone) == [("calc.py", "was changed by somebody else just now")]
        assert "# mine\ndef sub" in a.desk.texts[uri]
        assert "a + c" in a.desk.texts[uri]


async def test_what_is_typed_right_after_an_undo_is_a_conflict_of_the_redo(calc: Path) -> None:
    async with acting(calc.parent, _FIX) as a:
        uri = a.desk.open(calc)
        await a.asked()
        at_edits(a, typed_after(a, uri, "def sub", "# mine\ndef sub"))
        undone = await undo(a)
        assert undone["restored"] == ["calc.py"]
        assert conflicts(await undo(a, turn=undone["turn"])) == [("calc.py", _SINCE)]
        assert a.desk.texts[uri] == _TEXT.replace("def sub", "# mine\ndef sub")
