"""MCP servers: list them, adopt or forget what a workspace proposes, start one again."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from glossator.application import Application
from glossator.core.errors import UsageError
from glossator.core.mcp_answers import McpServerList
from glossator.core.question import Option, Question
from glossator.core.shown import shown

_PATIENCE = 60.0  # seconds for servers that are being connected

_ADOPT = Option("Adopt it", "It runs from now on, until anything of this changes.")
_NOT = Option("Do not run it")


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


async def list_mcp_servers(app: Application, request: ListMcpServersRequest) -> McpServerList:
    """The servers of the settings, and what the workspace proposes."""
    return await _listed(app, wait=request.wait)


async def adopt_mcp_server(app: Application, request: AdoptMcpServerRequest) -> McpServerList:
    """Let a proposed server run, if the user says so to all that it would run.

    Raises `UsageError` for one that is not proposed, that changed meanwhile, and without a yes.
    """
    spec = await app.mcp.proposal(request.name)
    gets = ", ".join(spec.variables)
    lines = (
        f"May the MCP server {shown(spec.name)} run? {shown(spec.file)} proposes it:",
        spec.words,
        *spec.details,
        f"It gets these variables of your environment: {shown(gets)}." if gets else "",
        "It runs outside any sandbox, with your rights."
        if spec.launch and spec.launch.command
        else "What the model asks of it goes to that address.",
    )
    question = Question("\n".join(filter(None, lines)), (_ADOPT, _NOT))
    answer = await app.port.ask_user(question)
    if _ADOPT.label not in answer.chosen:
        raise UsageError(
            f"{shown(spec.name)} was not adopted: nobody said yes. Run `glossator mcp adopt"
            f" {shown(spec.name)}` in a terminal, or adopt it in your editor."
        )
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


async def _listed(app: Application, *, wait: bool) -> McpServerList:
    await app.mcp.refresh()
    if wait:
        with suppress(TimeoutError):  # the list says which ones are being connected still
            await asyncio.wait_for(app.mcp.settled(), _PATIENCE)
    return app.mcp.listed()
