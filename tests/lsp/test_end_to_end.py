"""The real server and service, driven by a client that is not ours."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, make_test_lsp_client

from tests.lsp.support.editor import spawned

pytestmark = pytest.mark.usefixtures("true_start")

SOURCE = '''\
"""Fish."""


def swim(depth: int) -> str:
    """Swim at a depth in metres."""
    return f"swims at {depth}"


print(swim(3))
'''


def make_client() -> LanguageClient:
    """pytest-lsp's client answers no `client/registerCapability`; ours accepts it."""
    client = make_test_lsp_client()
    client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda _params: None)
    return client


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]  # pytest-lsp left it untyped
    config=ClientServerConfig(
        server_command=[sys.executable, "-m", "glossator.lsp"], client_factory=make_client
    )
)
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    """Initialized on a workspace of one file, which is open."""
    path = tmp_path / "fish.py"
    path.write_text(SOURCE)
    params = types.InitializeParams(
        capabilities=pytest_lsp.client_capabilities("visual-studio-code"),
        initialization_options={"settings": {"models": {"offline": True}}},
        workspace_folders=[types.WorkspaceFolder(tmp_path.as_uri(), "fish")],
    )
    await lsp_client.initialize_session(params)
    document = types.TextDocumentItem(path.as_uri(), types.LanguageKind.Python, 1, SOURCE)
    lsp_client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    yield
    await lsp_client.shutdown_session()


async def run(client: LanguageClient, command: str, **argument: object) -> Any:
    params = types.ExecuteCommandParams(command, [argument])
    return await client.workspace_execute_command_async(params)


async def test_status_counts_the_workspace(client: LanguageClient, tmp_path: Path) -> None:
    status = await run(client, "glossator.status")
    assert status["roots"] == [str(tmp_path)]
    assert status["openDocuments"] == 1


async def test_hover_tells_of_the_symbol(client: LanguageClient, tmp_path: Path) -> None:
    params = types.HoverParams(
        types.TextDocumentIdentifier((tmp_path / "fish.py").as_uri()), types.Position(8, 7)
    )
    hover = await client.text_document_hover_async(params)
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "Swim at a depth in metres." in hover.contents.value
    assert hover.range is not None
    assert hover.range == types.Range(types.Position(8, 6), types.Position(8, 10))


async def test_an_explanation_from_the_light_bulb_cites_lines(tmp_path: Path) -> None:
    # lsprotocol takes a CodeAction with a command for a Command, so the raw client asks.
    uri = (tmp_path / "fish.py").as_uri()
    async with spawned(module="glossator.lsp") as process:
        editor = process.editor
        literals = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": [""]}}}
        await editor.initialize(
            {
                "textDocument": {"codeAction": literals},
                "experimental": {"glossator": {"events": True}},
            },
            workspaceFolders=[{"uri": tmp_path.as_uri(), "name": "fish"}],
            initializationOptions={"settings": {"models": {"offline": True}}},
        )
        editor.open(uri, SOURCE)  # exists in the editor alone
        ask = {
            "textDocument": {"uri": uri},
            "range": {"start": {"line": 3, "character": 0}, "end": {"line": 6, "character": 0}},
            "context": {"diagnostics": []},
        }
        actions = await editor.result(editor.ask("textDocument/codeAction", ask))
        assert [action["title"] for action in actions] == [
            "Explain with Glossator",
            "Explore usage with Glossator",
        ]  # without a model nothing is edited
        action = actions[0]
        explain = editor.ask("workspace/executeCommand", action["command"])
        answer = await editor.result(explain)
        assert (answer["offline"], answer["stop"]) == (True, "answered")
        assert {citation["status"] for citation in answer["citations"]} == {"read", "verified"}
        events = editor.sent("glossator/event")
        assert [event["seq"] for event in events] == list(range(len(events)))
        assert events[0]["kind"] == "run.started"
        assert events[-1] == {
            "runId": answer["runId"],
            "seq": len(events) - 1,
            "kind": "run.finished",
            "stop": "answered",
        }
        await editor.shut_down()
        assert await process.exit_code() == 0
        assert await process.errors() == ""


async def test_unsaved_text_is_what_tools_read(client: LanguageClient, tmp_path: Path) -> None:
    document = types.VersionedTextDocumentIdentifier(2, (tmp_path / "fish.py").as_uri())
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            document, [types.TextDocumentContentChangeWholeDocument("unsaved\n")]
        )
    )
    read = await run(client, "glossator.tool", name="Read", arguments={"path": "fish.py"})
    assert read["error"] is False, read["text"]
    assert "unsaved" in read["text"]
