"""The commands about what goes into the window from files; a part of `declared.py`."""

from __future__ import annotations

from glossator.usecases.declaration import Chat, CommandDeclaration, Palette
from glossator.usecases.declared_mcp import MCP_COMMANDS

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
    *MCP_COMMANDS,
)
