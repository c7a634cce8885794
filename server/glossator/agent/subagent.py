"""Runs a sub-agent: the loop on its own conversation, with short progress events."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from glossator.agent.loop import run_agent
from glossator.agent.run import Agent, Permission, RunContext, Stop
from glossator.core.errors import GlossatorError
from glossator.core.events import AgentProgress, AgentStarted, Event, ToolFinished, ToolStarted
from glossator.core.permission import Access, Permit
from glossator.core.shown import brief_arguments
from glossator.llm import Conversation, Meter
from glossator.permissions import Deny
from glossator.tools import Tool, ToolArgs, ToolContext

_ONLY_READS = "A fork only reads; {} was not called.\nSay in your report what you would do."
_WHY = {
    Stop.TURNS: "its replies were used up",
    Stop.TOKENS: "its tokens were used up",
    Stop.MONEY: "the money was used up",
    Stop.TIME: "its time was up",
    Stop.REPETITION: "it went in circles",
    Stop.REFUSED: "the model declined to go on",
    Stop.CUT_OFF: "the model's reply was cut off",
    Stop.CONTEXT_FULL: "its context was full",
}


@dataclass(frozen=True, slots=True)
class SubAgentResult:
    """The last words of a sub-agent, and why they are not complete; "" if they are."""

    text: str
    partial: str = ""


@dataclass(slots=True)
class SubAgentProgress:
    """What a sub-agent has done so far; `tell` gets an event for each tool call."""

    started: AgentStarted
    tell: Callable[[Event], None]
    meter: Meter
    tool_calls: int = 0
    began: float = field(default_factory=time.perf_counter)
    _started: dict[str, str] = field(default_factory=dict)
    _finished: dict[str, str] = field(default_factory=dict)

    def emit(self, event: Event) -> None:
        """Take an event of its loop; its texts and thinking are not shown."""
        match event:
            case ToolStarted(call_id, tool, arguments):
                self.tool_calls += 1
                detail = brief_arguments(arguments)
                self._started[call_id] = f"{tool} {detail}".rstrip()
                agent = self.started.agent_id
                self.tell(AgentProgress(agent, tool, detail, self.tool_calls, self.tokens))
            case ToolFinished(call_id, summary=summary):
                self._finished[call_id] = summary
            case _:
                return

    @property
    def searched(self) -> list[str]:
        """The finished calls, in the order in which they started."""
        return [
            f"{call} ({self._finished[call_id]})"
            for call_id, call in self._started.items()
            if call_id in self._finished
        ]

    @property
    def tokens(self) -> int:
        """Input and output."""
        return self.meter.spending.usage.total

    @property
    def milliseconds(self) -> float:
        """Time since it began."""
        return (time.perf_counter() - self.began) * 1000


async def run_subagent(agent: Agent, conversation: Conversation, run: RunContext) -> SubAgentResult:
    """Run it to its end, which may be a failure. Raises only if it is cancelled."""
    begun = len(conversation.messages)
    try:
        outcome = await run_agent(agent, conversation, run)
    except GlossatorError as error:
        first = str(error).partition("\n")[0].rstrip(".")
        return SubAgentResult(conversation.text_since(begun), f"it failed ({first})")
    if outcome.by_model:
        return SubAgentResult(outcome.text, _WHY.get(outcome.stop, ""))
    return SubAgentResult(
        conversation.text_since(begun), _WHY.get(outcome.stop, "it ended without a report")
    )


def read_only_permission(permission: Permission) -> Permission:
    """Permission for a fork, which has the tools of its conversation but may only read."""

    async def decide(tool: Tool, args: ToolArgs, context: ToolContext) -> Permit | Deny:
        if tool.access is not Access.READ:
            return Deny(_ONLY_READS.format(tool.name))
        return await permission(tool, args, context)

    return decide
