"""Edits as an editor sees them: what it is asked to apply, and what it may do about it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from glossator.edits import wait
from glossator.lsp import port
from tests.lsp.support.desk import ALL, PLAIN, Acting, acting
from tests.lsp.support.editor import NO_ANSWER, Message
from tests.standin import Script, Text, ToolUse, Turn

CALC = "def add(a, b):\n    return a - b\n\n\ndef sub(a, b):\n    return a + b\n"
READ = ToolUse("Read", {"path": "calc.py"}, "read")
_EDIT = ToolUse("Edit", {"path": "calc.py", "old_text": "a - b", "new_text": "a + c"}, "edit")
_NEW = ToolUse("Write", {"path": "made/new.txt", "content": "é\n"}, "new")
FIX: Script = [Turn(READ), Turn(_EDIT), Turn(Text("Fixed."))]
_MAKE: Script = [Turn(_NEW), Turn(Text("Made."))]


@pytest.fixture
def calc(tmp_path: Path) -> Path:
    path = tmp_path / "calc.py"
    path.write_text(CALC)
    return path


async def test_an_open_document_is_edited_at_its_version(calc: Path) -> None:
    async with acting(calc.parent, FIX) as a:
        uri = a.desk.open(calc)
        a.desk.type(uri, "sub", "minus")
        await a.asked()
        (request,) = a.requests()
        assert request["label"] == "Edit calc.py"
        annotation = {"label": "Edit calc.py", "needsConfirmation": False}
        assert request["edit"]["changeAnnotations"] == {"glossator": annotation}
        (change,) = request["edit"]["documentChanges"]
        assert change["textDocument"] == {"uri": uri, "version": 2}
        place = {"line": 1, "character": 15}, {"line": 1, "character": 16}
        start, end = {"line": 1, "character": 13}, place[1]
        assert change["edits"] == [
            {"range": {"start": start, "end": end}, "newText": "+ c", "annotationId": "glossator"}
        ]
        assert "return a + c" in a.desk.texts[uri]
        assert saved(calc) == CALC
        assert a.told("edit").startswith("Changed calc.py in 1 place (+1 -1 lines).")
        (proposed,), (settled,) = a.events("edit.proposed"), a.events("edit.settled")
        assert [hunk["firstLine"] for hunk in proposed["plan"]["hunks"]] == [2]
        assert settled["planId"] == proposed["plan"]["id"]
        assert (settled["applied"], settled["note"]) == (True, "")


async def test_a_closed_document_has_no_version(calc: Path) -> None:
    async with acting(calc.parent, FIX, PLAIN, saves=True) as a:
        await a.asked()
        (request,) = a.requests()
        assert "changeAnnotations" not in request["edit"]
        (change,) = request["edit"]["documentChanges"]
        assert change["textDocument"] == {"uri": calc.as_uri(), "version": None}
        assert "annotationId" not in change["edits"][0]
        assert "return a + c" in saved(calc)
        assert a.told("edit").startswith("Changed calc.py")


@pytest.mark.parametrize("late", [False, True])
async def test_a_closed_document_that_the_editor_opens(calc: Path, late: bool) -> None:
    async with acting(calc.parent, FIX, saves=True) as a:
        a.desk.opens, a.desk.tells_late = True, late
        await a.asked()
        assert "return a + c" in a.desk.texts[calc.as_uri()]
        assert "return a + c" in saved(calc)
        assert a.told("edit").startswith("Changed calc.py in 1 place (+1 -1 lines).\n")


@pytest.mark.parametrize("workspace", [ALL, PLAIN, {"applyEdit": True}])
async def test_a_closed_file_is_written_for_a_client_that_cannot_save(
    calc: Path, workspace: dict[str, Any]
) -> None:
    """In its editor it would be in a buffer that nobody sees, and not on disk."""
    raw = "\ufeff" + CALC.replace("\n", "\r\n")
    await asyncio.to_thread(calc.write_text, raw, "utf-8", newline="")
    await asyncio.to_thread(calc.chmod, 0o640)
    async with acting(calc.parent, FIX, workspace) as a:
        a.desk.opens = True
        await a.asked()
        assert a.requests() == []
        assert bytes_of(calc) == raw.replace("a - b", "a + c").encode()
        assert mode_of(calc) == 0o640
        assert a.told("edit").startswith("Changed calc.py in 1 place (+1 -1 lines).\n")


async def test_a_closed_file_that_is_no_unicode_never_goes_to_the_editor(calc: Path) -> None:
    """It may read it as UTF-8, and would save what it misread."""
    raw = f"# Вычитание двух чисел, но не сложение.\n{CALC}".encode("cp1251")
    await asyncio.to_thread(calc.write_bytes, raw)
    async with acting(calc.parent, FIX, saves=True) as a:
        a.desk.opens = True
        await a.asked()
        assert a.requests() == []
        assert bytes_of(calc) == raw.replace(b"a - b", b"a + c")


NAME = "\u0438\u043c\u044f"  # its bytes in CP866 look like Latin-1


def encodings_of(folder: Path) -> list[Message]:
    """What VS Code tells of its setting `files.encoding`."""
    return [{"folder": str(folder), "glob": "**", "encoding": "cp866"}]


@pytest.mark.parametrize(
    ("head", "codec", "note"),
    [
        (f"# {NAME}\n", "cp866", "[read as cp866, as declared for it]"),
        (f"# {NAME}\n", "utf-8", ""),  # the editor would misread it
        ("", "cp866", ""),
    ],
)
async def test_a_closed_file_is_read_and_written_as_the_editor_tells(
    calc: Path, head: str, codec: str, note: str
) -> None:
    raw = head.encode(codec) + CALC.encode()
    await asyncio.to_thread(calc.write_bytes, raw)
    changed = {"path": "calc.py", "old_text": "a - b", "new_text": f"a # {NAME}"}
    script: Script = [Turn(READ), Turn(ToolUse("Edit", changed)), Turn(Text("Fixed."))]
    folder = encodings_of(calc.parent)
    async with acting(calc.parent, script, saves=True, encodings=folder) as a:
        a.desk.opens = True
        answer = await a.asked()
        told = a.told("read")
        assert (NAME in told, note in told, "[read as" in told) == (bool(head), True, bool(note))
        assert a.requests() == []
        assert bytes_of(calc) == raw.replace(b"a - b", f"a # {NAME}".encode(codec))
        undo = {"sessionId": answer["sessionId"]}
        undone = await a.editor.result(a.editor.command("glossator.undoTurn", undo))
        assert undone["restored"] == ["calc.py"]
        assert bytes_of(calc) == raw


@pytest.mark.parametrize("client", [ALL, PLAIN])
async def test_a_new_file_is_written_in_the_encoding_that_is_declared(
    tmp_path: Path, client: dict[str, Any]
) -> None:
    new = ToolUse("Write", {"path": "new.txt", "content": NAME}, "new")
    script: Script = [Turn(new), Turn(Text("Made."))]
    async with acting(tmp_path, script, client, encodings=encodings_of(tmp_path)) as a:
        await a.asked()
        assert bytes_of(tmp_path / "new.txt") == NAME.encode("cp866")
        assert a.requests() == []


async def test_an_old_client_gets_changes(calc: Path) -> None:
    async with acting(calc.parent, FIX, {"applyEdit": True}) as a:
        uri = a.desk.open(calc)
        await a.asked()
        (request,) = a.requests()
        assert set(request["edit"]) == {"changes"}
        assert "return a + c" in a.desk.texts[uri]


async def test_a_new_file_comes_with_its_text(tmp_path: Path) -> None:
    async with acting(tmp_path, _MAKE, saves=True) as a:
        await a.asked()
        create, edit = a.requests()[0]["edit"]["documentChanges"]
        uri = (tmp_path / "made" / "new.txt").as_uri()
        assert create == {"kind": "create", "uri": uri, "annotationId": "glossator"}
        assert edit["textDocument"] == {"uri": uri, "version": None}
        assert (tmp_path / "made" / "new.txt").read_text() == "é\n"
        assert a.told("new") == "Created made/new.txt with 1 line."


async def test_a_new_file_may_be_empty(tmp_path: Path) -> None:
    write = ToolUse("Write", {"path": "pkg/__init__.py", "content": ""}, "new")
    async with acting(tmp_path, [Turn(write), Turn(Text("Made."))], saves=True) as a:
        await a.asked()
        (create,) = a.requests()[0]["edit"]["documentChanges"]
        assert create["kind"] == "create"
        assert a.told("new") == "Created pkg/__init__.py with 0 lines."


@pytest.mark.parametrize("late", [False, True])
async def test_an_editor_that_opens_what_it_edits(tmp_path: Path, late: bool) -> None:
    """The file is there and empty for a moment."""
    async with acting(tmp_path, _MAKE, saves=True) as a:
        a.desk.opens, a.desk.tells_late = True, late
        await a.asked()
        path = tmp_path / "made" / "new.txt"
        assert (a.desk.texts[path.as_uri()], path.read_text()) == ("é\n", "é\n")
        assert a.told("new") == "Created made/new.txt with 1 line."


@pytest.mark.parametrize("workspace", [{}, {"applyEdit": True}])
async def test_a_new_file_where_the_client_cannot_create(
    tmp_path: Path, workspace: dict[str, Any]
) -> None:
    async with acting(tmp_path, _MAKE, workspace) as a:
        await a.asked()
        assert a.requests() == []
        assert (tmp_path / "made" / "new.txt").read_bytes() == "é\n".encode()
        assert a.told("new") == "Created made/new.txt with 1 line."


async def test_a_client_that_applies_nothing(calc: Path) -> None:
    async with acting(calc.parent, FIX, {}) as a:
        await a.asked()
        assert a.told("edit") == (
            "Nothing was changed: the editor cannot be asked to apply edits.\nTell the user, and"
            " ask how to go on."
        )
        assert saved(calc) == CALC


@pytest.mark.parametrize("late", [False, True])
async def test_the_change_comes_before_or_after_the_answer(calc: Path, late: bool) -> None:
    async with acting(calc.parent, FIX) as a:
        uri = a.desk.open(calc)
        a.desk.tells_late = late
        await a.asked()
        assert a.told("edit").startswith("Changed calc.py in 1 place (+1 -1 lines).\n")
        assert "return a + c" in a.desk.texts[uri]


async def test_an_editor_that_formats(calc: Path) -> None:
    async with acting(calc.parent, FIX) as a:
        a.desk.open(calc)
        a.desk.formats = lambda text: text.replace("a + c", "(a + c)")
        await a.asked()
        assert "    return (a + c)" in a.told("edit")
        assert "made other changes at the same time" in a.told("edit")


@pytest.mark.parametrize("late", [False, True])
async def test_the_user_types_elsewhere(calc: Path, late: bool) -> None:
    """The edit is moved and sent again; the model is asked no more often."""
    async with acting(calc.parent, FIX) as a:
        uri = a.desk.open(calc)
        typing(a, uri, "def add", "# mine\ndef add", late=late)
        await a.asked()
        assert a.desk.texts[uri] == "# mine\n" + CALC.replace("a - b", "a + c")
        versions = [
            request["edit"]["documentChanges"][0]["textDocument"]["version"]
            for request in a.requests()
        ]
        assert versions == [1, 2]
        assert len(a.api.requests) == 3


async def test_the_user_never_stops_typing(calc: Path) -> None:
    async with acting(calc.parent, FIX) as a:
        uri = a.desk.open(calc)

        def type_more(params: Message) -> Message:
            a.desk.type(uri, "def add", "#\ndef add")
            return a.desk.apply(params)

        a.editor.answers["workspace/applyEdit"] = type_more
        await a.asked()
        assert a.told("edit").startswith("Nothing was changed: the text changed again each time")
        assert len(a.requests()) == 4


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"applied": False}, "Nothing was changed: the editor did not apply the edit.\nTell"),
        (
            {"applied": False, "failureReason": "Read-only."},
            "Nothing was changed: Read-only.\nTell",
        ),
        ({"applied": True}, "It is not known whether the edit was made: the editor accepted it"),
        (NO_ANSWER, "did not answer within 0.1 s, and may still do so: look at the file again"),
    ],
)
async def test_nothing_changes(
    calc: Path, monkeypatch: pytest.MonkeyPatch, answer: object, told: str
) -> None:
    if answer is NO_ANSWER:
        monkeypatch.setattr(port, "_APPLY_SECONDS", 0.1)
    monkeypatch.setattr(wait, "ARRIVAL_SECONDS", 0.05)
    monkeypatch.setattr(wait, "LATE_SECONDS", 0.05)
    async with acting(calc.parent, FIX) as a:
        a.desk.open(calc)
        a.editor.answers["workspace/applyEdit"] = answer
        await a.asked()
        assert told in a.told("edit")
        (settled,) = a.events("edit.settled")
        assert settled["applied"] is False


async def test_only_the_user_changed_something(calc: Path) -> None:
    """The editor says yes, but what comes is the user's typing elsewhere."""
    async with acting(calc.parent, FIX) as a:
        uri = a.desk.open(calc)

        def type_only(_params: Message) -> Message:
            a.desk.type(uri, "def add", "# mine\ndef add")
            return {"applied": True}

        a.editor.answers["workspace/applyEdit"] = type_only
        await a.asked()
        assert "the editor accepted the edit, but the text is unchanged" in a.told("edit")


