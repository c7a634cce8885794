"""The commands about what goes into the window; a part of `declared.py`."""

from __future__ import annotations

from glossator.commands.declaration import Chat, CommandDeclaration, Menu, Palette

OF_CONTEXT = (
    CommandDeclaration(
        "glossator.showContext",
        "Show context",
        "show_context:show_context",
        chat=(Chat("context", "What is in the model's window, and why"),),
        palette=Palette(
            "Show Context",
            "layers",
            menus=(
                Menu("view/title", "1_session@4", "view == glossator.chat && !glossator.inEditor"),
                Menu("view/title", "navigation@1", "view == glossator.context"),
            ),
        ),
        terminal="sessions context",
    ),
    CommandDeclaration(
        "glossator.preview",
        "Preview what goes with a question",
        "preview:preview",
        also=("ask",),
    ),
    CommandDeclaration(
        "glossator.listContext",
        "List context",
        "context_sources:list_context",
        terminal="instructions",
    ),
    CommandDeclaration(
        "glossator.switchContext",
        "Turn context on or off",
        "context_sources:switch_context",
        also=tuple(
            f"{group} {word}"
            for group in ("hooks", "instructions", "mcp", "memory", "skills")
            for word in ("on", "off")
        ),
    ),
    CommandDeclaration("glossator.listHooks", "List hooks", "hooks:list_hooks", terminal="hooks"),
    CommandDeclaration(
        "glossator.adoptHook", "Adopt hook", "hooks:adopt_hook", terminal="hooks adopt"
    ),
    CommandDeclaration(
        "glossator.forgetHook", "Forget hook", "hooks:forget_hook", terminal="hooks forget"
    ),
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
        "glossator.summarise",
        "Summarise",
        "summarise:summarise_session",
        progress=True,
        chat=(Chat("summary", "What this session was about so far"),),
        palette=Palette("Summarise Session", "list-flat"),
        terminal="sessions summary",
    ),
    CommandDeclaration(
        "glossator.listFacts",
        "List facts",
        "facts:list_facts",
        chat=(Chat("facts", "What earlier answers established, and whether it still holds"),),
        palette=Palette("Show Facts…", "verified"),
        terminal="facts",
    ),
    CommandDeclaration(
        "glossator.forgetFact",
        "Forget fact",
        "facts:forget_fact",
        palette=Palette("Forget Fact…", "trash"),
        terminal="facts forget",
    ),
    CommandDeclaration(
        "glossator.pinFact",
        "Pin fact",
        "facts:pin_fact",
        palette=Palette("Pin Fact…", "pinned"),
        terminal="facts pin",
        also=("facts unpin",),
    ),
    CommandDeclaration(
        "glossator.clearFacts",
        "Clear facts",
        "facts:clear_facts",
        palette=Palette("Clear Facts…", "clear-all"),
        terminal="facts clear",
    ),
    CommandDeclaration(
        "glossator.exportFacts", "Export facts", "facts:export_facts", terminal="facts export"
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
        "glossator.loginMcpServer",
        "Log in to MCP server",
        "mcp_servers:login_mcp_server",
        progress=True,
        terminal="mcp login",
    ),
    CommandDeclaration(
        "glossator.logoutMcpServer",
        "Log out of MCP server",
        "mcp_servers:logout_mcp_server",
        terminal="mcp logout",
    ),
    CommandDeclaration(
        "glossator.restartMcpServer",
        "Restart MCP server",
        "mcp_servers:restart_mcp_server",
        terminal="mcp restart",
    ),
)
