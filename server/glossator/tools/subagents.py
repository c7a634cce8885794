"""Explore and Fork: tasks for sub-agents, which only read and give a report."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from glossator.core.errors import UsageError
from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.report import Report, Thoroughness
from glossator.core.tool_result import ToolResult
from glossator.tools.base import Directive, ToolArgs, ToolContext

_NO_AGENTS = "There are no sub-agents here.\nSearch and read yourself."

_DEFAULT_TYPES = ("general-purpose", "Explore", "explore")


class ExploreArgs(ToolArgs):
    """Arguments of Explore."""

    task: str = Field(min_length=1, max_length=4_000)
    thoroughness: Thoroughness = Thoroughness.MEDIUM
    agent: str = Field("", description="A described sub-agent, by its name.")

    @classmethod
    def translated(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Accept `subagent_type`, which may also name no described agent."""
        kind = given.get("subagent_type")
        if kind in _DEFAULT_TYPES:
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
        if context.agents is None:
            raise UsageError(_NO_AGENTS)
        directive = Directive(args.task, args.thoroughness, agent=args.agent)
        report = await context.agents.explore(directive, context.call_id)
        return _as_result(report, context.agents.report_bytes)


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
        if context.agents is None:
            raise UsageError(_NO_AGENTS)
        report = await context.agents.fork(args.task, context.call_id)
        return _as_result(report, context.agents.report_bytes)


def _as_result(report: Report, budget: int) -> ToolResult:
    """The report in at most `budget` bytes, as the result of the call."""
    findings = len(report.findings)
    if report.is_empty and report.partial:
        return ToolResult.failed(
            f"{report.agent} ended without a report: {report.partial}.\n"
            f"{report.model_message(budget)}"
        )
    outcome = f"{findings} finding{'s' * (findings != 1)}"
    if report.partial:
        outcome += f", partial: {report.partial}"
    return ToolResult(report.model_message(budget), outcome=outcome, citable=report.read)
