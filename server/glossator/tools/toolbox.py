"""The tools of an agent."""

from __future__ import annotations

from glossator.tools.ask_user import AskUser
from glossator.tools.base import Registry, registry
from glossator.tools.bash import Bash
from glossator.tools.diagnostics import Diagnostics
from glossator.tools.edit import Edit, MultiEdit, Write
from glossator.tools.glob import Glob
from glossator.tools.grep import Grep
from glossator.tools.memory import MemoryTool
from glossator.tools.move import Move
from glossator.tools.read import Read
from glossator.tools.search import Search
from glossator.tools.skill import Skill
from glossator.tools.subagents import Explore, Fork
from glossator.tools.symbols import Symbols
from glossator.tools.todo import Todo


def reading_tools() -> Registry:
    """Every tool that only reads the workspace."""
    return registry((Glob(), Grep(), Read(), Search(), Symbols()))


def all_tools(*, diagnostics: bool, agents: bool, memory: bool = True) -> Registry:
    """Every tool; `diagnostics` if the editor has them, `agents` if there may be sub-agents.

    `memory`: sessions remember.
    """
    editor = (Diagnostics(),) if diagnostics else ()
    delegating = (Explore(), Fork()) if agents else ()
    writing = (Edit(), MultiEdit(), Write(), Move(), Bash())
    remembering = (MemoryTool(),) if memory else ()
    others = (*editor, *delegating, Skill(), AskUser(), Todo(), *remembering)
    return registry((*reading_tools().values(), *writing, *others))
