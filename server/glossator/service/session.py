"""A session: one conversation and what goes with it, for as long as the server lives."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime

from glossator.core.errors import UnknownSession
from glossator.llm.conversation import Conversation
from glossator.tools.findings import Findings
from glossator.tools.reads import ReadState
from glossator.tools.steps import TodoList

UNTITLED = "New session"


@dataclass(slots=True)
class Session:
    """One conversation; `system` is frozen by the first run and never changes after."""

    id: str
    title: str
    created_at: datetime
    conversation: Conversation = field(default_factory=Conversation)
    reads: ReadState = field(default_factory=ReadState)
    todo: TodoList = field(default_factory=TodoList)
    findings: Findings = field(default_factory=Findings)
    system: tuple[str, ...] = ()
    turns: int = 0


class Sessions:
    """The sessions of one server, in the order of their creation."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}

    def create(self, title: str | None = None) -> Session:
        """Begin an empty session."""
        session = Session(
            id=secrets.token_hex(8),
            title=title or UNTITLED,
            created_at=datetime.now(UTC),
        )
        self._sessions[session.id] = session
        return session

    def get(self, session_id: str) -> Session:
        """The session with this id. Raises `UnknownSession`."""
        try:
            return self._sessions[session_id]
        except KeyError:
            raise UnknownSession(
                f"There is no session {session_id!r} in this server; list the sessions, or leave"
                " the id out to begin a new one."
            ) from None

    def all(self) -> list[Session]:
        """Every session, oldest first."""
        return list(self._sessions.values())
