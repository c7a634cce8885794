"""The sub-agents of a session: which there were, and what each did."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.application.application import Application
from glossator.core.errors import UsageError
from glossator.core.session_answers import AgentInfo, AgentList, AgentTranscript
from glossator.core.shown import shown_prose
from glossator.sessions.agents import PersistedAgent, agents_in
from glossator.sessions.export import message_parts
from glossator.sessions.state import standing


@dataclass(frozen=True, slots=True)
class ListAgentsRequest:
    """Of a session."""

    session_id: str


@dataclass(frozen=True, slots=True)
class ShowAgentRequest:
    """Which sub-agent of a session."""

    session_id: str
    agent_id: str


async def list_agents(app: Application, request: ListAgentsRequest) -> AgentList:
    """Raises as `Sessions.records`."""
    found = await _agents(app, request.session_id)
    return AgentList(tuple(_info(app, agent) for agent in found.values()))


async def show_agent(app: Application, request: ShowAgentRequest) -> AgentTranscript:
    """Raises `UsageError` for one that is not known, and as `Sessions.records`."""
    agent = (await _agents(app, request.session_id)).get(request.agent_id)
    if agent is None:
        raise UsageError(
            f"There is no sub-agent {request.agent_id!r} in this session; list them, or look into"
            " another session."
        )
    begun = agent.begun
    head = f"{begun.name}, {begun.model}, {begun.at.strftime('%Y-%m-%d %H:%M UTC')}"
    if begun.inherited:
        head += f", after {begun.inherited:,} messages of the conversation"
    parts = [f"# {begun.task}", head]
    for message in agent.messages:
        parts += message_parts(message)
    return AgentTranscript(_info(app, agent), agent.report, shown_prose("\n\n".join(parts) + "\n"))


async def _agents(app: Application, session_id: str) -> dict[str, PersistedAgent]:
    session = next((each for each in app.sessions.loaded() if each.id == session_id), None)
    if session is not None and not session.on_disk:
        return {}
    return agents_in(standing(await app.sessions.records(session_id)))


def _info(app: Application, agent: PersistedAgent) -> AgentInfo:
    begun, report = agent.begun, agent.report
    return AgentInfo(
        agent_id=begun.agent_id,
        run_id=begun.run_id,
        name=begun.name,
        task=begun.task,
        model=begun.model,
        began_at=begun.at.isoformat(timespec="seconds"),
        running=app.runs.has_agent(begun.agent_id),
        findings=None if report is None else len(report.findings),
        partial="" if report is None else report.partial,
    )
