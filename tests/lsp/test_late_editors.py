"""Editors that send late what was typed: what becomes of an edit that crosses it."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from glossator.edits import wait
from tests.lsp.support.desk import Acting, acting
from tests.lsp.support.editor import Message, Refusal
from tests.lsp.test_editing import CALC, FIX, READ
from tests.standin import Text, ToolUse, Turn

_MOVED = "# mine\n" + CALC.replace("a - b", "a + c")
_SLOW = "@slow\ndef one():\n    pass\n"
_SLOWER = "@slow\ndef zero():\n    pass\n\n\n" + _SLOW
_UNVERSIONED = {"applyEdit": True}
_NEOVIM = {"applyEdit": True, "workspaceEdit": {"resourceOperations": ["rename", "create"]}}


@pytest.fixture
def calc(tmp_path: Path) -> Path:
    path = tmp_path / "calc.py"
    path.write_text(CALC)
    return path


async def test_neovim_is_sent_a_version_that_it_checks(calc: Path) -> None:
    """It opens at version 0, checks none below 1, and says it applied what it left out."""
    async with acting(calc.parent, FIX, _NEOVIM, name="Neovim") as a:
        uri = a.desk.open(calc, version=0)
        _cross(a, uri, "def add", "# mine\ndef add", skips=True)
        await a.asked()
        assert a.desk.texts[uri] == _MOVED
        versions = [
            request["edit"]["documentChanges"][0]["textDocument"]["version"]
            for request in a.requests()
        ]
        assert versions == [1, 3]
        assert a.told("edit").startswith("Changed calc.py in ")


@pytest.mark.parametrize("after", ["", "# on it goes\n"])
async def test_an_edit_in_a_wrong_place_is_moved(calc: Path, after: str) -> None:
    """An editor without versions applies it to another text; the user may type on meanwhile."""
    async with acting(calc.parent, FIX, _UNVERSIONED) as a:
        uri = a.desk.open(calc)
        _cross(a, uri, "def add", "# mine\ndef add", after=after)
        await a.asked()
        assert a.desk.texts[uri] == _MOVED + after
        told = a.told("edit")
        assert "the editor had made the edit in a wrong place, and it was moved." in told
        assert "\n3\t    return a + c" in told
        (settled,) = a.events("edit.settled")
        assert settled["applied"] is True
        assert "wrong place" in settled["note"]


async def test_an_edit_in_a_wrong_place_that_cannot_be_moved(calc: Path) -> None:
    """The user changed just what was to be replaced: model and user hear what is there."""
    async with acting(calc.parent, FIX, _UNVERSIONED) as a:
        uri = a.desk.open(calc)
        _cross(a, uri, "    return a - b", "    # mine\n    return a - b - 1")
        await a.asked()
        assert len(a.requests()) == 1
        told = a.told("edit")
        assert "the editor made the edit in a wrong place.\nWhat is there now is shown" in told
        assert a.desk.texts[uri].splitlines()[1] in told
        message = await a.editor.told("window/showMessage", "in a wrong place")
        assert message["params"]["message"].startswith("An edit of calc.py may be in a wrong place")


async def test_typing_that_crosses_the_repair(calc: Path) -> None:
    """The editor makes the repair in a wrong place, too, and it is repaired in turn."""
    async with acting(calc.parent, FIX, _UNVERSIONED) as a:
        uri = a.desk.open(calc)
        again = partial(_cross, a, uri, "# mine", "# this is\n# mine", version=4)
        _cross(a, uri, "def add", "# mine\ndef add", then=again)
        await a.asked()
        assert len(a.requests()) == 3
        assert a.desk.texts[uri] == "# this is\n" + _MOVED
        assert "and it was moved." in a.told("edit")


async def test_a_repair_that_the_editor_refuses(
    calc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wait, "LATE_SECONDS", 0.05)
    async with acting(calc.parent, FIX, _UNVERSIONED) as a:
        uri = a.desk.open(calc)

        def refuse() -> None:
            a.editor.answers["workspace/applyEdit"] = {"applied": False}

        _cross(a, uri, "def add", "# mine\ndef add", then=refuse)
        await a.asked()
        assert "the editor made the edit in a wrong place" in a.told("edit")
        await a.editor.told("window/showMessage", "in a wrong place")


async def test_an_undo_in_a_wrong_place_is_moved(calc: Path) -> None:
    async with acting(calc.parent, FIX, _UNVERSIONED) as a:
        uri = a.desk.open(calc)
        undo = {"sessionId": (await a.asked())["sessionId"]}
        _cross(a, uri, "def add", "# mine\ndef add", version=9)
        undone = await a.editor.result(a.editor.command("glossator.undoTurn", undo))
        assert (undone["restored"], undone["conflicts"]) == (["calc.py"], [])
        assert a.desk.texts[uri] == "# mine\n" + CALC


async def test_an_undo_in_a_wrong_place_that_cannot_be_moved(calc: Path) -> None:
    async with acting(calc.parent, FIX, _UNVERSIONED) as a:
        uri = a.desk.open(calc)
        undo = {"sessionId": (await a.asked())["sessionId"]}
        _cross(a, uri, "    return a + c", "    # mine\n    return a + c - 1", version=9)
        undone = await a.editor.result(a.editor.command("glossator.undoTurn", undo))
        assert undone["restored"] == []
        (failed,) = undone["failed"]
        assert failed["reason"].startswith("may be edited in a wrong place, as you were typing")


async def test_typing_that_comes_with_the_edit_in_one_change(calc: Path) -> None:
    """What the edit was applied to is not known then, and nothing is guessed."""
    async with acting(calc.parent, FIX, _UNVERSIONED) as a:
        uri = a.desk.open(calc)
        _cross(a, uri, "def add", "# mine\ndef add", whole=True)
        await a.asked()
        assert "the editor may have made the edit in a wrong place" in a.told("edit")
        assert "Nothing was changed" not in a.told("edit")


@pytest.mark.parametrize(
    ("old", "new"),
    [("def one", "def once"), ("@slow\ndef zero", "@slow(2)\ndef zero")],
    ids=["below", "above"],
)
async def test_an_edit_in_its_place_where_lines_occur_twice(calc: Path, old: str, new: str) -> None:
    """The edit and what was typed after it come in one change."""
    await asyncio.to_thread(calc.write_text, _SLOW)
    write = ToolUse("Write", {"path": "calc.py", "content": _SLOWER}, "edit")
    async with acting(
        calc.parent, [Turn(READ), Turn(write), Turn(Text("Done."))], _UNVERSIONED
    ) as a:
        uri = a.desk.open(calc)

        def apply(params: Message) -> Message:
            a.desk.blindly(uri, params["edit"])
            a.desk.type(uri, old, new)
            return {"applied": True}

        a.editor.answers["workspace/applyEdit"] = apply
        await a.asked()
        assert a.desk.texts[uri] == _SLOWER.replace(old, new)
        assert a.told("edit").startswith("Changed calc.py in ")
        assert "wrong place" not in a.told("edit")
        assert a.editor.sent("window/showMessage") == []


async def test_typing_below_is_no_wrong_place(calc: Path) -> None:
    async with acting(calc.parent, FIX, _UNVERSIONED) as a:
        uri = a.desk.open(calc)
        _cross(a, uri, "def sub", "# mine\ndef sub")
        await a.asked()
        assert len(a.requests()) == 1
        assert "return a + c" in a.desk.texts[uri]
        assert "wrong place" not in a.told("edit")


async def test_eglot_is_asked_again_when_it_has_sent_what_was_typed(calc: Path) -> None:
    async with acting(calc.parent, FIX, name="Eglot") as a:
        uri = a.desk.open(calc, version=0)
        seconds = wait.LATE_SECONDS * 1.5

        def refuse(_params: Message) -> Refusal:
            a.editor.answers["workspace/applyEdit"] = a.desk.apply
            typed = uri, "def add", "# mine\ndef add"
            asyncio.get_running_loop().call_later(seconds, a.desk.type, *typed)
            return Refusal(-32603, "Edits on `calc.py' require version 0, you have 1")

        a.editor.answers["workspace/applyEdit"] = refuse
        await a.asked()
        assert a.desk.texts[uri] == _MOVED
        assert len(a.requests()) == 2


async def test_what_an_editor_says_is_told(calc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wait, "LATE_SECONDS", 0.05)
    monkeypatch.setattr(wait, "BEHIND_SECONDS", 0.05)
    for said, told in [
        ("User cancelled server edit", "Nothing was changed: User cancelled server edit.\n"),
        ("Edits require version 0", "Nothing was changed: the user is typing, and the editor"),
        ("Unsupported version of edits", "Nothing was changed: Unsupported version of edits.\n"),
    ]:
        async with acting(calc.parent, FIX) as a:
            a.desk.open(calc)
            a.editor.answers["workspace/applyEdit"] = Refusal(-32603, said)
            await a.asked()
            assert a.told("edit").startswith(told)


async def test_an_edit_waits_for_a_pause(calc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the editor may not have sent all, it is not asked in the middle of a word."""
    monkeypatch.setattr(wait, "QUIET_SECONDS", 1.0)
    async with acting(calc.parent, FIX, _UNVERSIONED) as a:
        uri = a.desk.open(calc)
        loop = asyncio.get_running_loop()
        for number in range(4):
            words = uri, "def sub", f"# {number}\ndef sub"
            loop.call_later(0.2 * number, a.desk.type, *words)
        await a.asked()
        assert len(a.requests()) == 1
        assert a.desk.texts[uri].count("#") == 4
        typed = [each["kind"] for each in a.editor.sent("glossator/event")]
        assert "edit.settled" in typed


def _cross(a: Acting, uri: str, old: str, new: str, **how: Any) -> None:
    """The user types before the first edit is applied; both are told of after the answer.

    `skips`: the editor knows that the edit is about another text, and says nothing. `whole`: it
    sends the whole text. `after`: what the user adds at the end after the edit. `then` sees to what
    becomes of the next edit.
    """

    def apply(params: Message) -> Message:
        a.editor.answers["workspace/applyEdit"] = a.desk.apply
        if then := how.get("then"):
            then()
        changes = [a.desk.typed(uri, old, new)]
        if not how.get("skips"):
            changes += a.desk.blindly(uri, params["edit"])
        if after := how.get("after"):
            changes.append(a.desk.typed(uri, None, after))
        if how.get("whole"):
            changes = [{"text": a.desk.texts[uri]}]
        version = a.desk.versions[uri] = how.get("version", 3)
        tell = partial(a.editor.change, uri, version, *changes)
        asyncio.get_running_loop().call_later(0.05, tell)
        return {"applied": True}

    a.editor.answers["workspace/applyEdit"] = apply
