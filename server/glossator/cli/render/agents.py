"""Sub-agents in a few words: what each does now, how it ended, and which there were."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from glossator.cli.messages import amount, duration, plural
from glossator.cli.wire import Event
from glossator.cli.wire_agents import Agent, Agents

_TOOLS = frozenset({"Explore", "Fork"})  # that start sub-agents
_TASK = 60  # characters of a task on the line of a sub-agent

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
    _names: dict[str | None, str] = field(default_factory=dict)  # by call, in the calls' order
    _open: set[str] = field(default_factory=set)  # those of these calls that have no result yet

    def called(self, event: Event) -> None:
        """A tool call began; it may start a sub-agent."""
        if event["tool"] in _TOOLS:
            self._open.add(event["callId"])
            self._names[event["callId"]] = event["arguments"].get("agent") or event["tool"]

    def answered(self, event: Event) -> None:
        """A tool call ended; those that are named apart are at work at the same time."""
        self._open.discard(event["callId"])
        if not self._open:
            self._names.clear()

    def started(self, event: Event) -> str:
        """Who began, and with what: `Explore: Where is it?`."""
        agent = _Running(self._name(event), _short(event["task"]))
        self.running[event["agentId"]] = agent
        self.calls.add(event["callId"])
        return f"{agent.name}: {agent.task}"

    def _name(self, event: Event) -> str:
        """Namesakes are numbered from 1, in the order of their calls."""
        name = event["name"]
        self._names[event["callId"]] = name
        namesakes = [call for call, called in self._names.items() if called == name]
        number = namesakes.index(event["callId"]) + 1
        return f"{name} {number}" if len(namesakes) > 1 else name

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


def _short(task: str) -> str:
    line = _one_line(task)
    return line if len(line) <= _TASK else f"{line[: _TASK - 1]}…"
