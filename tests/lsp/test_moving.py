"""Move as an editor sees it: what it is asked for, and what becomes of open documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glossator.edits import wait
from glossator.lsp import port
from tests.lsp.support.desk import ALL, PLAIN, Acting, acting, pressing
from tests.lsp.support.editor import Message
from tests.standin import Script, Text, ToolUse, Turn

_TEXT = "def add(a, b):\n    return a - b\n"
_FIX = {"path": "lib/sums.py", "old_text": "a - b", "new_text": "a + b"}
_READ = Turn(ToolUse("Read", {"path": "calc.py"}, "read"))
_MOVE = ToolUse("Move", {"path": "calc.py", "new_path": "lib/sums.py"}, "move")
_THEN_EDIT: Script = [_READ, Turn(_MOVE), Turn(ToolUse("Edit", _FIX, "edit")), Turn(Text("Done."))]
_FOLDER = ToolUse("Move", {"path": "app", "new_path": "src/app"}, "move")


@pytest.fixture
def calc(tmp_path: Path) -> Path:
    path = tmp_path / "calc.py"
    path.write_text(_TEXT)
    (tmp_path / "app" / "deep").mkdir(parents=True)
    (tmp_path / "app" / "main.py").write_text("import calc\n")
    (tmp_path / "app" / "deep" / "util.py").write_text("x = 1\n")
    return path


def there(path: Path) -> bool:
    return path.exists()


def saved(path: Path) -> str:
    return path.read_text()


async def undo(a: Acting, session: str, turn: str | None = None) -> Message:
    fields = {"sessionId": session} | ({"turn": turn} if turn else {})
    undone: Message = await a.editor.result(a.editor.command("glossator.undoTurn", fields))
    assert (undone["conflicts"], undone["failed"]) == ([], [])
    return undone


async def test_it_is_one_labelled_edit(calc: Path) -> None:
    async with acting(calc.parent, _THEN_EDIT) as a:
        answer = await a.asked()
        request = a.requests()[0]
        new = calc.parent / "lib/sums.py"
        assert request["label"] == "Move calc.py to lib/sums.py"
        assert request["edit"]["documentChanges"] == [
            {
                "kind": "rename",
                "oldUri": calc.as_uri(),
                "newUri": new.as_uri(),
                "annotationId": "glossator",
            }
        ]
        assert request["glossator"] == {"sha256": {}}
        assert a.told("edit").startswith("Changed lib/sums.py in 1 place")
        assert saved(new) == _TEXT.replace("a - b", "a + b")
        await undo(a, answer["sessionId"])
        assert saved(calc) == _TEXT
        assert not there(new.parent)


@pytest.mark.parametrize("late", [False, True])
async def test_unsaved_text_goes_with_it_and_comes_back(
    calc: Path, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    monkeypatch.setattr(wait, "SETTLE_SECONDS", 0.0)
    async with acting(calc.parent, _THEN_EDIT) as a:
        a.desk.tells_late = late
        uri = a.desk.open(calc)
        a.desk.type(uri, "def add", "# mine\ndef add")
        answer = await a.asked()
        new = calc.parent / "lib/sums.py"
        assert a.told("move").startswith("Moved calc.py to lib/sums.py. References to the old path")
        assert a.told("edit").startswith("Changed lib/sums.py in 1 place")
        typed = f"# mine\n{_TEXT}"
        assert a.desk.texts == {new.as_uri(): typed.replace("a - b", "a + b")}
        undone = await undo(a, answer["sessionId"])
        assert saved(calc) == typed
        assert not there(new)
        await undo(a, answer["sessionId"], undone["turn"])
        assert (there(calc), saved(new)) == (False, typed.replace("a - b", "a + b"))


@pytest.mark.parametrize("takes_back", [True, False])
async def test_an_editor_whose_documents_do_not_follow(
    calc: Path, monkeypatch: pytest.MonkeyPatch, takes_back: bool
) -> None:
    monkeypatch.setattr(wait, "ARRIVAL_SECONDS", 0.1)
    async with acting(calc.parent, [Turn(_MOVE), Turn(Text("Done."))]) as a:
        uri = a.desk.open(calc)
        a.desk.type(uri, "def add", "# mine\ndef add")
        a.desk.follows = False

        def apply(params: Message) -> Message:
            can = takes_back or params["label"] != "Undo"
            return a.desk.apply(params) if can else {"applied": False}

        a.editor.answers["workspace/applyEdit"] = apply
        await a.asked()
        new = calc.parent / "lib/sums.py"
        assert (there(calc), there(new)) == (takes_back, not takes_back)
        assert a.desk.texts == {uri: f"# mine\n{_TEXT}"}
        told = a.told("move")
        if takes_back:
            assert "would have left calc.py open under the old path" in told
        else:
            assert told.startswith("Moved calc.py to lib/sums.py.")
            assert "Still open in the editor under the old path: calc.py; tell the user." in told


async def test_an_editor_that_asks_about_imports_has_its_time(
    calc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(port, "_APPLY_SECONDS", 0.0)
    async with acting(calc.parent, [Turn(_MOVE), Turn(Text("Done."))]) as a:
        await a.asked()
        assert a.told("move").startswith("Moved calc.py")


async def test_a_folder_and_what_is_open_in_it(calc: Path) -> None:
    find = ToolUse("Glob", {"pattern": "**/*.py"}, "glob")
    script = [Turn(_FOLDER), Turn(find), Turn(Text("Done."))]
    async with acting(calc.parent, script) as a:
        uri = a.desk.open(calc.parent / "app/deep/util.py")
        a.desk.type(uri, "x = 1", "x = 2")
        answer = await a.asked()
        (change,) = a.requests()[0]["edit"]["documentChanges"]
        assert change["oldUri"] == (calc.parent / "app").as_uri()
        assert a.told("move").startswith("Moved app to src/app with 2 files.")
        new = calc.parent / "src/app/deep/util.py"
        assert a.desk.texts == {new.as_uri(): "x = 2\n"}
        listed = {"calc.py", "src/app/main.py", "src/app/deep/util.py"}
        assert set(a.told("glob").splitlines()) == listed
        await undo(a, answer["sessionId"])
        assert saved(calc.parent / "app/deep/util.py") == "x = 2\n"
        assert saved(calc.parent / "app/main.py") == "import calc\n"
        assert not there(calc.parent / "src")


async def test_what_another_server_changes_is_seen(calc: Path) -> None:
    read = ToolUse("Read", {"path": "app/main.py"}, "main")
    async with acting(calc.parent, [Turn(_MOVE), Turn(read), Turn(Text("Done."))]) as a:
        main = (calc.parent / "app/main.py").as_uri()
        a.desk.updates = lambda _: {main: "from lib import sums\n"}
        await a.asked()
        assert "Moved calc.py" in a.told("move")
        assert "from lib import sums" in a.told("main")


@pytest.mark.parametrize("workspace", [PLAIN, {"applyEdit": True}, {}])
async def test_a_client_that_cannot_rename(calc: Path, workspace: dict[str, Any]) -> None:
    async with acting(calc.parent, [Turn(_MOVE), Turn(Text("Done."))], workspace) as a:
        await a.asked()
        assert a.requests() == []
        assert a.told("move").startswith("Nothing was changed: the editor cannot")
        assert there(calc)


@pytest.mark.parametrize("accepts", [True, False])
async def test_a_client_that_reviews(calc: Path, accepts: bool) -> None:
    script = [Turn(_MOVE), Turn(Text("Done."))]
    async with acting(calc.parent, script, ALL, review="propose", reviews=True) as a:
        asked: list[Message] = []

        def review(params: Message) -> Message:
            asked.append(params)
            return {"accepted": [hunk["id"] for hunk in params["hunks"] if accepts]}

        a.editor.answers["glossator/review"] = review
        await a.asked()
        ((hunk,),) = (params["hunks"] for params in asked)
        new = calc.parent / "lib/sums.py"
        assert (hunk["kind"], hunk["path"]) == ("rename", str(calc))
        assert (hunk["before"], hunk["after"]) == (f"{calc}\n", f"{new}\n")
        assert (there(calc), there(new)) == (not accepts, accepts)
        assert ("The user rejected this edit" in a.told("move")) is not accepts


async def test_a_client_with_buttons(calc: Path) -> None:
    script = [Turn(_MOVE), Turn(Text("Done."))]
    able = {"documentChanges": True, "resourceOperations": ["rename"]}
    plain = {"applyEdit": True, "workspaceEdit": able}
    async with acting(calc.parent, script, plain, review="propose") as a:
        asked: list[Message] = []

        def press(params: Message) -> Message:
            asked.append(params)
            return pressing("Accept")(params)

        a.editor.answers["window/showMessageRequest"] = press
        await a.asked()
        new = calc.parent / "lib/sums.py"
        assert asked[0]["message"] == f"Session: ?\nMove calc.py to lib/sums.py?\n{calc} → {new}"
        assert there(new)
