"""Every command, declared once: what it is called, what handles it and where it is offered.

The server's capability, the wire types, VS Code's manifest, the chat's `/` commands, the terminal
and the table in `docs/protocol.md` come from here; `make wire` writes what is kept in files. What
a command takes and answers are the types of its handler. Standard library only: `initialize`
names the commands before the rest of the server is imported.
"""

from __future__ import annotations

from glossator.usecases.actions import (
    DOCUMENT,
    EXPLAIN,
    EXPLORE_USAGE,
    FIX,
    REFACTOR,
    WRITE_TESTS,
    LineAction,
)
from glossator.usecases.declaration import Chat, Declaration, Menu, Palette, by_name

_IN_CHAT = "view == glossator.chat"
_IN_FOLDER = "workspaceFolderCount > 0"
_IN_FILE = "resourceScheme == file || resourceScheme == untitled"
_WRITABLE = "!editorReadonly"


def _view(group: str, when: str = "") -> tuple[Menu, ...]:
    return (Menu("view/title", group, f"{_IN_CHAT} && {when}" if when else _IN_CHAT),)


def _selection(group: str, when: str = "") -> Menu:
    return Menu("glossator.selection", group, when)


def _on_lines(action: LineAction, title: str, icon: str, group: str, key: str = "") -> Declaration:
    """The command of an action on lines."""
    writable = _WRITABLE if action.edits else ""
    return Declaration(
        action.command,
        action.title,
        "on_lines:explore_usage" if action is EXPLORE_USAGE else "on_lines:act_on_lines",
        progress=True,
        report=True,
        chat=(Chat(action.word, action.help.rstrip("."), words=True),),
        palette=Palette(
            title,
            icon,
            " && ".join(filter(None, ("editorIsOpen", writable))),
            (_selection(group, writable),),
            key,
            "editorTextFocus" if key else "",
        ),
        terminal=action.word,
        help=action.help,
        action=action,
    )


