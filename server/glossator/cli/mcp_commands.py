"""The commands about MCP servers: list them, adopt or forget one, start one again."""

from __future__ import annotations

from typing import Annotated

import typer

from glossator.cli.asking import Command, ask_server
from glossator.cli.options import CommonOptions, with_options
from glossator.core.errors import UsageError

mcp = typer.Typer(
    help="List the MCP servers with their state, or work on one.",
    invoke_without_command=True,
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The server, as the list names it.")]


@mcp.callback()
@with_options
def list_servers(
    context: typer.Context,
    *,
    common: CommonOptions,
) -> None:
    """List the MCP servers with their state, or work on one."""
    if context.invoked_subcommand is not None:
        if common != CommonOptions():
            raise UsageError(f"Write the options after `{context.invoked_subcommand}`.")
        return
    ask_server(context, common, Command("glossator.listMcpServers", {"wait": True}))


@mcp.command()
@with_options
def adopt(context: typer.Context, name: Name, *, common: CommonOptions) -> None:
    """Let a server run that the workspace proposes, after a look at what it would run."""
    ask_server(context, common, Command("glossator.adoptMcpServer", {"name": name}))


@mcp.command()
@with_options
def forget(context: typer.Context, name: Name, *, common: CommonOptions) -> None:
    """Take back that a server was adopted, and end it."""
    ask_server(context, common, Command("glossator.forgetMcpServer", {"name": name}))


@mcp.command()
@with_options
def restart(context: typer.Context, name: Name, *, common: CommonOptions) -> None:
    """Start a server again, and say what comes of it."""
    ask_server(context, common, Command("glossator.restartMcpServer", {"name": name}))
