"""For which session the user is asked.

Whoever opens a run says so once, and it holds for everything the run does, in tasks of its own too;
an edge reads it as it puts a question to the user. Outside a run no session asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from glossator.core.shown import shown


class Named(Protocol):
    """A session; its title may change while it runs."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Asker:
    """The session that asks, as it is shown; both are empty where none does."""

    session_id: str = ""
    session_title: str = ""


_session: ContextVar[Named | None] = ContextVar("session that asks", default=None)


@contextmanager
def asking_for(session: Named) -> Iterator[None]:
    """What asks the user within the block asks for this session."""
    token = _session.set(session)
    try:
        yield
    finally:
        _session.reset(token)


def asker() -> Asker:
    """The session that asks here and now."""
    session = _session.get()
    return Asker() if session is None else Asker(session.id, shown(session.title))
