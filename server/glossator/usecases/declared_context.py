"""The commands about memories, hooks and MCP servers; a part of `declared.py`."""

from __future__ import annotations

from glossator.usecases.declaration import Chat, CommandDeclaration, Palette

OF_CONTEXT = (
    CommandDeclaration("glossator.listHooks", "List hooks", "hooks:list_hooks", terminal="hooks"),
    CommandDeclaration(
        "glossator.listMemories", "List memories", "memory:list_memories", terminal="memory"
    ),
    CommandDeclaration(
        "glossator.showMemory", "Show memory", "memory:show_memory", terminal="memory show"
    ),
    CommandDeclaration(
        "glossator.openMemory",
        "Open memory",
        "memory:open_memory",
        chat=(Chat("memory", "Open what is remembered from earlier sessions"),),
        palette=Palette("Open Memory…", "notebook"),
        terminal="memory edit",
    ),
    CommandDeclaration(
        "glossator.forgetMemory",
        "Forget memory",
        "memory:forget_memory",
        palette=Palette("Forget Memory…", "trash"),
        terminal="memory forget",
    ),
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
