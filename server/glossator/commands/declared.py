"""Every command, declared once: what it is called, what handles it and where it is offered.

The server's capability, the wire types, the chat's `/` commands, the terminal and the table in
`docs/protocol.md` come from here; `make wire` writes what is kept in files. How VS Code offers them
says its client, in `src/commands/offered.json`. What a command takes and answers are the types of
its handler. Handlers and answers are named in words: `initialize` and `--help` list the commands
before the rest is imported.
"""

from __future__ import annotations

from glossator.commands.declaration import Chat, CommandDeclaration, LineAction, by_name

# What neither mends nor rewrites has the empty kind: editors show that in the light bulb (VS Code
# under "More Actions"), and never by themselves. A source action would not be shown there.
EXPLAIN = LineAction(
    "glossator.explain", "Explain", "user/explain", "Explain a file, or lines of it."
)
FIX = LineAction(
    "glossator.fix", "Fix", "user/fix", "Mend what is wrong there.", "quickfix", edits=True
)
EDIT = LineAction(
    "glossator.edit",
    "Edit",
    "user/edit",
    "Change the lines as you say.",
    "refactor.rewrite",
    edits=True,
)
REFACTOR = LineAction(
    "glossator.refactor",
    "Refactor",
    "user/refactor",
    "Make the code better without changing what it does.",
    "refactor.rewrite",
    edits=True,
)
DOCUMENT = LineAction(
    "glossator.document",
    "Document",
    "user/document",
    "Write the documentation that is missing.",
    "refactor.rewrite",
    edits=True,
)
WRITE_TESTS = LineAction(
    "glossator.writeTests",
    "Write tests",
    "user/write_tests",
    "Write tests in the project's style.",
    joint="for",
    edits=True,
)
EXPLORE_USAGE = LineAction(
    "glossator.exploreUsage",
    "Explore usage",
    "user/explore_usage",
    "Find out who uses it, how, and what would break.",
    joint="of",
)
LINE_ACTIONS = (EXPLAIN, FIX, EDIT, REFACTOR, DOCUMENT, WRITE_TESTS, EXPLORE_USAGE)


def _on_lines(action: LineAction) -> CommandDeclaration:
    """The command of an action on lines."""
    return CommandDeclaration(
        action.command,
        "on_lines:explore_usage" if action is EXPLORE_USAGE else "on_lines:act_on_lines",
        "Explored" if action is EXPLORE_USAGE else "core.answer:Answer",
        title=action.title,
        progress=True,
        report=True,
        chat=(Chat(action.word, action.help.rstrip("."), words=True),),
        terminal=action.word,
        help=action.help,
        action=action,
    )


