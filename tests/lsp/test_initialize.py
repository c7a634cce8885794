"""`initialize`: roots, position encodings, what is offered, and settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glossator.commands.declared import DECLARED
from glossator.commands.loaded import COMMANDS
from tests.lsp.support.editor import Editor


async def status(editor: Editor) -> Any:
    return await editor.result(editor.command("glossator.status"))


def test_the_offered_commands_are_those_of_the_table() -> None:
    assert tuple(COMMANDS) == tuple(DECLARED)


def folder(path: Path) -> dict[str, str]:
    return {"uri": path.as_uri(), "name": path.name}


async def test_roots(raw: Editor, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    remote = {"uri": "vscode-vfs://github/x", "name": "x"}
    folders = [folder(one), folder(two), remote]
    await raw.initialize(workspaceFolders=folders, rootUri=tmp_path.as_uri())
    assert (await status(raw))["roots"] == [str(one), str(two)]
    event = {"added": [folder(tmp_path)], "removed": [folder(one)]}
    raw.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    assert sorted((await status(raw))["roots"]) == [str(tmp_path), str(two)]


@pytest.mark.parametrize("field", ["rootUri", "rootPath", "emptyFolders"])
async def test_the_older_fields(raw: Editor, tmp_path: Path, field: str) -> None:
    forms: dict[str, dict[str, Any]] = {
        "rootUri": {"rootUri": tmp_path.as_uri(), "rootPath": "/elsewhere"},
        "rootPath": {"rootPath": str(tmp_path)},
        "emptyFolders": {"workspaceFolders": [], "rootUri": tmp_path.as_uri()},
    }
    await raw.initialize(**forms[field])
    assert (await status(raw))["roots"] == [str(tmp_path)]


async def test_no_root_is_no_root(raw: Editor) -> None:
    await raw.initialize()
    assert (await status(raw))["roots"] == []


@pytest.mark.parametrize(
    ("offered", "chosen", "character"),
    [
        (None, "utf-16", 3),
        ([], "utf-16", 3),
        (["utf-7"], "utf-16", 3),
        (["utf-32", "utf-16"], "utf-32", 2),
        (["ebcdic", "utf-8", "utf-16"], "utf-8", 5),
    ],
)
async def test_the_clients_first_known_encoding_is_used(
    raw: Editor, offered: list[str] | None, chosen: str, character: int
) -> None:
    general = {"positionEncodings": offered} if offered is not None else {}
    result = await raw.initialize({"general": general})
    assert result["capabilities"]["positionEncoding"] == chosen
    assert (await status(raw))["encoding"] == chosen
    raw.open("untitled:a", "a\U0001f41fb")
    at = {"line": 0, "character": character}
    raw.change("untitled:a", 2, {"range": {"start": at, "end": at}, "text": "|"})
    read = await raw.result(raw.command("glossator.tool", {"name": "untitled:a"}))
    assert read["text"] == "a\U0001f41f|b"


async def test_what_is_offered(raw: Editor) -> None:
    operations = {"didCreate": True, "didRename": True, "didDelete": True}
    result = await raw.initialize({"workspace": {"fileOperations": operations}})
    offered = result["capabilities"]
    assert offered["textDocumentSync"] == {
        "openClose": True,
        "change": 2,
        "save": {"includeText": False},
    }
    assert offered["executeCommandProvider"] == {
        "commands": list(DECLARED),
        "workDoneProgress": True,
    }
    assert offered["hoverProvider"] is True
    assert set(offered["workspace"]["fileOperations"]) == set(operations)
    assert "notebookDocumentSync" not in offered


async def test_a_client_that_registers_the_commands_itself_is_named_none(raw: Editor) -> None:
    result = await raw.initialize({"experimental": {"glossator": {"commands": True}}})
    assert result["capabilities"]["executeCommandProvider"]["commands"] == []
    assert (await status(raw))["turns"] > 0  # they are there all the same


async def test_files_are_watched_where_the_client_can(raw: Editor) -> None:
    watches = {"didChangeWatchedFiles": {"dynamicRegistration": True}}
    await raw.initialize({"workspace": watches})
    asked = await raw.told("client/registerCapability")
    (registration,) = asked["params"]["registrations"]
    assert registration["method"] == "workspace/didChangeWatchedFiles"
    assert registration["registerOptions"] == {"watchers": [{"globPattern": "**/*"}]}


async def test_settings_of_the_client_are_used(raw: Editor) -> None:
    await raw.initialize(initializationOptions={"settings": {"limits": {"turns": 7}}})
    assert (await status(raw))["turns"] == 7


@pytest.mark.parametrize("settings", [{"limits": {"turns": 0}}, {"fish": 1}, ["limits"]])
async def test_settings_that_are_wrong_are_told_and_left_out(raw: Editor, settings: object) -> None:
    await raw.initialize(initializationOptions={"settings": settings})
    await raw.told("window/showMessage", "the editor's settings")
    assert (await status(raw))["turns"] == 40
