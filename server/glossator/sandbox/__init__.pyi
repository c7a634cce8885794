from .bash_tool import Bash, BashArgs
from .confinement import CommandLimits, HardLinkedFiles, Unavailable
from .environment import scrubbed, search_path, tools_at
from .idle import IdleTimes
from .jobs import MOST_RUNNING, Polled
from .output import (
    HEAD,
    TAIL,
    BlockedPaths,
    Exit,
    Output,
    blocked_notes,
    end_text,
    ended_badly,
    exit_text,
    output_text,
)
from .process import Finished, Show
from .quarantine import Quarantine, outcome_text, quarantine_question
from .served import ServedProgram
from .shell import LimitedShell, Served, ShellCommand, ShellContext
from .workspace_shell import WorkspaceShell, find_sandbox

__all__ = [
    "HEAD",
    "MOST_RUNNING",
    "TAIL",
    "Bash",
    "BashArgs",
    "BlockedPaths",
    "CommandLimits",
    "Exit",
    "Finished",
    "HardLinkedFiles",
    "IdleTimes",
    "LimitedShell",
    "Output",
    "Polled",
    "Quarantine",
    "Served",
    "ServedProgram",
    "ShellCommand",
    "ShellContext",
    "Show",
    "Unavailable",
    "WorkspaceShell",
    "blocked_notes",
    "end_text",
    "ended_badly",
    "exit_text",
    "find_sandbox",
    "outcome_text",
    "output_text",
    "quarantine_question",
    "scrubbed",
    "search_path",
    "tools_at",
]
