"""Hover, and what the editor tells of files."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from glossator.lsp import features
from glossator.lsp.features import build_server
from glossator.workspace.documents.host import WorkspaceHost
from tests.lsp.support.editor import Editor, connected
from tests.lsp.support.service import SERVICE, Application
from tests.workspace.files.trees import write_tree

DOCUMENT = "untitled:a"


async def hover(editor: Editor, line: int) -> Any:
    position = {"line": line, "character": 0}
    return await editor.result(
        editor.ask("textDocument/hover", {"textDocument": {"uri": DOCUMENT}, "position": position})
    )


async def test_hover(editor: Editor) -> None:
    editor.open(DOCUMENT, "one\ntwo\n")
    shown = await hover(editor, 1)
    assert shown["contents"] == {"kind": "markdown", "value": "*two*"}
    assert shown["range"]["start"] == {"line": 1, "character": 0}
    assert shown["range"]["end"]["line"] == 1
    editor.notify("textDocument/didClose", {"textDocument": {"uri": DOCUMENT}})
    assert await hover(editor, 1) is None


async def test_hover_is_plain_where_markdown_is_not_known(raw: Editor) -> None:
    await raw.initialize({"textDocument": {"hover": {"contentFormat": ["plaintext"]}}})
    raw.open(DOCUMENT, "one\n")
    assert (await hover(raw, 0))["contents"] == {"kind": "plaintext", "value": "one"}


async def test_what_the_editor_sees_on_disk_reaches_the_workspace(tmp_path: Path) -> None:
    changed: list[AbstractSet[str]] = []
    hosts: list[WorkspaceHost] = []

    class Listening(Application):
        async def start(self) -> None:  # no watcher of our own: only the editor tells
            hosts.append(self.host)
            self.host.subscribe(changed.append)

    service = replace(SERVICE, application=Listening)  # type: ignore[arg-type]  # the small application stands in for the real one
    async with connected(build_server(lambda: service)) as editor:
        await editor.initialize(rootUri=tmp_path.as_uri())
        names = ["changed", "made", "old", "new", "gone"]
        uris = {name: (tmp_path / name).as_uri() for name in names}
        before = ["changed", "old", "gone"]
        write_tree(tmp_path, dict.fromkeys(before, "before"))
        editor.notify("workspace/didCreateFiles", {"files": [{"uri": uris[f]} for f in before]})
        await editor.result(editor.command("glossator.status"))
        changed.clear()
        write_tree(tmp_path, {"changed": "after", "made": ""})
        (tmp_path / "old").rename(tmp_path / "new")
        (tmp_path / "gone").unlink()
        watched = [{"uri": uris["changed"], "type": 2}, {"uri": "untitled:x", "type": 1}]
        editor.notify("workspace/didChangeWatchedFiles", {"changes": watched})
        editor.notify("workspace/didCreateFiles", {"files": [{"uri": uris["made"]}]})
        renamed = {"oldUri": uris["old"], "newUri": uris["new"]}
        editor.notify("workspace/didRenameFiles", {"files": [renamed]})
        editor.notify("workspace/didDeleteFiles", {"files": [{"uri": uris["gone"]}]})
        await editor.result(editor.command("glossator.status"))
        moved = {Path(path).name for path in hosts[-1].moves}
    assert moved == {"old", "new", "gone"}
    told = frozenset().union(*changed)
    assert told == {str(tmp_path / name) for name in names}


async def test_saving_and_closing_give_the_disk_its_word_back(
    editor: Editor, tmp_path: Path
) -> None:
    path = tmp_path / "file.txt"
    path.write_text("disk")
    uri = path.as_uri()
    editor.open(uri, "editor")
    document = {"textDocument": {"uri": uri}}
    editor.notify("textDocument/didSave", document)
    unsaved = await editor.result(editor.command("glossator.tool", {"name": uri}))
    assert (unsaved["text"], unsaved["version"]) == ("editor", 1)
    editor.notify("textDocument/didClose", document)
    closed = await editor.result(editor.command("glossator.tool", {"name": uri}))
    assert (closed["text"], closed["version"]) == ("disk", None)


def test_each_feature_is_registered() -> None:
    modules = [
        import_module(f"{features.__name__}.{each.name}")
        for each in iter_modules(features.__path__)
    ]
    assert {each for each in modules if hasattr(each, "register")} == set(features._FEATURES)
