"""MCP servers at a terminal: list, adopt or forget, log in or out, start again; being one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from glossator.cli.asking import Command, ask_server, show_adopted
from glossator.cli.context import add_switches
from glossator.cli.messages import NO_MCP_SERVERS, plural
from glossator.cli.options import CommonOptions, a_sub_command_follows, with_options
from glossator.cli.render import Column, Display, Part, Styled, Table, line, listed
from glossator.mcp import McpServerList, McpServerView, McpState

_LISTING = Command("glossator.listMcpServers", {"wait": True})

mcp = typer.Typer(
    help="List the MCP servers with their state, or work on one.", invoke_without_command=True
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The server, as the list names it.")]


@mcp.callback()
@with_options
def list_servers(context: typer.Context, *, common: CommonOptions) -> None:
    """List the MCP servers with their state, or work on one."""
    if not a_sub_command_follows(context, common):
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


# For `--help` alone: `launch.py` starts it without typer.
@mcp.command()
def serve(
    folder: Annotated[
        Path | None,
        typer.Option(
            "--workspace", "-C", metavar="DIR", help="Folder; else the client's, or this one."
        ),
    ] = None,
    http: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Streamable HTTP on this machine, with a token."),
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the token there, and print none.")
    ] = None,
    *,
    remember: Annotated[
        bool, typer.Option("--remember", help="Offer remember_fact, which adds facts.")
    ] = False,
) -> None:
    """Be an MCP server: Glossator's reading tools for other agents.

    It talks over the standard streams unless --http is given; docs/mcp.md has the lines for Claude
    Code, Cursor, Codex and opencode.
    """


add_switches(mcp, ("mcp",), "a server", _LISTING)


_STYLES = {McpState.READY: "green", McpState.WRONG: "red", McpState.WAITING: "red"}


def mcp_parts(answer: object) -> Iterator[Part]:
    """A row for each server, and what is wrong with files that propose some."""
    if not isinstance(answer, McpServerList):
        return
    columns = (Column(style="bold", whole=True), Column(whole=True), Column(), Column(style="dim"))
    yield listed(Table(columns, tuple(map(_server, answer.servers))), NO_MCP_SERVERS)
    for problem in answer.problems:
        yield line(problem, "yellow", aside=True)


def _server(server: McpServerView) -> tuple[str | Styled, ...]:
    counts = ", ".join(
        plural(count, what)
        for count, what in (
            (server.tools, "tool"),
            (server.prompts, "prompt"),
            (server.resources, "resource"),
        )
        if count
    )
    gets = f" (gets {', '.join(server.variables)})" if server.variables else ""
    return (
        server.name,
        Styled(server.state, _STYLES.get(server.state, "yellow")),
        "; ".join(filter(None, (counts, server.why))),
        f"{server.source}: {server.description}{gets}",
    )
