"""A sub-agent under way: the loop on a conversation of its own, told of in few words."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from glossator.agent.agent import Agent, Stop
from glossator.agent.loop import run_agent
from glossator.agent.run import Permission, RunContext
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
class Ended:
    """How a sub-agent ended: its last words, and why they are not all; "" if they are."""

    text: str
    partial: str = ""


@dataclass(slots=True)
class Progress:
    """What a sub-agent has done so far; `tell` is told of each tool it turns to."""

    started: AgentStarted
    tell: Callable[[Event], None]
    meter: Meter
    tool_calls: int = 0
    began: float = field(default_factory=time.perf_counter)
    _started: dict[str, str] = field(default_factory=dict)
    _finished: dict[str, str] = field(default_factory=dict)

    def emit(self, event: Event) -> None:
        """An event of its own loop; what it says and thinks is not shown."""
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
        """The calls that finished, in the order in which they started."""
        return [
            f"{call} ({self._finished[call_id]})"
            for call_id, call in self._started.items()
            if call_id in self._finished
        ]

    @property
    def tokens(self) -> int:
        """In and out."""
        return self.meter.spending.usage.total

    @property
    def milliseconds(self) -> float:
        """Since it began."""
        return (time.perf_counter() - self.began) * 1000


async def run_subagent(agent: Agent, conversation: Conversation, run: RunContext) -> Ended:
    """Its last words. A failure is an end, too; only being cancelled is not."""
    begun = len(conversation.messages)
    try:
        outcome = await run_agent(agent, conversation, run)
    except GlossatorError as error:
        first = str(error).partition("\n")[0].rstrip(".")
        return Ended(said(conversation, begun), f"it failed ({first})")
    if outcome.by_model:
        return Ended(outcome.text, _WHY.get(outcome.stop, ""))
    return Ended(said(conversation, begun), _WHY.get(outcome.stop, "it ended without a report"))


def said(conversation: Conversation, begun: int) -> str:
    """What the model wrote beside its calls since the conversation had so many messages."""
    replies = (m for m in conversation.messages[begun:] if m["role"] == "assistant")
    texts = (block for reply in replies for block in reply["content"] if block["type"] == "text")
    return "\n\n".join(block["text"] for block in texts)


def only_reading(permission: Permission) -> Permission:
    """Permission for a fork: its tools are those of the conversation, and only reading is meant."""

    async def decide(tool: Tool, args: ToolArgs, context: ToolContext) -> Permit | Deny:
        if tool.access is not Access.READ:
            return Deny(_ONLY_READS.format(tool.name))
        return await permission(tool, args, context)

    return decide
