"""Document symbols and workspace symbols: when they are offered, and what they are."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from glossator.lsp.features import build_server
from tests.lsp.support.editor import Editor, connected

DOCUMENTS, WORKSPACE = "textDocument/documentSymbol", "workspace/symbol"
BOTH = {"symbols": {"documentSymbol": True, "workspaceSymbol": True}}
DYNAMIC = {
    "workspace": {"symbol": {"dynamicRegistration": True}},
    "textDocument": {"documentSymbol": {"dynamicRegistration": True}},
}
FISH = """\
class Fish:
    depth = 3

    def swim(self):
        def stroke(): ...


été = "🐟"
"""


@asynccontextmanager
async def editing(
    root: Path, settings: dict[str, Any], capabilities: dict[str, Any]
) -> AsyncIterator[tuple[Editor, dict[str, Any]]]:
    """An editor on the real service, and what it was offered."""
    async with connected(build_server()) as editor:
        editor.answers["client/registerCapability"] = None
        editor.answers["window/workDoneProgress/create"] = None
        result = await editor.initialize(
            capabilities,
            rootUri=root.as_uri(),
            initializationOptions={"settings": {"models": {"offline": True}} | settings},
        )
        yield editor, result["capabilities"]
        await editor.shut_down()


@pytest.mark.parametrize(
    ("settings", "offered"),
    [({}, []), (BOTH, [DOCUMENTS, WORKSPACE]), ({"symbols": {"documentSymbol": 3}}, [])],
)
async def test_offered_at_once_by_the_clients_own_settings(
    tmp_path: Path, settings: dict[str, Any], offered: list[str]
) -> None:
    async with editing(tmp_path, settings, {}) as (_, capabilities):
        found = {
            DOCUMENTS: capabilities.get("documentSymbolProvider"),
            WORKSPACE: capabilities.get("workspaceSymbolProvider"),
        }
        assert [method for method, options in found.items() if options] == offered


async def test_registered_where_the_client_can(tmp_path: Path) -> None:
    async with editing(tmp_path, BOTH, DYNAMIC) as (editor, capabilities):
        assert "documentSymbolProvider" not in capabilities
        assert "workspaceSymbolProvider" not in capabilities
        asked = await editor.told("client/registerCapability", WORKSPACE)
        methods = {item["method"] for item in asked["params"]["registrations"]}
        assert methods == {DOCUMENTS, WORKSPACE}


async def test_not_registered_unless_set(tmp_path: Path) -> None:
    async with editing(tmp_path, {}, DYNAMIC) as (editor, _):
        await editor.result(editor.command("glossator.status", {"wait": True}))
        assert editor.sent("client/registerCapability") == []


def name_of(text: str, symbol: dict[str, Any], edges: str = "selectionRange") -> str:
    """What the lines of `text` hold at the symbol's range; positions count UTF-16 units."""
    start, end = symbol[edges]["start"], symbol[edges]["end"]
    assert start["line"] == end["line"]
    line: bytes = text.split("\n")[start["line"]].encode("utf-16-le")
    return line[2 * start["character"] : 2 * end["character"]].decode("utf-16-le")


async def test_document_symbols_as_a_tree(tmp_path: Path) -> None:
    trees = {"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}}
    async with editing(tmp_path, BOTH, trees) as (editor, _):
        uri = (tmp_path / "fish.py").as_uri()
        editor.open(uri, FISH)
        document = {"textDocument": {"uri": uri}}
        roots = await editor.result(editor.ask(DOCUMENTS, document))

        def names(symbols: list[Any]) -> list[Any]:
            return [
                (symbol["name"], symbol["kind"], names(symbol["children"])) for symbol in symbols
            ]

        (fish, *constants) = names(roots)
        assert fish[:2] == ("Fish", 5)
        assert ("swim", 6, [("stroke", 12, [])]) in fish[2]
        assert [name for name, *_ in constants] == ["été"]
        for symbol in (*roots, *roots[0]["children"]):
            assert name_of(FISH, symbol) == symbol["name"]
        assert roots[0]["range"] == {
            "start": {"line": 0, "character": 0},
            "end": {"line": 4, "character": 25},
        }
        unknown = {"textDocument": {"uri": "untitled:x"}}
        assert await editor.result(editor.ask(DOCUMENTS, unknown)) == []


async def test_older_clients_get_a_list(tmp_path: Path) -> None:
    async with editing(tmp_path, BOTH, {}) as (editor, _):
        editor.open("untitled:fish.py", FISH)
        document = {"textDocument": {"uri": "untitled:fish.py"}}
        symbols = await editor.result(editor.ask(DOCUMENTS, document))
        (swim,) = [symbol for symbol in symbols if symbol["name"] == "swim"]
        assert swim["containerName"] == "Fish"
        assert swim["location"]["range"]["start"] == {"line": 3, "character": 0}


async def test_workspace_symbols(tmp_path: Path) -> None:
    (tmp_path / "water.ts").write_text(
        "export class WaterTank {}\nexport function waterLevelOf() {}\nexport function sow() {}\n"
        "/* 🐟 */ export class Größe {}\n"
    )
    (tmp_path / "notes.md").write_text("# Water\n")
    (tmp_path / "fish.py").write_text("def old_water(): ...\n")
    progress = {"window": {"workDoneProgress": True}}
    async with editing(tmp_path, BOTH, progress) as (editor, _):

        async def found(query: str) -> list[str]:
            symbols = await editor.result(editor.ask(WORKSPACE, {"query": query}))
            assert all(name_of_location(symbol) == symbol["name"] for symbol in symbols)
            return [symbol["name"] for symbol in symbols]

        def name_of_location(symbol: dict[str, Any]) -> str:
            path = tmp_path / symbol["location"]["uri"].rpartition("/")[2]
            text = FISH if path.name == "fish.py" and opened else path.read_text()
            return name_of(text, symbol["location"], "range")

        opened = False
        assert await found("water") == ["WaterTank", "waterLevelOf", "old_water"]
        assert await found("WATERL") == ["waterLevelOf"]
        assert await found("wlo") == ["waterLevelOf"]
        assert await found("ow") == ["sow", "old_water"]
        assert await found("zzz") == []
        assert len(await found("")) == 5
        opened = True
        editor.open((tmp_path / "fish.py").as_uri(), FISH)
        assert await found("old_water") == []
        assert await found("swim") == ["swim"]
        assert await found("größe") == ["Größe"]
        assert await found("a.*|(") == []
        new = tmp_path / "new.go"
        new.write_text("package x\nfunc Whale() {}\n")
        changes = {"changes": [{"uri": new.as_uri(), "type": 1}]}
        editor.notify("workspace/didChangeWatchedFiles", changes)
        assert await found("whale") == ["Whale"]
        new.unlink()
        changes = {"changes": [{"uri": new.as_uri(), "type": 3}]}
        editor.notify("workspace/didChangeWatchedFiles", changes)
        assert await found("whale") == []
