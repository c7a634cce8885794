"""The tools of an agent, in the order in which every session lists them.

The order is part of each request: another order would make the provider's cache useless.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field

from glossator.core.errors import UsageError
from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.report import Report, Thoroughness
from glossator.core.tool_result import ToolResult
from glossator.customizations import SkillTool
from glossator.edits import Edit, Move, MultiEdit, NotebookEdit, Rename, Write
from glossator.memory import MemoryTool
from glossator.retrieval import Search
from glossator.sandbox import Bash
from glossator.symbols import Symbols
from glossator.tools import (
    AskUser,
    Diagnostics,
    Glob,
    Grep,
    Read,
    Registry,
    Todo,
    ToolArgs,
    ToolContext,
    registry,
)

_UNDESCRIBED = ("general-purpose", "Explore", "explore")  # values of `subagent_type`


@dataclass(frozen=True, slots=True)
class Directive:
    """A task for a sub-agent, how thoroughly to do it, and in which paths; none: everywhere.

    `agent` names a sub-agent that a file describes.
    """

    task: str
    thoroughness: Thoroughness = Thoroughness.MEDIUM
    paths: tuple[str, ...] = ()
    agent: str = ""


class SubAgents(ABC):
    """Starts the sub-agents of a run. Each one reports, even if it fails or is cancelled."""

    @property
    @abstractmethod
    def report_bytes(self) -> int:
        """The most bytes of a report that the conversation is given."""

    @abstractmethod
    async def explore(self, directive: Directive, call_id: str | None) -> Report:
        """Give the task to a sub-agent with an empty conversation, which only reads."""

    @abstractmethod
    async def fork(self, task: str, call_id: str) -> Report:
        """Give the task to a copy of the conversation."""


class ExploreArgs(ToolArgs):
    """Arguments of Explore."""

    task: str = Field(min_length=1, max_length=4_000)
    thoroughness: Thoroughness = Thoroughness.MEDIUM
    agent: str = Field("", description="Name of a described sub-agent.")

    @classmethod
    def translated(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Accept `subagent_type`, which may also name no described agent."""
        kind = given.get("subagent_type")
        if kind in _UNDESCRIBED:
            del given["subagent_type"]
        elif isinstance(kind, str) and "agent" not in given:
            given["agent"] = given.pop("subagent_type")
        return given


class Explore:
    """Starts a sub-agent with an empty conversation."""

    name: ClassVar[str] = "Explore"
    access: ClassVar[Access] = Access.NONE
    args: ClassVar[type[ToolArgs]] = ExploreArgs
    description = load_prompt("tools/explore").render()

    async def run(self, args: ExploreArgs, context: ToolContext) -> ToolResult:
        """Wait for the report."""
        agents = _agents_of(context)
        directive = Directive(args.task, args.thoroughness, agent=args.agent)
        report = await agents.explore(directive, context.call_id)
        return _as_result(report, agents.report_bytes)


class ForkArgs(ToolArgs):
    """Arguments of Fork."""

    task: str = Field(min_length=1, max_length=4_000)

    ignored: ClassVar[frozenset[str]] = frozenset({"subagent_type"})


class Fork:
    """Starts a sub-agent with a copy of the conversation."""

    name: ClassVar[str] = "Fork"
    access: ClassVar[Access] = Access.NONE
    args: ClassVar[type[ToolArgs]] = ForkArgs
    description = load_prompt("tools/fork").render()

    async def run(self, args: ForkArgs, context: ToolContext) -> ToolResult:
        """Wait for the report."""
        agents = _agents_of(context)
        report = await agents.fork(args.task, context.call_id)
        return _as_result(report, agents.report_bytes)


def _agents_of(context: ToolContext) -> SubAgents:
    if (agents := context.find(SubAgents)) is None:
        raise UsageError("There are no sub-agents here.\nSearch and read yourself.")
    return agents


def _as_result(report: Report, budget: int) -> ToolResult:
    """The report in at most `budget` bytes, as the result of the call."""
    findings = len(report.findings)
    if report.is_empty and report.partial:
        return ToolResult.failed(report.model_message(budget))
    outcome = f"{findings} finding{'s' * (findings != 1)}"
    if report.partial:
        outcome += f", partial: {report.partial}"
    return ToolResult(report.model_message(budget), outcome=outcome, citable=report.read)


def reading_tools(*, code: bool = True) -> Registry:
    """Every tool that only reads the workspace; `code`: language servers may answer."""
    return registry((Glob(), Grep(), Read(), Search(), Symbols(served=code)))


def all_tools(
    *, diagnostics: bool, agents: bool, memory: bool = True, code: bool = True
) -> Registry:
    """Every tool; `diagnostics` if somebody tells them, `agents` if there may be sub-agents.

    `memory`: sessions remember. `code`: language servers may answer.
    """
    editor = (Diagnostics(),) if diagnostics else ()
    delegating = (Explore(), Fork()) if agents else ()
    renaming = (Rename(),) if code else ()
    writing = (Edit(), MultiEdit(), NotebookEdit(), Write(), Move(), *renaming, Bash())
    remembering = (MemoryTool(),) if memory else ()
    others = (*editor, *delegating, SkillTool(), AskUser(), Todo(), *remembering)
    return registry((*reading_tools(code=code).values(), *writing, *others))
