"""What the list of the window's sources offers for a server that asks for a login."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.commands.adoptions import (
    LoginMcpServerRequest,
    LogoutMcpServerRequest,
    login_mcp_server,
    logout_mcp_server,
)
from glossator.commands.answers.context import ContextAction, ContextSource, ContextState
from glossator.commands.context_sources import (
    ListContextRequest,
    SwitchContextRequest,
    list_context,
    switch_context,
)
from glossator.core.context_kinds import ContextKind
from tests.mcp.guarded_server import browse, guarded
from tests.stage import Stage, stage

LOGIN, LOGOUT = ContextAction.LOGIN, ContextAction.LOGOUT


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def server_of(s: Stage) -> ContextSource:
    listed = await list_context(s.app, ListContextRequest())
    return next(each for each in listed.sources if each.kind is ContextKind.MCP)


async def test_login_and_logout_are_offered(tmp_path: Path) -> None:
    async def agree(url: str) -> None:
        await browse(url)

    async with guarded() as server:
        settings = {"mcp": {"servers": {"web": {"url": server.url}}}}
        async with stage(tmp_path / "ws", {"a.py": ""}, (), settings) as s:
            await s.app.mcp.refresh()
            await s.app.mcp.settled()
            found = await server_of(s)
            assert found.state is ContextState.LOGIN
            assert found.why.startswith("It needs a login: run `glossator mcp login web`")
            assert {LOGIN, LOGOUT} & set(found.actions) == {LOGIN}
            s.port.browser = agree
            await login_mcp_server(s.app, LoginMcpServerRequest("web"))
            found = await server_of(s)
            assert found.state is ContextState.ON
            assert {LOGIN, LOGOUT} & set(found.actions) == {LOGOUT}
            off = SwitchContextRequest(ContextKind.MCP, "web", on=False)
            await switch_context(s.app, off)
            assert LOGOUT in (await server_of(s)).actions  # it is forgotten, on or off
            await logout_mcp_server(s.app, LogoutMcpServerRequest("web"))
            assert LOGOUT not in (await server_of(s)).actions
