"""What people read for the same thing everywhere: in the panel, in editors and in the terminal.

`make wire` gives the words to the client. A test compares the titles of commands with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from glossator.core.permission import Choice, Mode

# a name, and what is done without asking
MODES: Mapping[Mode, tuple[str, str]] = {
    Mode.PLAN: ("Plan", "Reads only, and changes nothing"),
    Mode.ASK: ("Ask", "Asks before each edit and command"),
    Mode.ACCEPT_EDITS: ("Accept edits", "Edits files; asks before commands"),
    Mode.AUTO: ("Auto", "Edits files, runs commands in the sandbox"),
}
CHOICES: Mapping[Choice, str] = {
    Choice.ONCE: "Allow once",
    Choice.SESSION: "Allow for this session",
    Choice.ALWAYS: "Always allow here",
    Choice.DENY: "Refuse",
}


class Act(StrEnum):
    """What a button, a key or a command does."""

    ACCEPT = "Accept"  # an edit that waits, or a part of it
    REJECT = "Reject"
    KEEP = "Keep"  # an edit that was made
    UNDO = "Undo"
    REDO = "Redo"
    START = "Start in"  # a plan, in the mode whose name follows
    LEAVE = "No, leave it"
    MERGE = "Merge"  # a session's worktree
    DISCARD = "Throw away"
    TAKE_OVER = "Take over"  # a session that is open elsewhere
    STOP = "Stop"
    QUEUE = "Ask next"  # what is typed while a run is on
    STEER = "Tell it now"


class Became(StrEnum):
    """What has become of an edit, a run or a worktree."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    IN_PART = "applied in part"
    NOT_APPLIED = "not applied"
    RESTORED = "restored"  # a file, by an undo or a redo
    REMOVED = "removed"
    UNDONE = "undone"
    REDONE = "redone"
    STOPPED = "Stopped."
    CONTINUED = "Continued in {}."
    KEPT = "What was done so far is kept."
    MERGED = "merged"
    DISCARDED = "thrown away"
    GONE = "removed"  # a worktree, by somebody else


# tools that people see under another name than the model's
TOOLS: Mapping[str, str] = {
    "AskUser": "Question",
    "Bash": "Run",
    "Diagnostics": "Problems",
    "Glob": "Find files",
    "Grep": "Find text",
    "MultiEdit": "Edit",
    "NotebookEdit": "Edit cells",
    "Symbols": "Find names",
    "Todo": "Steps",
}


def tool_name(tool: str) -> str:
    """What people read for a tool's name; an MCP server's stays as it is."""
    return TOOLS.get(tool, tool)
