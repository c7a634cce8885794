"""The sub-agents in a session's log: when each began, its messages, its report.

They are not part of the conversation or of the session's state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from glossator.core.report import Report
from glossator.core.stored import from_stored
from glossator.llm import Conversation, Message


@dataclass(frozen=True, slots=True)
class AgentBegun:
    """A sub-agent of a run began; `inherited` counts the conversation's messages that it has."""

    agent_id: str
    run_id: str
    call_id: str | None
    name: str
    task: str
    model: str
    at: datetime
    inherited: int = 0


@dataclass(frozen=True, slots=True)
class AgentSaid:
    """A message was appended to a sub-agent's own conversation."""

    agent_id: str
    message: Message


@dataclass(frozen=True, slots=True)
class Reported:
    """A sub-agent ended with this report."""

    agent_id: str
    report: Report


AgentRecord = AgentBegun | AgentSaid | Reported


@dataclass(frozen=True, slots=True)
class PersistedAgent:
    """A sub-agent, read from its records; without a report its server was killed."""

    begun: AgentBegun
    messages: tuple[Message, ...] = ()
    report: Report | None = None


@dataclass(slots=True)
class AgentConversation(Conversation):
    """A sub-agent's conversation: `say` gets each message before it is appended."""

    say: Callable[[Message], None] = field(default=lambda _: None, compare=False, repr=False)

    def append(self, message: Message) -> None:
        """Add the next message."""
        self.say(message)
        Conversation.append(self, message)


def agents_in(records: Iterable[object]) -> dict[str, PersistedAgent]:
    """The sub-agents in records, by id, oldest first."""
    agents: dict[str, PersistedAgent] = {}
    for record in records:
        match record:
            case AgentBegun(agent_id):
                agents[agent_id] = PersistedAgent(record)
            case AgentSaid(agent_id, message) if known := agents.get(agent_id):
                agents[agent_id] = replace(known, messages=(*known.messages, message))
            case Reported(agent_id, report) if known := agents.get(agent_id):
                agents[agent_id] = replace(known, report=report)
    return agents


AGENT_ENCODERS: Mapping[type[Any], Callable[[Any], tuple[str, dict[str, Any]]]] = {
    AgentBegun: lambda r: (
        "agent begun",
        {
            "id": r.agent_id,
            "run": r.run_id,
            "call": r.call_id,
            "name": r.name,
            "task": r.task,
            "model": r.model,
            "at": r.at.isoformat(),
            "inherited": r.inherited,
        },
    ),
    AgentSaid: lambda r: ("agent said", {"id": r.agent_id, "message": r.message}),
    Reported: lambda r: ("reported", {"id": r.agent_id, "report": asdict(r.report)}),
}

AGENT_DECODERS: Mapping[str, Callable[[dict[str, Any]], AgentRecord]] = {
    "agent begun": lambda f: AgentBegun(
        f["id"],
        f["run"],
        f["call"],
        f["name"],
        f["task"],
        f["model"],
        datetime.fromisoformat(f["at"]),
        f["inherited"],
    ),
    "agent said": lambda f: AgentSaid(f["id"], f["message"]),
    "reported": lambda f: Reported(f["id"], from_stored(Report, f["report"])),
}
