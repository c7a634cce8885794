"""Sessions: begin, list, resume, rename, delete and export them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from glossator.application.application import Application
from glossator.core.errors import UsageError
from glossator.core.events import Envelope, UndoneTurn
from glossator.core.session_answers import DeletedSession, ExportedSession, SessionInfo, SessionList
from glossator.core.shown import shown
from glossator.sessions.catalog import ListedSession
from glossator.sessions.export import to_json, to_markdown
from glossator.sessions.replay import replay
from glossator.sessions.state import add_up
from glossator.usecases.undo import undone_turns

_TITLE_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class NewSessionRequest:
    """The title shown in lists; the first question serves when there is none."""

    title: str | None = None


@dataclass(frozen=True, slots=True)
class ListSessionsRequest:
    """Takes nothing."""


@dataclass(frozen=True, slots=True)
class ResumeSessionRequest:
    """Which session to go on with."""

    session_id: str


@dataclass(frozen=True, slots=True)
class ResumedSession:
    """A session, and the events to show it again by; a reply's text is one `text.delta`.

    `undone` are the turns whose changes were taken back from the files.
    """

    session: SessionInfo
    events: tuple[Envelope, ...]
    undone: tuple[UndoneTurn, ...]


@dataclass(frozen=True, slots=True)
class RenameSessionRequest:
    """A session's new title."""

    session_id: str
    title: str


@dataclass(frozen=True, slots=True)
class DeleteSessionRequest:
    """Which session to delete for good."""

    session_id: str


class ExportFormat(StrEnum):
    """Markdown is for reading; JSON has everything."""

    MARKDOWN = "markdown"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class ExportSessionRequest:
    """Which session to write out, and how."""

    session_id: str
    format: ExportFormat = ExportFormat.MARKDOWN


async def new_session(app: Application, request: NewSessionRequest) -> SessionInfo:
    """Begin an empty session."""
    return await _info(app, app.sessions.create(request.title).id)


async def list_sessions(app: Application, _request: ListSessionsRequest) -> SessionList:
    """All sessions of this workspace, kept ones included."""
    return SessionList(tuple(_view(app, item) for item in await app.sessions.all()))


async def resume_session(app: Application, request: ResumeSessionRequest) -> ResumedSession:
    """Make a kept session one of this server's. Raises as `Sessions.open`."""
    session = await app.sessions.open(request.session_id)
    records = await app.sessions.records(session.id) if session.on_disk else []
    events = tuple(replay(records, app.runs.active()))
    return ResumedSession(await _info(app, session.id), events, undone_turns(app, session))


async def rename_session(app: Application, request: RenameSessionRequest) -> SessionInfo:
    """Give a session another title. Raises as `Sessions.open`, and for a title that is none."""
    title = " ".join(request.title.split())[:_TITLE_CHARACTERS]
    if not title:
        raise UsageError("The title is empty; give the session one that can be read in a list.")
    session = await app.sessions.open(request.session_id)
    session.rename(title)
    app.sessions.settle(session)
    return await _info(app, session.id)


async def delete_session(app: Application, request: DeleteSessionRequest) -> DeletedSession:
    """Delete a session that is not running. Raises as `Sessions.open`."""
    if app.runs.busy(request.session_id):
        raise UsageError("This session is answering; cancel the run, then delete it.")
    try:
        await app.sessions.delete(request.session_id)
    finally:
        app.acting.forget(request.session_id)
    return DeletedSession(request.session_id)


async def export_session(app: Application, request: ExportSessionRequest) -> ExportedSession:
    """Write a session out, whichever server has it. Raises `UnknownSession` for an empty one."""
    records = await app.sessions.records(request.session_id)
    name = re.sub(r"[^\w-]+", "-", add_up(records).title)[:40].strip("-") or "session"
    match request.format:
        case ExportFormat.MARKDOWN:
            return ExportedSession(f"{name}.md", to_markdown(records))
        case ExportFormat.JSON:
            return ExportedSession(f"{name}.json", to_json(records))


async def _info(app: Application, session_id: str) -> SessionInfo:
    listed = await app.sessions.all()
    return next(_view(app, item) for item in listed if item.head.id == session_id)


def _view(app: Application, item: ListedSession) -> SessionInfo:
    return SessionInfo(
        id=item.head.id,
        title=shown(item.head.title),
        created_at=item.head.created_at,
        updated_at=item.updated_at.isoformat(timespec="seconds"),
        turns=item.head.turns,
        running=app.runs.busy(item.head.id),
    )
