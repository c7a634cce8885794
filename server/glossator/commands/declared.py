"""Every command, declared once: what it is called, what handles it and where it is offered.

The server's capability, the wire types, VS Code's manifest, the chat's `/` commands, the terminal
and the table in `docs/protocol.md` come from here; `make wire` writes what is kept in files. What
a command takes and answers are the types of its handler. Standard library only: `initialize`
names the commands before the rest of the server is imported.
"""

from __future__ import annotations

from glossator.commands.declaration import (
    Chat,
    CommandDeclaration,
    LineAction,
    Menu,
    Palette,
    by_name,
)
from glossator.commands.declared_context import OF_CONTEXT
from glossator.commands.declared_output import OF_OUTPUT
from glossator.commands.declared_plans import OF_PLANS
from glossator.commands.line_actions import (
    DOCUMENT,
    EDIT,
    EXPLAIN,
    EXPLORE_USAGE,
    FIX,
    REFACTOR,
    WRITE_TESTS,
)

_IN_CHAT = "view == glossator.chat"
_IN_SESSION = "!glossator.inEditor"  # commands are about the chat that was used last
_IN_FOLDER = "workspaceFolderCount > 0"
_IN_FILE = "resourceScheme == file || resourceScheme == untitled"
_WRITABLE = "!editorReadonly"


def _in_panel(title: str, icon: str, group: str, when: str = "") -> Palette:
    """In the palette, and in the menu of the chat panel's title."""
    shown = " && ".join(filter(None, (_IN_CHAT, _IN_SESSION if "session" in group else "", when)))
    return Palette(title, icon, when, (Menu("view/title", group, shown),))


def _selection(group: str, when: str = "") -> Menu:
    return Menu("glossator.selection", group, when)


