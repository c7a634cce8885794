"""MCP servers: list, adopt or forget what a workspace proposes, log in or out, start again."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from glossator.application import Application
from glossator.commands.adopting import may_run, watched
from glossator.core.shown import shown
from glossator.mcp import McpServerList, log_in, log_out

_PATIENCE = 60.0  # seconds for servers that are being connected


@dataclass(frozen=True, slots=True)
class ListMcpServersRequest:
    """With `wait`, the answer comes once each server is connected or has failed to."""

    wait: bool = False


@dataclass(frozen=True, slots=True)
class AdoptMcpServerRequest:
    """The name of a server that the workspace proposes; the user is asked, and shown all of it."""

    name: str


@dataclass(frozen=True, slots=True)
class ForgetMcpServerRequest:
    """The name of a server that was adopted; it is ended."""

    name: str


@dataclass(frozen=True, slots=True)
class RestartMcpServerRequest:
    """The name of a server that runs, or failed to."""

    name: str


@dataclass(frozen=True, slots=True)
class LoginMcpServerRequest:
    """The name of a server at an address; the user's browser is opened, and waited for."""

    name: str


@dataclass(frozen=True, slots=True)
class LogoutMcpServerRequest:
    """The name or the address of a server that the user logged in to; what was kept is deleted."""

    name: str


async def list_mcp_servers(app: Application, request: ListMcpServersRequest) -> McpServerList:
    """The servers of the settings, and what the workspace proposes."""
    return await _listed(app, wait=request.wait)


async def adopt_mcp_server(app: Application, request: AdoptMcpServerRequest) -> McpServerList:
    """Let a proposed server run, if the user says so to all that it would run.

    Without a yes the list stays as it is. Raises `UsageError` for one that is not proposed, or that
    changed meanwhile.
    """
    spec = await app.mcp.proposal(request.name)
    gets = ", ".join(spec.variables)
    program = spec.launch.command[0] if spec.launch and spec.launch.command else ""
    lines = (
        f"May the MCP server {shown(spec.name)} run? {shown(spec.file)} proposes it:",
        spec.words,
        f"Its program is {shown(program)}" if program else "",
        *spec.details,
        f"It gets these variables of your environment: {shown(gets)}." if gets else "",
        watched(app, spec.files) if program else "",
        "It runs outside any sandbox, with your rights."
        if program
        else "What the model asks of it goes to that address.",
    )
    if not await may_run(app, *lines):
        return await _listed(app, wait=False)
    await app.mcp.adopt(request.name, spec.sha256)
    return await _listed(app, wait=True)


async def forget_mcp_server(app: Application, request: ForgetMcpServerRequest) -> McpServerList:
    """Take an adoption back. Raises `UsageError` if there is none."""
    await app.mcp.forget(request.name)
    return app.mcp.listed()


async def restart_mcp_server(app: Application, request: RestartMcpServerRequest) -> McpServerList:
    """End a server and start it again. Raises `UsageError` for one that may not run."""
    await app.mcp.restart(request.name)
    return await _listed(app, wait=True)


async def login_mcp_server(app: Application, request: LoginMcpServerRequest) -> McpServerList:
    """Have the user log in to a server. Raises `UsageError` if nothing came of it."""
    await log_in(app.mcp, request.name, app.port.open_address, app.port.ask_user)
    return await _listed(app, wait=True)


async def logout_mcp_server(app: Application, request: LogoutMcpServerRequest) -> McpServerList:
    """Forget a login. Raises `UsageError` if there is none."""
    await log_out(app.mcp, request.name)
    return await _listed(app, wait=True)


async def _listed(app: Application, *, wait: bool) -> McpServerList:
    await app.mcp.refresh()
    if wait:
        with suppress(TimeoutError):  # the list says which ones are being connected still
            await asyncio.wait_for(app.mcp.settled(), _PATIENCE)
    return app.mcp.listed()
