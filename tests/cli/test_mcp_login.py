"""A login to an MCP server from the terminal, whose user has a browser, or pastes the address."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.cli.terminal import Terminal, at_terminal
from tests.mcp.guarded_server import ends_at, guarded

BROWSER = """#!{python}
import sys, urllib.request
urllib.request.urlopen(sys.argv[1]).read()
"""


@asynccontextmanager
async def program(root: Path, url: str, *words: str, **env: str) -> AsyncIterator[Terminal]:
    folders = {"XDG_CONFIG_HOME": str(root / "config"), "XDG_STATE_HOME": str(root / "state")}
    config = root / "config" / "glossator" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f'[mcp.servers.web]\nurl = "{url}"\n')
    (root / "ws").mkdir(exist_ok=True)
    arguments = ["-m", "glossator", "mcp", *words]
    env = {"DISPLAY": "", "WAYLAND_DISPLAY": "", **env}
    async with at_terminal(arguments, root / "ws", {**folders, **env}) as terminal:
        yield terminal


async def test_a_browser_is_opened(tmp_path: Path) -> None:
    opener = tmp_path / "bin" / "xdg-open"
    opener.parent.mkdir()
    opener.write_text(BROWSER.format(python=sys.executable))
    opener.chmod(0o755)
    path = f"{opener.parent}{os.pathsep}{os.environ['PATH']}"
    async with guarded() as server:
        async with program(
            tmp_path, server.url, "login", "web", DISPLAY=":7", PATH=path
        ) as terminal:
            await terminal.until("Open this address in your browser:")
            await terminal.until("web  ready  1 tool")
            assert await terminal.ended() == 0
        async with program(tmp_path, server.url) as terminal:
            await terminal.until("web  ready  1 tool")
        async with program(tmp_path, server.url, "logout", "web") as terminal:
            await terminal.until("web  needs login")
            assert await terminal.ended() == 0
        async with program(tmp_path, server.url, "logout", "web") as terminal:
            await terminal.until("You are not logged in to web")
            assert await terminal.ended() == 1


async def test_the_address_is_pasted(tmp_path: Path) -> None:
    async with guarded() as server, program(tmp_path, server.url, "login", "web") as terminal:
        asked = await terminal.until("gives no answer.\n> ")
        found = re.search(r"(http://\S+/authorize\?\S+)\n", asked)
        assert found is not None
        addresses: list[str] = []
        await ends_at(addresses)(found[1])
        terminal.type(f"{addresses[0]}\n")
        await terminal.until("web  ready  1 tool")
        assert await terminal.ended() == 0
