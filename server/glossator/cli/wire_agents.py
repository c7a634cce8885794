"""What the protocol says about sub-agents, as `wire.py` has the rest."""

from __future__ import annotations

from typing import TypedDict

from glossator.cli.wire import Answer, Citation


class Finding(TypedDict):
    """A block of Markdown, and its citations in order."""

    text: str
    citations: list[Citation]


class Report(TypedDict):
    """What a sub-agent found; `partial` says why there would be more, "" if there would not."""

    agent: str
    task: str
    findings: list[Finding]
    searched: list[str]
    open: list[str]
    partial: str


class Explored(Answer):
    """The end of an exploration; `document` is the URI of the gloss it was kept as."""

    report: Report
    document: str | None


class Agent(TypedDict):
    """A sub-agent of a session; `findings` is null as long as there is no report."""

    agentId: str
    runId: str
    name: str
    task: str
    model: str
    beganAt: str
    running: bool
    findings: int | None
    partial: str


class Agents(TypedDict):
    """The sub-agents of a session, oldest first."""

    agents: list[Agent]


class AgentTranscript(TypedDict):
    """All that was said in a sub-agent, as Markdown."""

    agent: Agent
    report: Report | None
    text: str
