"""Servers from PyPI, as people have them: time, git and fetch."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from glossator.mcp.answers import McpState
from tests.mcp.hubs import hub, real


@asynccontextmanager
async def page(text: str) -> AsyncIterator[str]:
    """A web page on loopback."""

    async def answer(request: web.Request) -> web.Response:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        return web.Response(text=f"<html><body>{text}</body></html>", content_type="text/html")

    application = web.Application()
    application.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


def commit(root: Path, message: str) -> None:
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", message]):
        subprocess.run([*git, *words], cwd=root, check=True)


async def test_three_servers_at_once(tmp_path: Path) -> None:
    commit(tmp_path, "The beginning")
    servers = {
        "time": real("time", "--local-timezone", "UTC"),
        "git": real("git", "--repository", "${workspaceFolder}"),
        "fetch": real("fetch", "--allow-private-ips"),
    }
    async with page("<h1>Hello</h1>") as address, hub(servers, (str(tmp_path),)) as h:
        views = {name: h.view(name) for name in servers}
        assert {view.state for view in views.values()} == {McpState.READY}, h.told
        assert {view.version for view in views.values()} == {"2026-07-28"}
        assert views["git"].tools > 5
        time, log, fetched = await asyncio.gather(
            h.call("mcp__time__get_current_time", timezone="Europe/Berlin"),
            h.call("mcp__git__git_log", repo_path=str(tmp_path)),
            h.call("mcp__fetch__fetch", url=address),
        )
        assert '"timezone": "Europe/Berlin"' in time[0].text
        assert "The beginning" in log[0].text
        assert "Hello" in fetched[0].text
        wrong, _ = await h.call("mcp__time__get_current_time", timezone="Nowhere")
        assert wrong.failed