async def test_applied_but_never_answered(calc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(port, "_APPLY_SECONDS", 0.1)
    async with acting(calc.parent, FIX) as a:
        a.desk.open(calc)

        def apply(params: Message) -> object:
            a.desk.apply(params)
            return NO_ANSWER

        a.editor.answers["workspace/applyEdit"] = apply
        await a.asked()
        assert a.told("edit").startswith("Changed calc.py in 1 place")
        (request,) = a.requests()
        assert request["label"] == "Edit calc.py"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("is_open", [False, True])
async def test_positions_count_as_the_client_does(
    tmp_path: Path, encoding: str, is_open: bool
) -> None:
    text = "🐟 = '🐟é', a\r\nb = 1\r\né🐟 a, 🐟\r\nlast 🐟 a"
    path = tmp_path / "fish.txt"
    path.write_bytes(text.encode())
    edits = [
        {"old_text": "🐟é', a", "new_text": "🐠é', z"},
        {"old_text": "é🐟 a, 🐟\r\n", "new_text": "x\r\n🐠y\r\n"},
        {"old_text": "last 🐟 a", "new_text": "last 🐟 z\r\n"},
    ]
    call = ToolUse("MultiEdit", {"path": "fish.txt", "edits": edits}, "edit")
    script = [Turn(ToolUse("Read", {"path": "fish.txt"}, "read")), Turn(call), Turn(Text("."))]
    async with acting(tmp_path, script, ALL, encoding=encoding) as a:
        uri = a.desk.open(path) if is_open else ""
        await a.asked()
        now = a.desk.texts[uri] if is_open else path.read_bytes().decode()
        assert now == "🐟 = '🐠é', z\r\nb = 1\r\nx\r\n🐠y\r\nlast 🐟 z\r\n"
        assert "in 3 places" in a.told("edit") or "in 2 places" in a.told("edit")


@pytest.mark.parametrize("after_all", [False, True])
async def test_an_edit_of_a_run_that_was_cut_off_is_undone(
    calc: Path, monkeypatch: pytest.MonkeyPatch, after_all: bool
) -> None:
    """The editor applied it, before the run was cancelled or after."""
    monkeypatch.setattr(wait, "LATE_SECONDS", 5.0)
    async with acting(calc.parent, FIX) as a:
        uri = a.desk.open(calc)
        a.editor.answers["workspace/applyEdit"] = NO_ANSWER
        command = a.ask()
        request = await a.editor.told("workspace/applyEdit")
        if not after_all:
            a.desk.apply(request["params"])
        a.editor.cancel(command)
        if after_all:
            await a.editor.told("$/cancelRequest")
            a.desk.apply(request["params"])
        await a.editor.error(command)
        assert "a + c" in a.desk.texts[uri]
        assert a.events("edit.settled")[0]["applied"] is False
        a.editor.answers["workspace/applyEdit"] = a.desk.apply
        undo = {"sessionId": a.events("run.started")[0]["sessionId"]}
        undone = await a.editor.result(a.editor.command("glossator.undoTurn", undo))
        assert undone["restored"] == ["calc.py"]
        assert a.desk.texts[uri] == CALC


async def test_undo_closes_what_a_turn_created_and_opened(tmp_path: Path) -> None:
    async with acting(tmp_path, _MAKE) as a:
        answer = await a.asked()
        a.desk.open(tmp_path / "made" / "new.txt")
        undo = {"sessionId": answer["sessionId"]}
        undone = await a.editor.result(a.editor.command("glossator.undoTurn", undo))
        assert (undone["removed"], undone["failed"]) == (["made/new.txt"], [])
        assert not (tmp_path / "made").exists()
        assert a.desk.texts == {}


async def test_undo_gives_an_open_document_its_text_back(calc: Path) -> None:
    async with acting(calc.parent, FIX) as a:
        uri = a.desk.open(calc)
        answer = await a.asked()
        undo = {"sessionId": answer["sessionId"]}
        undone = await a.editor.result(a.editor.command("glossator.undoTurn", undo))
        assert undone["restored"] == ["calc.py"]
        assert a.desk.texts[uri] == CALC
        undo["turn"] = undone["turn"]
        redone = await a.editor.result(a.editor.command("glossator.undoTurn", undo))
        assert redone["restored"] == ["calc.py"]
        assert "a + c" in a.desk.texts[uri]


def typing(a: Acting, uri: str, old: str, new: str, *, late: bool = False) -> None:
    """The user types while the first edit is on its way; `late`: that is told after the answer."""

    def apply(params: Message) -> Message:
        a.editor.answers["workspace/applyEdit"] = a.desk.apply
        a.desk.tells_late = late
        a.desk.type(uri, old, new)
        return a.desk.apply(params)

    a.editor.answers["workspace/applyEdit"] = apply


def saved(path: Path) -> str:
    return path.read_text()


def bytes_of(path: Path) -> bytes:
    return path.read_bytes()


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777
