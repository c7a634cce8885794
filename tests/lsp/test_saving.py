"""Documents that the editor is asked to save after edits, on their way over the wire."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from glossator.lsp import port
from tests.lsp.support.desk import ALL, Acting, acting
from tests.lsp.support.editor import NO_ANSWER
from tests.standin import Script, Text, ToolUse, Turn

_TEXT = "def add(a, b):\n    return a - b\n"
_READ = ToolUse("Read", {"path": "calc.py"}, "read")
_EDIT = ToolUse("Edit", {"path": "calc.py", "old_text": "a - b", "new_text": "a + b"}, "edit")
_CAT = ToolUse("Bash", {"command": "cat calc.py"}, "cat")
_FIX: Script = [Turn(_READ), Turn(_EDIT), Turn(_CAT), Turn(Text("Fixed."))]
_UNSAVED = "[Not saved in the editor: calc.py. The command saw what is on disk instead.]"


@asynccontextmanager
async def editing(root: Path, *, saves: bool) -> AsyncIterator[Acting]:
    async with acting(root, _FIX, ALL, permissions=True, saves=saves) as a:
        a.editor.answers["glossator/permission"] = {"choice": "once"}
        yield a


@pytest.fixture
def calc(tmp_path: Path) -> Path:
    path = tmp_path / "calc.py"
    path.write_text(_TEXT)
    return path


async def test_a_client_that_saves(calc: Path) -> None:
    async with editing(calc.parent, saves=True) as a:
        uri = a.desk.open(calc)
        answer = await a.asked()
        documents = {"documents": [{"uri": uri, "version": 2}]}
        assert a.editor.sent("glossator/saveDocuments") == [documents]
        assert "return a + b" in a.told("cat")
        assert _UNSAVED not in a.told("cat")
        undo = {"sessionId": answer["sessionId"]}
        undone = await a.editor.result(a.editor.command("glossator.undoTurn", undo))
        assert (undone["restored"], undone["conflicts"]) == (["calc.py"], [])
        assert a.desk.texts[uri] == saved(calc) == _TEXT


async def test_a_client_that_cannot(calc: Path) -> None:
    async with editing(calc.parent, saves=False) as a:
        a.desk.open(calc)
        await a.asked()
        assert a.editor.sent("glossator/saveDocuments") == []
        (told,) = a.editor.sent("glossator/unsaved")
        assert [(each["path"], each["gone"]) for each in told["files"]] == [("calc.py", False)]
        (changed,) = a.events("files.changed")
        assert changed["unsaved"] == ["calc.py"]
        assert "return a - b" in a.told("cat")
        assert a.told("cat").endswith(_UNSAVED)
        (notice,) = a.events("notice")
        assert "not saved, for calc.py" in notice["message"]


@pytest.mark.parametrize("answer", [{"saved": []}, None, {"saved": "all"}, NO_ANSWER])
async def test_a_client_that_does_not(
    calc: Path, monkeypatch: pytest.MonkeyPatch, answer: object
) -> None:
    monkeypatch.setattr(port, "_SAVE_SECONDS", 0.1)
    async with editing(calc.parent, saves=True) as a:
        a.desk.open(calc)
        a.editor.answers["glossator/saveDocuments"] = answer
        await a.asked()
        assert a.told("cat").endswith(_UNSAVED)
        assert saved(calc) == _TEXT


def saved(path: Path) -> str:
    return path.read_text()
