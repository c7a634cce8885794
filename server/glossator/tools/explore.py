"""Explore: a question for a sub-agent that only reads, in a context of its own."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from glossator.core.errors import UsageError
from glossator.core.permission import Access
from glossator.core.report import Thoroughness
from glossator.core.tool_result import ToolResult
from glossator.prompts import load_prompt
from glossator.tools.agents import Directive, as_result
from glossator.tools.base import ToolArgs, ToolContext

NO_AGENTS = "There are no sub-agents here.\nSearch and read yourself."

_OF_NO_TYPE = ("general-purpose", "Explore", "explore")


class ExploreArgs(ToolArgs):
    """Arguments of Explore."""

    task: str = Field(min_length=1, max_length=4_000)
    thoroughness: Thoroughness = Thoroughness.MEDIUM
    agent: str = Field("", description="A described sub-agent, by its name.")

    @classmethod
    def translated(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Others name the type of every sub-agent, also where it is none that is described."""
        kind = given.get("subagent_type")
        if kind in _OF_NO_TYPE:
            del given["subagent_type"]
        elif isinstance(kind, str) and "agent" not in given:
            given["agent"] = given.pop("subagent_type")
        return given


class Explore:
    """Starts a sub-agent, and gives its report."""

    name: ClassVar[str] = "Explore"
    access: ClassVar[Access] = Access.NONE
    args: ClassVar[type[ToolArgs]] = ExploreArgs
    description = load_prompt("tools/explore").render()

    async def run(self, args: ExploreArgs, context: ToolContext) -> ToolResult:
        """Wait for the report."""
        if context.agents is None:
            raise UsageError(NO_AGENTS)
        directive = Directive(args.task, args.thoroughness, agent=args.agent)
        report = await context.agents.explore(directive, context.call_id)
        return as_result(report, context.agents.report_bytes)
