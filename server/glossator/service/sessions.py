"""Sessions: begin one, list them."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.service.application import Application
from glossator.service.session import Session


@dataclass(frozen=True, slots=True)
class NewSessionRequest:
    """The title shown in lists; the first question serves when there is none."""

    title: str | None = None


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session as lists show it; `created_at` is ISO 8601, `turns` counts model replies."""

    id: str
    title: str
    created_at: str
    turns: int
    running: bool


@dataclass(frozen=True, slots=True)
class ListSessionsRequest:
    """Takes nothing."""


@dataclass(frozen=True, slots=True)
class SessionList:
    """The sessions, newest first."""

    sessions: tuple[SessionInfo, ...]


async def new_session(app: Application, request: NewSessionRequest) -> SessionInfo:
    """Begin an empty session."""
    return _info(app, app.sessions.create(request.title))


async def list_sessions(app: Application, _request: ListSessionsRequest) -> SessionList:
    """All sessions of this server, newest first."""
    newest_first = reversed(app.sessions.all())
    return SessionList(tuple(_info(app, session) for session in newest_first))


def _info(app: Application, session: Session) -> SessionInfo:
    return SessionInfo(
        id=session.id,
        title=session.title,
        created_at=session.created_at.isoformat(timespec="seconds"),
        turns=session.turns,
        running=app.runs.busy(session.id),
    )
