"""Glosses in an editor: hovers, code lenses, reports as documents with links, refreshes."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from glossator.lsp.features import build_server
from tests.commands.test_gloss import FILES
from tests.lsp.support.editor import Editor, connected

CONTENT = "workspace/textDocumentContent"
SHOW, REFRESH = "window/showDocument", "workspace/textDocumentContent/refresh"
LENSES = "workspace/codeLens/refresh"
ABLE = {
    "workspace": {
        "textDocumentContent": {"dynamicRegistration": True},
        "codeLens": {"refreshSupport": True},
    },
    "window": {"showDocument": {"support": True}},
}
LINKS = {"experimental": {"glossator": {"links": True}}}


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@asynccontextmanager
async def editing(root: Path, capabilities: dict[str, Any]) -> AsyncIterator[Editor]:
    """An editor on the zoo, without a model."""
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    async with connected(build_server()) as editor:
        editor.answers |= {
            SHOW: {"success": True},
            REFRESH: None,
            LENSES: None,
            "client/registerCapability": None,
            "window/workDoneProgress/create": None,
        }
        settings = {"models": {"offline": True}, "symbols": {"codeLens": True}}
        await editor.initialize(
            capabilities,
            rootUri=root.as_uri(),
            clientInfo={"name": "Visual Studio Code"},
            initializationOptions={"settings": settings},
        )
        editor.open((root / "zoo/fish.py").as_uri(), FILES["zoo/fish.py"])
        yield editor
        await editor.shut_down()


async def glossed(editor: Editor, uri: str, line: int) -> Any:
    return await editor.result(editor.command("glossator.gloss", {"uri": uri, "line": line}))


async def hovered(editor: Editor, uri: str, line: int, character: int) -> str:
    where = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
    answer = await editor.result(editor.ask("textDocument/hover", where))
    return str(answer["contents"]["value"])


async def test_a_gloss_is_a_document_that_follows_the_text(tmp_path: Path) -> None:
    root = tmp_path / "work"
    uri = (root / "zoo/fish.py").as_uri()
    async with editing(root, ABLE | LINKS) as editor:
        assert "[explore](command:glossator.gloss?" in await hovered(editor, uri, 11, 5)
        answer = await glossed(editor, uri, 12)
        shown = await editor.told(SHOW)
        report = shown["params"]["uri"]
        assert report == answer["document"]
        text = (await editor.result(editor.ask(CONTENT, {"uri": report})))["text"]
        assert "# Function `splash` in `zoo/fish.py`" in text
        links = await editor.result(
            editor.ask("textDocument/documentLink", {"textDocument": {"uri": report}})
        )
        assert links[0]["target"] == f"{uri}#L12-L13"
        lines = text.splitlines()
        first = links[0]["range"]["start"], links[0]["range"]["end"]
        row = lines[first[0]["line"]]
        assert row[first[0]["character"] : first[1]["character"]] == "zoo/fish.py:12-13"
        assert "fresh" in await hovered(editor, uri, 11, 5)
        began = time.monotonic()
        edit = {"start": {"line": 12, "character": 0}, "end": {"line": 12, "character": 4}}
        editor.change(uri, 2, {"range": edit, "text": "\t"})
        await editor.told(REFRESH, report)
        await editor.told(LENSES)
        assert time.monotonic() - began < 1
        said = await hovered(editor, uri, 11, 5)
        assert "*Gloss, stale: 1 cited line changed* · extracted without a model" in said
        link = said.partition("command:glossator.showGloss?")[2].partition(")")[0]
        (argument,) = json.loads(unquote(link))
        again = await editor.result(editor.command("glossator.showGloss", argument))
        assert again["state"] == "stale: 1 cited line changed"
        assert await hovered(editor, uri, 6, 9)  # another symbol, no gloss


async def test_a_gloss_goes_with_a_file_that_the_editor_renames(tmp_path: Path) -> None:
    root = tmp_path / "work"
    old, new = ((root / name).as_uri() for name in ("zoo/fish.py", "zoo/carp.py"))
    async with editing(root, ABLE) as editor:
        await glossed(editor, old, 12)
        report = (await editor.told(SHOW))["params"]["uri"]
        await editor.result(editor.ask(CONTENT, {"uri": report}))
        (root / "zoo/fish.py").rename(root / "zoo/carp.py")
        typed = FILES["zoo/fish.py"].replace("far * 2", "far * 3")  # and not saved
        editor.open(new, typed)
        editor.notify("textDocument/didClose", {"textDocument": {"uri": old}})
        files = [{"oldUri": old, "newUri": new}]
        editor.notify("workspace/didRenameFiles", {"files": files})
        await editor.told(REFRESH, report)
        text = (await editor.result(editor.ask(CONTENT, {"uri": report})))["text"]
        assert "# Function `splash` in `zoo/carp.py`" in text
        assert "stale: 1 cited line changed" in await hovered(editor, new, 11, 5)


async def test_code_lenses(tmp_path: Path) -> None:
    root = tmp_path / "work"
    uri = (root / "zoo/fish.py").as_uri()
    async with editing(root, {}) as editor:
        document = {"textDocument": {"uri": uri}}
        lenses = await editor.result(editor.ask("textDocument/codeLens", document))
        assert [lens["range"]["start"]["line"] for lens in lenses] == [3, 6, 11]
        seen = await editor.result(editor.ask("codeLens/resolve", lenses[2]))
        assert seen["command"]["title"] == "explore · 1 call"
        assert seen["command"]["command"] == "glossator.gloss"
        await glossed(editor, **seen["command"]["arguments"][0])
        seen = await editor.result(editor.ask("codeLens/resolve", lenses[2]))
        assert seen["command"]["title"] == "gloss · 1 call"
        assert editor.sent(LENSES) == []  # the client did not say that it can


async def test_lenses_follow_the_text_there_and_back(tmp_path: Path) -> None:
    root = tmp_path / "work"
    uri = (root / "zoo/fish.py").as_uri()
    async with editing(root, ABLE) as editor:
        await glossed(editor, uri, 12)
        lenses = await editor.result(
            editor.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})
        )

        async def becomes(title: str) -> None:
            while (await editor.result(editor.ask("codeLens/resolve", lenses[2])))["command"][
                "title"
            ] != title:
                await editor.told(LENSES)

        await becomes("gloss · 1 call")
        there = {"start": {"line": 12, "character": 0}, "end": {"line": 12, "character": 4}}
        editor.change(uri, 2, {"range": there, "text": "\t"})
        await becomes("gloss, stale: 1 cited line changed: explore again · 1 call")
        back = there | {"end": {"line": 12, "character": 1}}
        editor.change(uri, 3, {"range": back, "text": "    "})
        await becomes("gloss · 1 call")


async def test_other_clients_get_a_file(tmp_path: Path) -> None:
    root = tmp_path / "work"
    uri = (root / "zoo/fish.py").as_uri()
    async with editing(root, {}) as editor:
        await glossed(editor, uri, 12)
        told = await editor.told("window/showMessage", "Answer: ")
        path = Path(told["params"]["message"].removeprefix("Answer: "))
        text = await asyncio.to_thread(path.read_text)
        assert f"[`zoo/fish.py:12-13`]({uri}#L12)" in text
        editor.open(path.as_uri(), text)
        document = {"textDocument": {"uri": path.as_uri()}}
        links = await editor.result(editor.ask("textDocument/documentLink", document))
        assert {link["target"] for link in links} >= {f"{uri}#L12"}
        document = {"textDocument": {"uri": uri}}
        assert await editor.result(editor.ask("textDocument/documentLink", document)) == []


async def test_links_to_files_with_odd_names(tmp_path: Path) -> None:
    root = tmp_path / "work"
    (root / "(a)/[id]").mkdir(parents=True)
    (root / "(a)/[id]/__init__.py").write_text("def run(): ...\n")
    async with editing(root, ABLE) as editor:
        answer = await glossed(editor, (root / "(a)/[id]/__init__.py").as_uri(), 1)
        document = {"textDocument": {"uri": answer["document"]}}
        (link,) = await editor.result(editor.ask("textDocument/documentLink", document))
        assert link["target"].endswith("/%28a%29/%5Bid%5D/__init__.py#L1")


async def test_calls_are_asked_of_a_client_that_knows_them(tmp_path: Path) -> None:
    root = tmp_path / "work"
    uri, pond = ((root / name).as_uri() for name in ("zoo/fish.py", "pond.py"))
    async with editing(root, {"experimental": {"glossator": {"code": True}}}) as editor:
        editor.answers["glossator/code"] = {
            "by": "Desk",
            "places": [{"name": "noon", "uri": pond, "line": 3}],
        }
        answer = await glossed(editor, uri, 12)
        asked = editor.sent("glossator/code")
        at = {"uri": uri, "line": 11, "character": 4, "newName": "", "version": 1}
        assert asked == [{"kind": kind, **at} for kind in ("callers", "callees")]
        assert "- Called by `noon`. [cite: doc, pond.py, 4-4]" in answer["text"]
        editor.answers["glossator/code"] = {"places": 3}
        assert "- Called by `Fish.swim`." in (await glossed(editor, uri, 12))["text"]