_ALL = (
    Declaration(
        "glossator.ask",
        "Ask",
        "ask:ask",
        progress=True,
        report=True,
        palette=Palette(
            "Ask…",
            "comment-discussion",
            menus=(Menu("editor/title", "navigation@50", _IN_FILE), _selection("1_ask@1")),
            key="ctrl+alt+g",
            key_when="!terminalFocus",
        ),
        terminal="ask",
    ),
    Declaration(
        "glossator.newSession",
        "New session",
        "sessions:new_session",
        chat=(Chat("new", "Begin a new session"),),
        palette=Palette("New Session", "add", menus=_view("0_session@1")),
    ),
    Declaration(
        "glossator.listSessions", "List sessions", "sessions:list_sessions", terminal="sessions"
    ),
    Declaration(
        "glossator.resumeSession",
        "Resume session",
        "sessions:resume_session",
        chat=(Chat("resume", "Go on with another session"),),
        palette=Palette("Resume Session…", "history", menus=_view("0_session@2")),
    ),
    Declaration(
        "glossator.renameSession",
        "Rename session",
        "sessions:rename_session",
        chat=(Chat("rename", "Give this session another title", words=True),),
        palette=Palette("Rename Session…", "edit"),
        terminal="sessions rename",
    ),
    Declaration(
        "glossator.deleteSession",
        "Delete session",
        "sessions:delete_session",
        palette=Palette("Delete Session…", "trash"),
        terminal="sessions delete",
    ),
    Declaration(
        "glossator.exportSession",
        "Export session",
        "sessions:export_session",
        chat=(Chat("export", "Write this session out as Markdown"),),
        palette=Palette("Export Session…", "export", menus=_view("1_session@3")),
        terminal="sessions export",
    ),
    Declaration(
        "glossator.compact",
        "Compact",
        "compact:compact_session",
        chat=(Chat("compact", "Go on from a summary of this session"),),
        palette=Palette("Compact Conversation", "fold", menus=_view("1_session@2")),
        terminal="sessions compact",
    ),
    Declaration(
        "glossator.showContext",
        "Show context",
        "show_context:show_context",
        chat=(Chat("context", "What is in the model's window, and why"),),
        palette=Palette("Show Context", "layers", menus=_view("1_session@4")),
        terminal="sessions context",
    ),
    Declaration("glossator.rewind", "Go back", "rewind:rewind", terminal="sessions rewind"),
    Declaration(
        "glossator.retry",
        "Ask again",
        "rewind:retry",
        progress=True,
        report=True,
        chat=(Chat("retry", "Ask the last question again"),),
        palette=Palette(
            "Retry Last Question",
            "refresh",
            "!glossator.running",
            _view("1_session@0", "!glossator.running"),
        ),
        terminal="retry",
    ),
    Declaration(
        "glossator.undoTurn",
        "Undo turn",
        "undo:undo_turn",
        chat=(Chat("undo", "Take back what the last turn changed"),),
        palette=Palette("Undo Turn…", "discard", menus=_view("1_session@1")),
        terminal="undo",
    ),
    Declaration(
        "glossator.redoTurn",
        "Redo turn",
        "undo:redo_turn",
        chat=(Chat("redo", "Do again what was undone last"),),
        palette=Palette("Redo Turn…", "redo"),
        terminal="redo",
    ),
    Declaration("glossator.listTurns", "List turns", "undo:list_turns", terminal="sessions turns"),
    Declaration(
        "glossator.startPlan", "Start the plan", "mode:start_plan", progress=True, report=True
    ),
    Declaration(
        "glossator.setMode",
        "Set mode",
        "mode:set_mode",
        chat=(
            Chat("plan", "From now on only read, and end with a plan"),
            Chat("mode", "What is done unasked: plan, ask, acceptEdits or auto", words=True),
        ),
        palette=Palette("Set Mode…", "shield", menus=_view("2_how@1")),
    ),
    Declaration("glossator.listModels", "List models", "models:list_models", terminal="models"),
    Declaration(
        "glossator.setModel",
        "Set model",
        "models:set_model",
        chat=(Chat("model", "Which model answers from now on", words=True),),
        palette=Palette("Choose Model…", "hubot", menus=_view("2_how@2")),
    ),
    _on_lines(EXPLAIN, "Explain", "book", "2_read@1", "ctrl+alt+shift+e"),
    _on_lines(FIX, "Fix", "wrench", "3_edit@1"),
    _on_lines(REFACTOR, "Refactor…", "lightbulb", "3_edit@2"),
    _on_lines(DOCUMENT, "Document", "note", "3_edit@3"),
    _on_lines(WRITE_TESTS, "Write Tests", "beaker", "3_edit@4"),
    _on_lines(EXPLORE_USAGE, "Explore Usage", "references", "2_read@2"),
    Declaration(
        "glossator.gloss",
        "Gloss",
        "gloss:gloss",
        progress=True,
        report=True,
        palette=Palette(
            "Gloss This",
            "note",
            "editorIsOpen",
            (
                Menu("explorer/context", "5_cutcopypaste@91", "resourceScheme == file"),
                _selection("2_read@3"),
            ),
        ),
        terminal="gloss",
    ),
    Declaration(
        "glossator.showGloss",
        "Show gloss",
        "gloss:show_gloss",
        palette=Palette("Show Gloss", "open-preview", "false"),
    ),
    Declaration(
        "glossator.exploreWorkspace",
        "Explore workspace",
        "gloss:explore_workspace",
        progress=True,
        report=True,
        palette=Palette("Explore Workspace", "compass", _IN_FOLDER),
        terminal="overview",
    ),
    Declaration(
        "glossator.explore",
        "Explore",
        "explore:explore",
        progress=True,
        report=True,
        chat=(Chat("explore", "Have a sub-agent find it out", words=True),),
        palette=Palette("Explore…", "telescope"),
        terminal="explore",
    ),
    Declaration(
        "glossator.listAgents",
        "List sub-agents",
        "sessions:list_agents",
        terminal="sessions agents",
    ),
    Declaration(
        "glossator.showAgent", "Show sub-agent", "sessions:show_agent", terminal="sessions agents"
    ),
    Declaration(
        "glossator.search",
        "Search",
        "search:search",
        progress=True,
        chat=(Chat("search", "Find places without asking a model", words=True),),
        palette=Palette(
            "Search…", "search", _IN_FOLDER, key="ctrl+alt+shift+g", key_when="!terminalFocus"
        ),
        terminal="search",
    ),
    Declaration("glossator.complete", "Complete", "complete:complete"),
    Declaration("glossator.tool", "Run a tool", "tool:tool", terminal="tool"),
    Declaration(
        "glossator.cancel",
        "Cancel",
        "cancel:cancel",
        palette=Palette("Stop", "debug-stop", "glossator.running"),
    ),
    Declaration(
        "glossator.listRules", "List permission rules", "rules:list_rules", terminal="rules"
    ),
    Declaration(
        "glossator.removeRule",
        "Remove permission rule",
        "rules:remove_rule",
        terminal="rules remove",
    ),
    Declaration(
        "glossator.rebuildIndex",
        "Rebuild index",
        "index:rebuild_index",
        chat=(Chat("index", "Bring the index up to date"),),
        palette=Palette("Rebuild Index", "refresh", _IN_FOLDER),
        terminal="index",
    ),
    Declaration(
        "glossator.status",
        "Status",
        "status:status",
        chat=(Chat("status", "What the server holds of the workspace"),),
        palette=Palette("Show Status", "pulse", menus=_view("3_server@1")),
        terminal="status",
    ),
    Declaration(
        "glossator.doctor",
        "Doctor",
        "doctor:doctor",
        chat=(Chat("doctor", "Check the set-up"),),
        palette=Palette("Run Doctor", "heart", menus=_view("3_server@2")),
        terminal="doctor",
    ),
)

DECLARED = by_name(_ALL)
CHAT_COMMANDS = {chat: each.name for each in DECLARED.values() for chat in each.chat}
