"""Every command, declared once: what it is called, what handles it and where it is offered.

The server's capability, the wire types, the chat's `/` commands, the terminal and the table in
`docs/protocol.md` come from here; `make wire` writes what is kept in files. How VS Code offers them
says its client, in `src/commands/offered.json`. What a command takes and answers are the types of
its handler. Standard library only: `initialize`
names the commands before the rest of the server is imported.
"""

from __future__ import annotations

from glossator.commands.declaration import (
    Chat,
    CommandDeclaration,
    LineAction,
    by_name,
)
from glossator.commands.line_actions import (
    DOCUMENT,
    EDIT,
    EXPLAIN,
    EXPLORE_USAGE,
    FIX,
    REFACTOR,
    WRITE_TESTS,
)


def _on_lines(action: LineAction) -> CommandDeclaration:
    """The command of an action on lines."""
    return CommandDeclaration(
        action.command,
        action.title,
        "on_lines:explore_usage" if action is EXPLORE_USAGE else "on_lines:act_on_lines",
        progress=True,
        report=True,
        chat=(Chat(action.word, action.help.rstrip("."), words=True),),
        terminal=action.word,
        help=action.help,
        action=action,
    )


_ALL = (
    CommandDeclaration(
        "glossator.ask",
        "Ask",
        "ask:ask",
        progress=True,
        report=True,
        terminal="ask",
    ),
    CommandDeclaration(
        "glossator.newSession",
        "New session",
        "sessions:new_session",
        chat=(Chat("new", "Begin a new session"),),
    ),
    CommandDeclaration(
        "glossator.listSessions", "List sessions", "sessions:list_sessions", terminal="sessions"
    ),
    CommandDeclaration(
        "glossator.resumeSession",
        "Resume session",
        "sessions:resume_session",
        chat=(Chat("resume", "Go on with another session"),),
    ),
    CommandDeclaration(
        "glossator.renameSession",
        "Rename session",
        "sessions:rename_session",
        chat=(Chat("rename", "Give this session another title", words=True),),
        terminal="sessions rename",
    ),
    CommandDeclaration(
        "glossator.deleteSession",
        "Delete session",
        "sessions:delete_session",
        terminal="sessions delete",
    ),
    CommandDeclaration(
        "glossator.exportSession",
        "Export session",
        "sessions:export_session",
        chat=(Chat("export", "Write this session out as Markdown"),),
        terminal="sessions export",
    ),
    CommandDeclaration(
        "glossator.compact",
        "Compact",
        "compact:compact_session",
        chat=(Chat("compact", "Go on from a summary of this session"),),
        terminal="sessions compact",
    ),
    CommandDeclaration("glossator.rewind", "Go back", "rewind:rewind", terminal="sessions rewind"),
    CommandDeclaration(
        "glossator.retry",
        "Ask again",
        "rewind:retry",
        progress=True,
        report=True,
        chat=(Chat("retry", "Ask the last question again"),),
        terminal="retry",
    ),
    CommandDeclaration(
        "glossator.undoTurn",
        "Undo turn",
        "undo:undo_turn",
        chat=(Chat("undo", "Take back what the last turn changed"),),
        terminal="undo",
    ),
    CommandDeclaration(
        "glossator.redoTurn",
        "Redo turn",
        "undo:redo_turn",
        chat=(Chat("redo", "Do again what was undone last"),),
        terminal="redo",
    ),
    CommandDeclaration(
        "glossator.listTurns", "List turns", "undo:list_turns", terminal="sessions turns"
    ),
    CommandDeclaration(
        "glossator.showPlan",
        "Show the plan",
        "plans:show_plan",
    ),
    CommandDeclaration(
        "glossator.startPlan", "Start the plan", "plans:start_plan", progress=True, report=True
    ),
    CommandDeclaration(
        "glossator.setMode",
        "Set mode",
        "mode:set_mode",
        chat=(
            Chat("plan", "From now on only read, and end with a plan"),
            Chat("mode", "What is done unasked: plan, ask, acceptEdits or auto", words=True),
        ),
    ),
    CommandDeclaration(
        "glossator.listModels", "List models", "models:list_models", terminal="models"
    ),
    CommandDeclaration(
        "glossator.setModel",
        "Set model",
        "models:set_model",
        chat=(Chat("model", "Which model answers from now on", words=True),),
    ),
    _on_lines(EXPLAIN),
    _on_lines(FIX),
    _on_lines(EDIT),
    _on_lines(REFACTOR),
    _on_lines(DOCUMENT),
    _on_lines(WRITE_TESTS),
    _on_lines(EXPLORE_USAGE),
    CommandDeclaration(
        "glossator.gloss",
        "Gloss",
        "gloss:gloss",
        progress=True,
        report=True,
        terminal="gloss",
    ),
    CommandDeclaration(
        "glossator.showGloss",
        "Show gloss",
        "gloss:show_gloss",
    ),
    CommandDeclaration(
        "glossator.exploreWorkspace",
        "Explore workspace",
        "gloss:explore_workspace",
        progress=True,
        report=True,
        terminal="overview",
    ),
    CommandDeclaration(
        "glossator.explore",
        "Explore",
        "explore:explore",
        progress=True,
        report=True,
        chat=(Chat("explore", "Have a sub-agent find it out", words=True),),
        terminal="explore",
    ),
    CommandDeclaration(
        "glossator.listAgents",
        "List sub-agents",
        "sessions:list_agents",
        terminal="sessions agents",
    ),
    CommandDeclaration(
        "glossator.showAgent", "Show sub-agent", "sessions:show_agent", terminal="sessions agents"
    ),
    CommandDeclaration(
        "glossator.search",
        "Search",
        "search:search",
        progress=True,
        chat=(Chat("search", "Find places without asking a model", words=True),),
        terminal="search",
    ),
    CommandDeclaration(
        "glossator.generateContexts",
        "Generate contexts",
        "contexts:generate_contexts",
        terminal="contexts",
    ),
    CommandDeclaration(
        "glossator.estimateContexts",
        "Estimate contexts",
        "contexts:estimate_contexts",
        progress=True,
        terminal="contexts",
    ),
    CommandDeclaration(
        "glossator.exportContexts",
        "Export contexts",
        "contexts:share_contexts",
        terminal="contexts",
    ),
    CommandDeclaration(
        "glossator.importContexts",
        "Import contexts",
        "contexts:take_contexts",
        terminal="contexts",
    ),
    CommandDeclaration(
        "glossator.endBatches",
        "End batches",
        "contexts:end_batches",
        terminal="contexts",
    ),
    CommandDeclaration(
        "glossator.listCustomizations",
        "List skills, commands and sub-agents",
        "customizations:list_customizations",
        terminal="skills",
    ),
    CommandDeclaration(
        "glossator.showContext",
        "Show context",
        "show_context:show_context",
        chat=(Chat("context", "What is in the model's window, and why"),),
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
        terminal="memory edit",
    ),
    CommandDeclaration(
        "glossator.forgetMemory",
        "Forget memory",
        "memory:forget_memory",
        terminal="memory forget",
    ),
    CommandDeclaration(
        "glossator.summarise",
        "Summarise",
        "summarise:summarise_session",
        progress=True,
        chat=(Chat("summary", "What this session was about so far"),),
        terminal="sessions summary",
    ),
    CommandDeclaration(
        "glossator.listFacts",
        "List facts",
        "facts:list_facts",
        chat=(Chat("facts", "What earlier answers established, and whether it still holds"),),
        terminal="facts",
    ),
    CommandDeclaration(
        "glossator.forgetFact",
        "Forget fact",
        "facts:forget_fact",
        terminal="facts forget",
    ),
    CommandDeclaration(
        "glossator.pinFact",
        "Pin fact",
        "facts:pin_fact",
        terminal="facts pin",
        also=("facts unpin",),
    ),
    CommandDeclaration(
        "glossator.clearFacts",
        "Clear facts",
        "facts:clear_facts",
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
    CommandDeclaration(
        "glossator.toolOutput",
        "Output of a call",
        "outputs:tool_output",
    ),
    CommandDeclaration(
        "glossator.listJobs",
        "List background jobs",
        "outputs:list_jobs",
        chat=(Chat("jobs", "Commands in the background: look at one, or stop it"),),
    ),
    CommandDeclaration("glossator.showJob", "Output of a background job", "outputs:show_job"),
    CommandDeclaration("glossator.stopJob", "Stop background job", "outputs:stop_job"),
    CommandDeclaration("glossator.fileBefore", "File before a turn", "outputs:file_before"),
    CommandDeclaration("glossator.complete", "Complete", "complete:complete"),
    CommandDeclaration("glossator.tool", "Run a tool", "tool:tool", terminal="tool"),
    CommandDeclaration(
        "glossator.cancel",
        "Cancel",
        "cancel:cancel",
    ),
    CommandDeclaration("glossator.steer", "Steer", "steer:steer", terminal="chat"),
    CommandDeclaration(
        "glossator.listRules", "List permission rules", "rules:list_rules", terminal="rules"
    ),
    CommandDeclaration(
        "glossator.removeRule",
        "Remove permission rule",
        "rules:remove_rule",
        terminal="rules remove",
    ),
    CommandDeclaration(
        "glossator.rebuildIndex",
        "Rebuild index",
        "index:rebuild_index",
        chat=(Chat("index", "Bring the index up to date"),),
        terminal="index",
    ),
    CommandDeclaration(
        "glossator.status",
        "Status",
        "status:status",
        chat=(Chat("status", "What the server holds of the workspace"),),
        terminal="status",
    ),
    CommandDeclaration(
        "glossator.doctor",
        "Doctor",
        "doctor:doctor",
        chat=(Chat("doctor", "Check the set-up"),),
        terminal="doctor",
    ),
)

DECLARED = by_name(_ALL)
CHAT_COMMANDS = {chat: each.name for each in DECLARED.values() for chat in each.chat}