def _on_lines(
    action: LineAction, title: str, icon: str, group: str, key: str = ""
) -> CommandDeclaration:
    """The command of an action on lines."""
    writable = _WRITABLE if action.edits else ""
    return CommandDeclaration(
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
    CommandDeclaration(
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
    CommandDeclaration(
        "glossator.newSession",
        "New session",
        "sessions:new_session",
        chat=(Chat("new", "Begin a new session"),),
        palette=_in_panel("New Session", "add", "0_session@1"),
    ),
    CommandDeclaration(
        "glossator.listSessions", "List sessions", "sessions:list_sessions", terminal="sessions"
    ),
    CommandDeclaration(
        "glossator.resumeSession",
        "Resume session",
        "sessions:resume_session",
        chat=(Chat("resume", "Go on with another session"),),
        palette=_in_panel("Resume Session…", "history", "0_session@2"),
    ),
    CommandDeclaration(
        "glossator.renameSession",
        "Rename session",
        "sessions:rename_session",
        chat=(Chat("rename", "Give this session another title", words=True),),
        palette=Palette("Rename Session…", "edit"),
        terminal="sessions rename",
    ),
    CommandDeclaration(
        "glossator.deleteSession",
        "Delete session",
        "sessions:delete_session",
        palette=Palette("Delete Session…", "trash"),
        terminal="sessions delete",
    ),
    CommandDeclaration(
        "glossator.exportSession",
        "Export session",
        "sessions:export_session",
        chat=(Chat("export", "Write this session out as Markdown"),),
        palette=_in_panel("Export Session…", "export", "1_session@3"),
        terminal="sessions export",
    ),
    CommandDeclaration(
        "glossator.compact",
        "Compact",
        "compact:compact_session",
        chat=(Chat("compact", "Go on from a summary of this session"),),
        palette=_in_panel("Compact Conversation", "fold", "1_session@2"),
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
        palette=_in_panel("Retry Last Question", "refresh", "1_session@0", "!glossator.running"),
        terminal="retry",
    ),
    CommandDeclaration(
        "glossator.undoTurn",
        "Undo turn",
        "undo:undo_turn",
        chat=(Chat("undo", "Take back what the last turn changed"),),
        palette=_in_panel("Undo Turn…", "discard", "1_session@1"),
        terminal="undo",
    ),
    CommandDeclaration(
        "glossator.redoTurn",
        "Redo turn",
        "undo:redo_turn",
        chat=(Chat("redo", "Do again what was undone last"),),
        palette=Palette("Redo Turn…", "redo"),
        terminal="redo",
    ),
    CommandDeclaration(
        "glossator.listTurns", "List turns", "undo:list_turns", terminal="sessions turns"
    ),
    *OF_PLANS,
    CommandDeclaration(
        "glossator.setMode",
        "Set mode",
        "mode:set_mode",
        chat=(
            Chat("plan", "From now on only read, and end with a plan"),
            Chat("mode", "What is done unasked: plan, ask, acceptEdits or auto", words=True),
        ),
        palette=_in_panel("Set Mode…", "shield", "2_how@1"),
    ),
    CommandDeclaration(
        "glossator.listModels", "List models", "models:list_models", terminal="models"
    ),
    CommandDeclaration(
        "glossator.setModel",
        "Set model",
        "models:set_model",
        chat=(Chat("model", "Which model answers from now on", words=True),),
        palette=_in_panel("Choose Model…", "hubot", "2_how@2"),
    ),
    _on_lines(EXPLAIN, "Explain", "book", "2_read@1", "ctrl+alt+shift+e"),
    _on_lines(FIX, "Fix", "wrench", "3_edit@1"),
    _on_lines(EDIT, "Edit Lines…", "edit", "3_edit@0", "ctrl+alt+e"),
    _on_lines(REFACTOR, "Refactor…", "lightbulb", "3_edit@2"),
    _on_lines(DOCUMENT, "Document", "note", "3_edit@3"),
    _on_lines(WRITE_TESTS, "Write Tests", "beaker", "3_edit@4"),
    _on_lines(EXPLORE_USAGE, "Explore Usage", "references", "2_read@2"),
    CommandDeclaration(
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
    CommandDeclaration(
        "glossator.showGloss",
        "Show gloss",
        "gloss:show_gloss",
        palette=Palette("Show Gloss", "open-preview", "false"),
    ),
    CommandDeclaration(
        "glossator.exploreWorkspace",
        "Explore workspace",
        "gloss:explore_workspace",
        progress=True,
        report=True,
        palette=Palette("Explore Workspace", "compass", _IN_FOLDER),
        terminal="overview",
    ),
    CommandDeclaration(
        "glossator.explore",
        "Explore",
        "explore:explore",
        progress=True,
        report=True,
        chat=(Chat("explore", "Have a sub-agent find it out", words=True),),
        palette=Palette("Explore…", "telescope"),
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
        palette=Palette(
            "Search…", "search", _IN_FOLDER, key="ctrl+alt+shift+g", key_when="!terminalFocus"
        ),
        terminal="search",
    ),
    CommandDeclaration(
        "glossator.generateContexts",
        "Generate contexts",
        "contexts:generate_contexts",
        palette=Palette("Generate Contexts for Search…", "sparkle", _IN_FOLDER),
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
        palette=Palette("Export Contexts…", "export", _IN_FOLDER),
        terminal="contexts",
    ),
    CommandDeclaration(
        "glossator.importContexts",
        "Import contexts",
        "contexts:take_contexts",
        palette=Palette("Import Contexts…", "cloud-download", _IN_FOLDER),
        terminal="contexts",
    ),
    CommandDeclaration(
        "glossator.endBatches",
        "End batches",
        "contexts:end_batches",
        palette=Palette("End Batches of Contexts", "debug-stop", _IN_FOLDER),
        terminal="contexts",
    ),
    CommandDeclaration(
        "glossator.listCustomizations",
        "List skills, commands and sub-agents",
        "customizations:list_customizations",
        terminal="skills",
    ),
    *OF_CONTEXT,
    *OF_OUTPUT,
    CommandDeclaration("glossator.complete", "Complete", "complete:complete"),
    CommandDeclaration("glossator.tool", "Run a tool", "tool:tool", terminal="tool"),
    CommandDeclaration(
        "glossator.cancel",
        "Cancel",
        "cancel:cancel",
        palette=Palette("Stop", "debug-stop", "glossator.running"),
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
        palette=Palette("Rebuild Index", "refresh", _IN_FOLDER),
        terminal="index",
    ),
    CommandDeclaration(
        "glossator.status",
        "Status",
        "status:status",
        chat=(Chat("status", "What the server holds of the workspace"),),
        palette=_in_panel("Show Status", "pulse", "3_server@1"),
        terminal="status",
    ),
    CommandDeclaration(
        "glossator.doctor",
        "Doctor",
        "doctor:doctor",
        chat=(Chat("doctor", "Check the set-up"),),
        palette=_in_panel("Run Doctor", "heart", "3_server@2"),
        terminal="doctor",
    ),
)

DECLARED = by_name(_ALL)
CHAT_COMMANDS = {chat: each.name for each in DECLARED.values() for chat in each.chat}
