"""The commands about MCP servers: list, adopt or forget, log in or out, start again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from glossator.cli.asking import Command, ask_server, show_adopted
from glossator.cli.options import CommonOptions, with_options
from glossator.cli.switches import add_switches
from glossator.core.errors import UsageError

if TYPE_CHECKING:
    from glossator.cli.render import Display
    from glossator.mcp import McpServerList

_LISTING = Command("glossator.listMcpServers", {"wait": True})

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
    ask_server(context, common, _LISTING)


@mcp.command()
@with_options
def adopt(context: typer.Context, name: Name, *, common: CommonOptions) -> None:
    """Let a server run that the workspace proposes, after a look at what it would run."""

    def show(display: Display, answer: McpServerList) -> bool:
        found = (each for each in answer.servers if each.name == name)
        adopted = any(each.adopted and each.state != "changed" for each in found)
        return show_adopted(display, answer, is_adopted=adopted)

    ask_server(context, common, Command("glossator.adoptMcpServer", {"name": name}), show)


@mcp.command()
@with_options
def forget(context: typer.Context, name: Name, *, common: CommonOptions) -> None:
    """Take back that a server was adopted, and end it."""
    ask_server(context, common, Command("glossator.forgetMcpServer", {"name": name}))


@mcp.command()
@with_options
def login(context: typer.Context, name: Name, *, common: CommonOptions) -> None:
    """Log in to a server that asks for it, in your browser."""
    ask_server(context, common, Command("glossator.loginMcpServer", {"name": name}))


@mcp.command()
@with_options
def logout(context: typer.Context, name: Name, *, common: CommonOptions) -> None:
    """Forget the login to a server; one that left the settings is named by its address."""
    ask_server(context, common, Command("glossator.logoutMcpServer", {"name": name}))


@mcp.command()
@with_options
def restart(context: typer.Context, name: Name, *, common: CommonOptions) -> None:
    """Start a server again, and say what comes of it."""
    ask_server(context, common, Command("glossator.restartMcpServer", {"name": name}))


add_switches(mcp, ("mcp",), "a server", _LISTING)
