"""A login to an MCP server: the editor opens the browser, and what comes back is kept."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.lsp.support.editor import Editor, spawned
from tests.mcp.guarded_server import browse, guarded

LOGIN = "glossator.loginMcpServer"


@asynccontextmanager
async def editing(root: Path, url: str, window: dict[str, Any]) -> AsyncIterator[Editor]:
    """An editor with a server that asks for a login."""
    (root / "ws").mkdir()
    state = {"XDG_STATE_HOME": str(root / "state"), "XDG_CONFIG_HOME": str(root / "config")}
    async with spawned(module="glossator.lsp", env={**os.environ, **state}) as process:
        editor = process.editor
        await editor.initialize(
            {"window": window, "experimental": {"glossator": {"questions": True}}},
            workspaceFolders=[{"uri": (root / "ws").as_uri(), "name": "ws"}],
            initializationOptions={"settings": {"mcp": {"servers": {"web": {"url": url}}}}},
        )
        yield editor
        await editor.shut_down()


def states(answer: Any) -> list[tuple[str, str]]:
    return [(each["name"], each["state"]) for each in answer["servers"]]


async def test_the_editor_opens_the_browser(tmp_path: Path) -> None:
    async with (
        guarded() as server,
        editing(tmp_path, server.url, {"showDocument": {"support": True}}) as editor,
    ):
        listed = await editor.result(editor.command("glossator.listMcpServers", {"wait": True}))
        assert states(listed) == [("web", "needs login")]
        await editor.told("window/showMessage", "The MCP server web needs a login")
        command = editor.command(LOGIN, {"name": "web"})
        shown = await editor.told("window/showDocument")
        assert shown["params"]["external"] is True
        assert shown["params"]["uri"].startswith(f"{server.origin}/authorize?")
        editor.send({"jsonrpc": "2.0", "id": shown["id"], "result": {"success": True}})
        asked = await editor.told("glossator/question", "Log in to the MCP server web")
        assert "go back to your editor" in await browse(shown["params"]["uri"])
        cancelled = await editor.told("$/cancelRequest")
        assert cancelled["params"]["id"] == asked["id"]
        assert states(await editor.result(command)) == [("web", "ready")]
        out = await editor.result(editor.command("glossator.logoutMcpServer", {"name": "web"}))
        assert states(out) == [("web", "needs login")]


@pytest.mark.parametrize("window", [{}, {"showDocument": {"support": True}}])
async def test_an_editor_that_opens_none_shows_the_address(
    tmp_path: Path, window: dict[str, Any]
) -> None:
    async with guarded() as server, editing(tmp_path, server.url, window) as editor:
        command = editor.command(LOGIN, {"name": "web"})
        if window:
            shown = await editor.told("window/showDocument")
            editor.send({"jsonrpc": "2.0", "id": shown["id"], "result": {"success": False}})
        told = await editor.told("window/showMessage", "Open this address in your browser")
        await browse(told["params"]["message"].split()[-1])
        assert states(await editor.result(command)) == [("web", "ready")]


async def test_a_login_that_the_user_cancels(tmp_path: Path) -> None:
    async with guarded() as server, editing(tmp_path, server.url, {}) as editor:
        command = editor.command(LOGIN, {"name": "web"})
        told = await editor.told("window/showMessage", "Open this address")
        editor.cancel(command)
        code, _ = await editor.error(command)
        assert code == -32800
        address = told["params"]["message"].split()[-1]
        with pytest.raises(httpx2.ConnectError):  # nobody listens there any more
            await browse(address)
        assert not server.accounts.access
