"""What the commands about sessions answer."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.core.report import Report


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session as lists show it; times are ISO 8601, `turns` counts model replies.

    `found` is its newest question that holds the words looked for, "" where its title holds them.
    """

    id: str
    title: str
    created_at: str
    updated_at: str
    turns: int
    running: bool
    found: str = ""


@dataclass(frozen=True, slots=True)
class SessionList:
    """The sessions of this workspace, those in which something happened last first."""

    sessions: tuple[SessionInfo, ...]


@dataclass(frozen=True, slots=True)
class DeletedSession:
    """The session that was deleted."""

    id: str


@dataclass(frozen=True, slots=True)
class ExportedSession:
    """The text of a session, and a name for a file to put it in."""

    file_name: str
    text: str


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """A sub-agent of a run; `began_at` is ISO 8601.

    `findings` is None as long as there is no report: it is `running`, or its server was killed.
    `partial` says why the report is not whole, "" if it is.
    """

    agent_id: str
    run_id: str
    name: str
    task: str
    model: str
    began_at: str
    running: bool
    findings: int | None
    partial: str


@dataclass(frozen=True, slots=True)
class AgentList:
    """The sub-agents of a session's runs, oldest first."""

    agents: tuple[AgentInfo, ...]


@dataclass(frozen=True, slots=True)
class AgentTranscript:
    """A sub-agent, its report if there is one, and all that was said in it, as Markdown."""

    agent: AgentInfo
    report: Report | None
    text: str