_ALL = (
    CommandDeclaration(
        "glossator.ask", "ask:ask", "core.answer:Answer", progress=True, report=True, terminal="ask"
    ),
    CommandDeclaration(
        "glossator.newSession",
        "sessions:new_session",
        "SessionInfo",
        chat=(Chat("new", "Begin a new session"),),
    ),
    CommandDeclaration(
        "glossator.listSessions", "sessions:list_sessions", "SessionList", terminal="sessions"
    ),
    CommandDeclaration(
        "glossator.resumeSession",
        "sessions:resume_session",
        chat=(Chat("resume", "Go on with another session"),),
    ),
    CommandDeclaration(
        "glossator.takeOver",
        "sessions:take_over",
        "TakenSession",
        title="Take over",
        terminal="sessions take-over",
        chat=(Chat("takeover", "Take over this session from where else it is open"),),
    ),
    CommandDeclaration(
        "glossator.renameSession",
        "sessions:rename_session",
        "SessionInfo",
        chat=(Chat("rename", "Give this session another title", words=True),),
        terminal="sessions rename",
    ),
    CommandDeclaration(
        "glossator.deleteSession",
        "sessions:delete_session",
        "DeletedSession",
        terminal="sessions delete",
    ),
    CommandDeclaration(
        "glossator.mergeWorktree",
        "sessions:merge_worktree",
        "MergedWorktree",
        title="Merge worktree",
        chat=(Chat("merge", "Merge this session's worktree into your branch"),),
        terminal="sessions merge",
    ),
    CommandDeclaration(
        "glossator.discardWorktree",
        "sessions:discard_worktree",
        "DiscardedWorktree",
        title="Throw worktree away",
        chat=(Chat("discard", "Throw away this session's worktree"),),
        terminal="sessions discard",
    ),
    CommandDeclaration(
        "glossator.exportSession",
        "sessions:export_session",
        "ExportedSession",
        chat=(Chat("export", "Write this session out as Markdown"),),
        terminal="sessions export",
    ),
    CommandDeclaration(
        "glossator.compact",
        "sessions:compact_session",
        "CompactAnswer",
        chat=(Chat("compact", "Go on from a summary of this session"),),
        terminal="sessions compact",
    ),
    CommandDeclaration(
        "glossator.rewind",
        "turns:rewind",
        "RewindAnswer",
        title="Go back",
        terminal="sessions rewind",
    ),
    CommandDeclaration(
        "glossator.retry",
        "turns:retry",
        "RetryAnswer",
        title="Ask again",
        progress=True,
        report=True,
        chat=(Chat("retry", "Ask the last question again"),),
        terminal="retry",
    ),
    CommandDeclaration(
        "glossator.undoTurn",
        "turns:undo_turn",
        "UndoAnswer",
        chat=(Chat("undo", "Undo what the last turn changed"),),
        terminal="undo",
    ),
    CommandDeclaration(
        "glossator.redoTurn",
        "turns:redo_turn",
        "UndoAnswer",
        chat=(Chat("redo", "Redo what was undone last"),),
        terminal="redo",
    ),
    CommandDeclaration(
        "glossator.listTurns", "turns:list_turns", "TurnList", terminal="sessions turns"
    ),
    CommandDeclaration("glossator.showPlan", "ask:show_plan", title="Show the plan"),
    CommandDeclaration(
        "glossator.startPlan",
        "ask:start_plan",
        "core.answer:Answer",
        title="Start the plan",
        progress=True,
        report=True,
    ),
    CommandDeclaration(
        "glossator.setMode",
        "models:set_mode",
        "ModeAnswer",
        chat=(
            Chat("plan", "From now on only read, and end with a plan"),
            Chat("mode", "What is done unasked: plan, ask, acceptEdits or auto", words=True),
        ),
    ),
    CommandDeclaration(
        "glossator.listModels", "models:list_models", "ModelList", terminal="models"
    ),
    CommandDeclaration(
        "glossator.findLocalServers",
        "models:find_servers",
        "LocalServerList",
        title="Find a model server on this machine",
        terminal="setup",
    ),
    CommandDeclaration(
        "glossator.setModel",
        "models:set_model",
        "ModelAnswer",
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
        "glossator.gloss", "gloss:gloss", "Explored", progress=True, report=True, terminal="gloss"
    ),
    CommandDeclaration("glossator.showGloss", "gloss:show_gloss"),
    CommandDeclaration(
        "glossator.exploreWorkspace",
        "gloss:explore_workspace",
        "Explored",
        progress=True,
        report=True,
        terminal="overview",
    ),
    CommandDeclaration(
        "glossator.explore",
        "explore:explore",
        "Explored",
        progress=True,
        report=True,
        chat=(Chat("explore", "Have a sub-agent find it out", words=True),),
        terminal="explore",
    ),
    CommandDeclaration(
        "glossator.listAgents",
        "sessions:list_agents",
        "AgentList",
        title="List sub-agents",
        terminal="sessions agents",
    ),
    CommandDeclaration(
        "glossator.showAgent",
        "sessions:show_agent",
        "AgentTranscript",
        title="Show sub-agent",
        terminal="sessions agents",
    ),
    CommandDeclaration(
        "glossator.search",
        "search:search",
        "retrieval:SearchAnswer",
        progress=True,
        chat=(Chat("search", "Find places without asking a model", words=True),),
        terminal="search",
    ),
    CommandDeclaration(
        "glossator.generateContexts",
        "contexts:generate_contexts",
        "retrieval:ContextsAnswer",
        terminal="contexts",
    ),
    CommandDeclaration(
        "glossator.estimateContexts",
        "contexts:estimate_contexts",
        "retrieval:ContextsEstimate",
        progress=True,
        terminal="contexts",
    ),
    CommandDeclaration(
        "glossator.exportContexts",
        "contexts:share_contexts",
        "retrieval:ContextsExported",
        terminal="contexts",
    ),
    CommandDeclaration(
        "glossator.importContexts",
        "contexts:take_contexts",
        "retrieval:ContextsImported",
        terminal="contexts",
    ),
    CommandDeclaration(
        "glossator.endBatches",
        "contexts:end_batches",
        "retrieval:BatchesEnded",
        terminal="contexts",
    ),
    CommandDeclaration(
        "glossator.listCustomizations",
        "context_sources:list_customizations",
        "customizations:CustomizationList",
        title="List skills, commands and sub-agents",
        terminal="skills",
    ),
    CommandDeclaration(
        "glossator.showContext",
        "window:show_context",
        "ContextAnswer",
        chat=(Chat("context", "What is in the model's window, and why"),),
        terminal="sessions context",
    ),
    CommandDeclaration(
        "glossator.preview",
        "preview:preview",
        "PreviewAnswer",
        title="Preview what goes with a question",
        also=("ask",),
    ),
    CommandDeclaration(
        "glossator.listContext",
        "context_sources:list_context",
        "ContextSourceList",
        terminal="instructions",
    ),
    CommandDeclaration(
        "glossator.switchContext",
        "context_sources:switch_context",
        "ContextSourceList",
        title="Turn context on or off",
        also=tuple(
            f"{group} {word}"
            for group in ("hooks", "instructions", "mcp", "memory", "skills")
            for word in ("on", "off")
        ),
    ),
    CommandDeclaration(
        "glossator.listHooks", "adoptions:list_hooks", "hooks:HookList", terminal="hooks"
    ),
    CommandDeclaration(
        "glossator.adoptHook", "adoptions:adopt_hook", "hooks:HookList", terminal="hooks adopt"
    ),
    CommandDeclaration(
        "glossator.forgetHook", "adoptions:forget_hook", "hooks:HookList", terminal="hooks forget"
    ),
    CommandDeclaration(
        "glossator.listMemories", "memory:list_memories", "memory:MemoryList", terminal="memory"
    ),
    CommandDeclaration(
        "glossator.showMemory", "memory:show_memory", "memory:MemoryText", terminal="memory show"
    ),
    CommandDeclaration(
        "glossator.openMemory",
        "memory:open_memory",
        "memory:OpenedMemory",
        chat=(Chat("memory", "Open what is remembered from earlier sessions"),),
        terminal="memory edit",
    ),
    CommandDeclaration(
        "glossator.forgetMemory",
        "memory:forget_memory",
        "memory:ForgottenMemory",
        terminal="memory forget",
    ),
    CommandDeclaration(
        "glossator.summarise",
        "sessions:summarise_session",
        "SummaryAnswer",
        progress=True,
        chat=(Chat("summary", "What this session was about so far"),),
        terminal="sessions summary",
    ),
    CommandDeclaration(
        "glossator.listFacts",
        "facts:list_facts",
        "ledger:FactList",
        chat=(Chat("facts", "What earlier answers established, and whether it still holds"),),
        terminal="facts",
    ),
    CommandDeclaration(
        "glossator.forgetFact",
        "facts:forget_fact",
        "ledger:ForgottenFacts",
        terminal="facts forget",
    ),
    CommandDeclaration(
        "glossator.pinFact",
        "facts:pin_fact",
        "ledger:PinnedFact",
        terminal="facts pin",
        also=("facts unpin",),
    ),
    CommandDeclaration(
        "glossator.clearFacts", "facts:clear_facts", "ledger:ForgottenFacts", terminal="facts clear"
    ),
    CommandDeclaration(
        "glossator.exportFacts", "facts:export_facts", "ExportedSession", terminal="facts export"
    ),
    CommandDeclaration(
        "glossator.listMcpServers",
        "adoptions:list_mcp_servers",
        "mcp:McpServerList",
        title="List MCP servers",
        terminal="mcp",
    ),
    CommandDeclaration(
        "glossator.adoptMcpServer",
        "adoptions:adopt_mcp_server",
        "mcp:McpServerList",
        title="Adopt MCP server",
        terminal="mcp adopt",
    ),
    CommandDeclaration(
        "glossator.forgetMcpServer",
        "adoptions:forget_mcp_server",
        "mcp:McpServerList",
        title="Forget MCP server",
        terminal="mcp forget",
    ),
    CommandDeclaration(
        "glossator.loginMcpServer",
        "adoptions:login_mcp_server",
        "mcp:McpServerList",
        title="Log in to MCP server",
        progress=True,
        terminal="mcp login",
    ),
    CommandDeclaration(
        "glossator.logoutMcpServer",
        "adoptions:logout_mcp_server",
        "mcp:McpServerList",
        title="Log out of MCP server",
        terminal="mcp logout",
    ),
    CommandDeclaration(
        "glossator.restartMcpServer",
        "adoptions:restart_mcp_server",
        "mcp:McpServerList",
        title="Restart MCP server",
        terminal="mcp restart",
    ),
    CommandDeclaration("glossator.toolOutput", "outputs:tool_output", title="Output of a call"),
    CommandDeclaration(
        "glossator.listJobs",
        "outputs:list_jobs",
        title="List background jobs",
        chat=(Chat("jobs", "Commands in the background: look at one, or stop it"),),
    ),
    CommandDeclaration("glossator.showJob", "outputs:show_job", title="Output of a background job"),
    CommandDeclaration("glossator.stopJob", "outputs:stop_job", title="Stop background job"),
    CommandDeclaration("glossator.fileBefore", "outputs:file_before", title="File before a turn"),
    CommandDeclaration("glossator.complete", "complete:complete"),
    CommandDeclaration(
        "glossator.check", "check:check_text", "CheckedText", progress=True, terminal="check"
    ),
    CommandDeclaration(
        "glossator.tool", "search:tool", "ToolAnswer", title="Run a tool", terminal="tool"
    ),
    CommandDeclaration("glossator.cancel", "ask:cancel"),
    CommandDeclaration("glossator.steer", "ask:steer", terminal="chat"),
    CommandDeclaration(
        "glossator.listRules",
        "rules:list_rules",
        "RuleList",
        title="List permission rules",
        terminal="rules",
    ),
    CommandDeclaration(
        "glossator.removeRule",
        "rules:remove_rule",
        "RuleList",
        title="Remove permission rule",
        terminal="rules remove",
    ),
    CommandDeclaration(
        "glossator.rebuildIndex",
        "index:rebuild_index",
        "IndexAnswer",
        chat=(Chat("index", "Bring the index up to date"),),
        terminal="index",
    ),
    CommandDeclaration(
        "glossator.status",
        "status:status",
        "StatusAnswer",
        chat=(Chat("status", "What the server holds of the workspace"),),
        terminal="status",
    ),
    CommandDeclaration(
        "glossator.doctor",
        "doctor:doctor",
        "DoctorAnswer",
        chat=(Chat("doctor", "Check the set-up"),),
        terminal="doctor",
    ),
)

DECLARED = by_name(_ALL)
CHAT_COMMANDS = {chat: each.name for each in DECLARED.values() for chat in each.chat}
