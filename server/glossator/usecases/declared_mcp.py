"""The commands about MCP servers; `declared.py` has the rest. Standard library only."""

from __future__ import annotations

from glossator.usecases.declaration import CommandDeclaration

MCP_COMMANDS = (
    CommandDeclaration(
        "glossator.listMcpServers",
        "List MCP servers",
        "mcp_servers:list_mcp_servers",
        terminal="mcp",
    ),
    CommandDeclaration(
        "glossator.adoptMcpServer",
        "Adopt MCP server",
        "mcp_servers:adopt_mcp_server",
        terminal="mcp adopt",
    ),
    CommandDeclaration(
        "glossator.forgetMcpServer",
        "Forget MCP server",
        "mcp_servers:forget_mcp_server",
        terminal="mcp forget",
    ),
    CommandDeclaration(
        "glossator.restartMcpServer",
        "Restart MCP server",
        "mcp_servers:restart_mcp_server",
        terminal="mcp restart",
    ),
)
