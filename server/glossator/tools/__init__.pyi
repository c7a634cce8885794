from .base import IsHidden, Registry, Tool, ToolArgs, ToolContext, in_thread, registry
from .conversation_state import CommandRuns, FindingCounts, Findings, TodoList
from .diagnostics import (
    Diagnostics,
    diagnostic_lines,
    findings_now,
    new_findings,
    report_diagnostics,
)
from .glob import Glob
from .grep import Grep
from .read import Read
from .reads import Base, ReadDocument, ReadRange, ReadState, carried_lines
from .schemas import schema_of
from .selection import Selection, account, select, visible
from .user_tools import AskUser, Todo

__all__ = [
    "AskUser",
    "Base",
    "CommandRuns",
    "Diagnostics",
    "FindingCounts",
    "Findings",
    "Glob",
    "Grep",
    "IsHidden",
    "Read",
    "ReadDocument",
    "ReadRange",
    "ReadState",
    "Registry",
    "Selection",
    "Todo",
    "TodoList",
    "Tool",
    "ToolArgs",
    "ToolContext",
    "account",
    "carried_lines",
    "diagnostic_lines",
    "findings_now",
    "in_thread",
    "new_findings",
    "registry",
    "report_diagnostics",
    "schema_of",
    "select",
    "visible",
]
