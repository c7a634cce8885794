from .base import (
    Directive,
    IsHidden,
    Registry,
    Skills,
    SubAgents,
    Tool,
    ToolArgs,
    ToolContext,
    in_thread,
)
from .bash import BashArgs
from .conversation_state import CommandRuns, FindingCounts, Findings, TodoList
from .diagnostics import diagnostic_lines, report_diagnostics
from .edit_report import line_ranges, lines_around, numbered_lines
from .reads import ReadDocument, ReadRange, ReadState
from .search import MAX_CHUNKS, MAX_QUERY, MAX_TOKENS, SearchArgs, search_answer
from .selection import Selection, select
from .skill import Skill
from .subagents import Explore, Fork
from .toolbox import all_tools, reading_tools

__all__ = [
    "MAX_CHUNKS",
    "MAX_QUERY",
    "MAX_TOKENS",
    "BashArgs",
    "CommandRuns",
    "Directive",
    "Explore",
    "FindingCounts",
    "Findings",
    "Fork",
    "IsHidden",
    "ReadDocument",
    "ReadRange",
    "ReadState",
    "Registry",
    "SearchArgs",
    "Selection",
    "Skill",
    "Skills",
    "SubAgents",
    "TodoList",
    "Tool",
    "ToolArgs",
    "ToolContext",
    "all_tools",
    "diagnostic_lines",
    "in_thread",
    "line_ranges",
    "lines_around",
    "numbered_lines",
    "reading_tools",
    "report_diagnostics",
    "search_answer",
    "select",
]
