"""Fork: a task for a copy of this conversation, which only reads and gives a summary."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from glossator.core.errors import UsageError
from glossator.core.permission import Access
from glossator.core.tool_result import ToolResult
from glossator.prompts import load_prompt
from glossator.tools.agents import as_result
from glossator.tools.base import ToolArgs, ToolContext
from glossator.tools.explore import NO_AGENTS


class ForkArgs(ToolArgs):
    """Arguments of Fork."""

    task: str = Field(min_length=1, max_length=4_000)

    ignored: ClassVar[frozenset[str]] = frozenset({"subagent_type"})


class Fork:
    """Forks the conversation, and gives the fork's summary."""

    name: ClassVar[str] = "Fork"
    access: ClassVar[Access] = Access.NONE
    args: ClassVar[type[ToolArgs]] = ForkArgs
    description = load_prompt("tools/fork").render()

    async def run(self, args: ForkArgs, context: ToolContext) -> ToolResult:
        """Wait for the summary."""
        if context.agents is None:
            raise UsageError(NO_AGENTS)
        report = await context.agents.fork(args.task, context.call_id)
        return as_result(report, context.agents.report_bytes)
