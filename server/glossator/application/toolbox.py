"""The tools of an agent, in the order in which every session is told of them.

The order is part of each request: another one makes the provider's cache void.
"""

from __future__ import annotations

from glossator.application.sub_agent_tools import Explore, Fork
from glossator.customizations import SkillTool
from glossator.edits import Edit, Move, MultiEdit, Write
from glossator.memory import MemoryTool
from glossator.retrieval import Search
from glossator.sandbox import Bash
from glossator.symbols import Symbols
from glossator.tools import AskUser, Diagnostics, Glob, Grep, Read, Registry, Todo, registry


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
    others = (*editor, *delegating, SkillTool(), AskUser(), Todo(), *remembering)
    return registry((*reading_tools().values(), *writing, *others))
