from .agents import Agents, Directive
from .base import Cancelled, Registry, Tool, ToolArgs, ToolContext, in_thread
from .bash import BashArgs
from .diagnostics import Diagnostics, DiagnosticsArgs, listed
from .edit_report import around, named, numbered
from .explore import Explore
from .findings import Counts, Findings
from .fork import Fork
from .reads import Range, ReadState, Seen, carried
from .runs import CommandRuns
from .search import MAX_CHUNKS, enclosing, nothing_found, ranked_search, unparsed
from .selection import Hidden, Selection
from .steps import TodoList
from .toolbox import all_tools, reading_tools

__all__ = [
    "MAX_CHUNKS",
    "Agents",
    "BashArgs",
    "Cancelled",
    "CommandRuns",
    "Counts",
    "Diagnostics",
    "DiagnosticsArgs",
    "Directive",
    "Explore",
    "Findings",
    "Fork",
    "Hidden",
    "Range",
    "ReadState",
    "Registry",
    "Seen",
    "Selection",
    "TodoList",
    "Tool",
    "ToolArgs",
    "ToolContext",
    "all_tools",
    "around",
    "carried",
    "enclosing",
    "in_thread",
    "listed",
    "named",
    "nothing_found",
    "numbered",
    "ranked_search",
    "reading_tools",
    "unparsed",
]
