"""A client of the protocol beside the server, in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from mcp.client import Client
from mcp_types import CallToolResult, ListRootsResult, Root, TextContent
from pydantic import FileUrl

from glossator.application import Application
from glossator.commands import COMMANDS
from glossator.mcp_server.server import GlossatorServer
from tests.quiet import quietly
from tests.standin import NAMED, Script, StandIn
from tests.workspace.files.trees import write_tree

Mode = Literal["legacy", "2026-07-28"]
LEGACY: Mode = "legacy"  # 2025-11-25, with the handshake that clients of today make


@dataclass
class Door:
    """A client, and what it names as its folders."""

    server: GlossatorServer
    roots: list[Path]
    asked: int = 0  # how often it named them
    client: Client = field(init=False)

    async def names(self, context: object) -> ListRootsResult:
        assert context
        self.asked += 1
        return ListRootsResult(roots=[Root(uri=FileUrl(path.as_uri())) for path in self.roots])

    async def call(self, name: str, /, **arguments: Any) -> CallToolResult:
        return await self.client.call_tool(name, arguments)

    async def text(self, name: str, /, **arguments: Any) -> str:
        return text_of(await self.call(name, **arguments))

    async def structured(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        result = await self.call(name, **arguments)
        assert not result.is_error, text_of(result)
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    async def app(self) -> Application:
        """The application on the current folders."""
        return await self.server.folders.app()

    async def tools(self) -> dict[str, Any]:
        return {each.name: each for each in (await self.client.list_tools()).tools}


def text_of(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


def write(root: Path, files: Mapping[str, str]) -> Path:
    write_tree(root, files)
    return root


async def gloss(d: Door, root: Path, name: str) -> None:
    """Keep a gloss of a file."""
    app = await d.app()
    await app.ready()
    command = COMMANDS["glossator.gloss"]
    await command.run(app, command.request(uri=(root / name).as_uri()))


@asynccontextmanager
async def door(
    root: Path,
    files: Mapping[str, str],
    settings: Mapping[str, Any] | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    mode: Mode = LEGACY,
    given: bool = True,
    remembers: bool = False,
) -> AsyncIterator[Door]:
    """A client of a server on `root`, which is `given`, or which the client names."""
    write(root, files)
    roots = (str(root),) if given else None
    server = GlossatorServer(roots, environment or {}, quietly(settings), remembers=remembers)
    shown = Door(server, [root])
    names = None if given else shown.names
    shown.client = Client(server.sdk, mode=mode, list_roots_callback=names, raise_exceptions=True)
    try:
        async with shown.client:
            yield shown
    finally:
        await server.close()


@asynccontextmanager
async def modelled(
    root: Path,
    files: Mapping[str, str],
    script: Script,
    settings: Mapping[str, Any] | None = None,
    *,
    remembers: bool = False,
) -> AsyncIterator[tuple[Door, StandIn]]:
    """The same with the stand-in as the model."""
    async with StandIn(script) as api:
        environment = {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": api.base_url, **NAMED}
        async with door(
            root, files, settings, environment=environment, remembers=remembers
        ) as opened:
            yield opened, api
        assert api.refusals == [], repr(api.refusals)
