"""Sub-agents in a few words: what each does now, how it ended, and which there were."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from glossator.cli.messages import amount, duration, plural
from glossator.cli.wire import Event
from glossator.cli.wire_agents import Agent, Agents

NO_AGENT = "No sub-agent was at work in this session."


class AgentLine(NamedTuple):
    """A line about a sub-agent: who it is, what it does or how it ended, and its figures."""

    who: str
    what: str
    figures: str


@dataclass(slots=True)
class _Running:
    name: str
    task: str
    doing: str = ""
    calls: int = 0
    tokens: int = 0
    began: float = field(default_factory=time.monotonic)


@dataclass(slots=True)
class AgentLines:
    """The sub-agents at work, by id, in the order of their start; `calls` started them."""

    running: dict[str, _Running] = field(default_factory=dict)
    calls: set[str | None] = field(default_factory=set)
    _begun: Counter[str] = field(default_factory=Counter)  # by name: namesakes are numbered

    def started(self, event: Event) -> str:
        """Who began, and with what: `Explore: Where is it?`."""
        self._begun[event["name"]] += 1
        number = self._begun[event["name"]]
        name = f"{event['name']} {number}" if number > 1 else event["name"]
        agent = _Running(name, _one_line(event["task"]))
        self.running[event["agentId"]] = agent
        self.calls.add(event["callId"])
        return f"{agent.name}: {agent.task}"

    def progress(self, event: Event) -> str:
        """What one does now: `Explore: Grep pattern="x"`."""
        agent = self.running[event["agentId"]]
        agent.doing = f"{event['tool']} {event['detail']}".rstrip()
        agent.calls, agent.tokens = event["toolCalls"], event["tokens"]
        return f"{agent.name}: {agent.doing}"

    def finished(self, event: Event) -> AgentLine:
        """How one ended: `✓ Explore`, its task, and what it took."""
        agent = self.running.pop(event["agentId"])
        mark = "✗" if event["error"] else "◐" if event["partial"] else "✓"
        figures = _figures(event["toolCalls"], event["tokens"], event["milliseconds"])
        if event["partial"]:
            figures = f"{event['partial']} · {figures}"
        return AgentLine(f"{mark} {agent.name}", agent.task, figures)

    def lines(self) -> Iterator[AgentLine]:
        """Those at work, as of now."""
        now = time.monotonic()
        for agent in self.running.values():
            figures = _figures(agent.calls, agent.tokens, (now - agent.began) * 1000)
            yield AgentLine(agent.name, agent.doing or agent.task, figures)


class AgentRow(NamedTuple):
    """A sub-agent as a list shows it."""

    id: str
    name: str
    task: str
    outcome: str


def agent_rows(answer: Agents) -> list[AgentRow]:
    """Oldest first."""
    return [
        AgentRow(each["agentId"], each["name"], _one_line(each["task"]), _outcome(each))
        for each in answer["agents"]
    ]


def _outcome(agent: Agent) -> str:
    if agent["running"]:
        return "at work"
    if agent["findings"] is None:
        return "not finished"
    found = plural(agent["findings"], "finding")
    return f"{found}, partial: {agent['partial']}" if agent["partial"] else found


def _figures(calls: int, tokens: int, milliseconds: float) -> str:
    return f"{plural(calls, 'call')} · {amount(tokens)} tokens · {duration(milliseconds)}"


def _one_line(text: str) -> str:
    """The first paragraph: what follows are instructions, where Glossator words the task."""
    return " ".join(text.strip().partition("\n\n")[0].split())
