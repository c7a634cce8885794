"""How MCP servers are listed."""

from __future__ import annotations

from collections.abc import Iterator

from glossator.cli.messages import NO_MCP_SERVERS, plural
from glossator.cli.render import Column, Part, Styled, Table, line, listed
from glossator.mcp import McpServerList, McpServerView, McpState

_STYLES = {McpState.READY: "green", McpState.WRONG: "red", McpState.WAITING: "red"}


def mcp_parts(answer: McpServerList) -> Iterator[Part]:
    """A row for each server, and what is wrong with files that propose some."""
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
