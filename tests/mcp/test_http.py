"""Servers at an address, on loopback: headers, failures and both forms of the protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import pytest
import uvicorn
from aiohttp import web
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel

from glossator.core.errors import UsageError
from glossator.core.question import QuestionAnswer
from glossator.mcp.answers import McpState
from tests.mcp.hubs import hub
from tests.patience import until

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@asynccontextmanager
async def listening(handler: Handler) -> AsyncIterator[str]:
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(application, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/mcp"
    finally:
        await runner.cleanup()


class Nights(BaseModel):
    nights: int


def ask_nights() -> Elicit[Nights]:
    return Elicit("How many nights?", Nights)


class Older:
    """A server of 2025-11-25 that answers in JSON; `answer` handles its requests."""

    def __init__(self, words: str = "hello") -> None:
        self.words = words
        self.keys: list[str | None] = []

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.keys.append(request.headers.get("X-Key"))
        if request.method != "POST":
            return web.Response(status=405)
        message = await request.json()
        if "id" not in message:
            return web.Response(status=202)
        told: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        result = self.result(message["method"])
        if result is None:
            told["error"] = {"code": -32601, "message": "There is no such method"}
        else:
            told["result"] = result
        return web.json_response(told)

    def result(self, method: str) -> dict[str, Any] | None:
        match method:
            case "initialize":
                return {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "older", "version": "1"},
                }
            case "tools/list":
                return {"tools": [{"name": "say", "inputSchema": {"type": "object"}}]}
            case "tools/call":
                return {"content": [{"type": "text", "text": self.words}]}
        return None


async def test_an_older_server(tmp_path: Path) -> None:
    server = Older()
    async with listening(server.answer) as url:
        given = {"url": url, "headers": {"X-Key": "${KEY}"}}
        async with hub({"web": given}, environment={"KEY": "secret"}) as h:
            assert h.view("web").state is McpState.READY, h.told
            assert h.view("web").version == "2025-11-25"
            assert h.view("web").variables == ("KEY",)
            assert (await h.call("mcp__web__say"))[0].text == "hello"
    assert set(server.keys) == {"secret"}


class Odd(Older):
    """It answers in JSON or, if it `streams`, in events, and offers tools that are too deep."""

    def __init__(self, *, streams: bool) -> None:
        super().__init__()
        self.streams = streams

    async def answer(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json() if request.method == "POST" else {}
        answered = await super().answer(request)
        if "id" not in asked or not isinstance(answered, web.Response):
            return answered
        text = answered.text or ""
        for depth in (200, 100_000):
            text = text.replace(f'"nested {depth} deep"', "[" * depth + "]" * depth)
        if asked.get("params", {}).get("name") == "giant":
            text = text.replace("hello", "x" * 17_000_000)
        if not self.streams:
            return web.Response(text=text, content_type="application/json")
        events = [text]
        if asked.get("params", {}).get("name") == "flooding":
            token = asked["params"]["_meta"]["progressToken"]
            params = {"progressToken": token, "progress": 1, "message": "on"}
            told = {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
            events = [*[json.dumps(told)] * 5_000, text]
        body = "".join(f"event: message\ndata: {each}\n\n" for each in events)
        return web.Response(text=body, content_type="text/event-stream")

    def result(self, method: str) -> dict[str, Any] | None:
        if method != "tools/list":
            return super().result(method)
        names = ("say", "giant", "flooding")
        odd = {
            f"deep_{n}": {"type": "object", "default": f"nested {n} deep"} for n in (200, 100_000)
        }
        schemas = {**{name: {"type": "object"} for name in names}, **odd, "no_type": {}}
        return {"tools": [{"name": name, "inputSchema": each} for name, each in schemas.items()]}


@pytest.mark.parametrize("streams", [False, True])
async def test_what_is_too_much_costs_nothing_else(tmp_path: Path, *, streams: bool) -> None:
    async with listening(Odd(streams=streams).answer) as url, hub({"web": {"url": url}}) as h:
        assert h.view("web").state is McpState.READY, h.told
        assert {tool.own for tool in h.servers.tools()} == {"say", "giant", "flooding"}
        left_out = ", ".join(h.servers.connected("web").offer.left_out)
        for depth in (200, 100_000):
            assert f"the tool deep_{depth} (it is nested more than 50 deep)" in left_out
        assert "the tool no_type (it breaks the protocol" in left_out
        with pytest.raises(UsageError, match=r"16,?000,?000 byte"):
            await h.call("mcp__web__giant")
        assert (await h.call("mcp__web__flooding"))[0].text == "hello"
        assert len(h.progress) < 1_000
        assert (await h.call("mcp__web__say"))[0].text == "hello"
        assert h.told == []


async def test_a_key_follows_no_redirect(tmp_path: Path) -> None:
    elsewhere = Older()
    async with listening(elsewhere.answer) as other:

        async def redirect(_request: web.Request) -> web.StreamResponse:
            raise web.HTTPTemporaryRedirect(other)

        async with listening(redirect) as url:
            given = {"url": url, "headers": {"X-Key": "secret"}}
            async with hub({"web": given}) as h:
                assert h.view("web").state is McpState.WAITING
    assert elsewhere.keys == []


@pytest.mark.parametrize("status", [401, 404, 500])
async def test_a_refusal_is_told_once(tmp_path: Path, status: int) -> None:
    async def refuse(_request: web.Request) -> web.StreamResponse:
        return web.Response(status=status)

    async with listening(refuse) as url, hub({"web": {"url": url}}) as h:
        assert h.view("web").state is McpState.WAITING
        assert len(h.told) == 1
        assert "The MCP server web is not connected" in h.told[0]
        if status == 401:
            assert "a key in its headers, or a login" in h.told[0]


async def test_nobody_listens(tmp_path: Path) -> None:
    async with hub({"web": {"url": "http://127.0.0.1:1/mcp"}}) as h:
        assert h.view("web").state is McpState.WAITING
        assert len(h.told) == 1


async def test_a_newer_server(tmp_path: Path) -> None:
    server = MCPServer("newer")

    @server.tool()
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    @server.tool()
    async def book(nights: Annotated[Nights, Resolve(ask_nights)]) -> str:
        """Book a room."""
        return f"booked for {nights.nights}"

    @server.tool()
    async def grow(context: Context) -> str:
        """Get another tool."""
        server.add_tool(add, name="add_more")
        await context.notify_tools_changed()
        return "grown"

    app = server.streamable_http_app()
    running = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="on"))
    serving = asyncio.create_task(running.serve())
    await until(lambda: running.started)
    port = running.servers[0].sockets[0].getsockname()[1]
    try:
        async with hub({"web": {"url": f"http://127.0.0.1:{port}/mcp"}}) as h:
            assert h.view("web").state is McpState.READY, h.told
            assert h.view("web").version == "2026-07-28"
            assert "5" in (await h.call("mcp__web__add", a=2, b=3))[0].text
            h.answers = [QuestionAnswer(words="3")]
            assert (await h.call("mcp__web__book"))[0].text == "booked for 3"
            await h.call("mcp__web__grow")
            await until(lambda: h.servers.tool("mcp__web__add_more") is not None)
    finally:
        running.should_exit = True
        await serving
