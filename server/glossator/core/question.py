"""Questions that only the user answers, and who asks them: the session, and the tool call.

A run names its session once (`asking_for`), also for its tasks, and each call itself (`calling`);
an edge reads them (`asker`, `calling_id`) when it asks the user. Outside a run no session asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from glossator.core.shown import shown


@dataclass(frozen=True, slots=True)
class Option:
    """One of the answers on offer; `detail` says what choosing it means."""

    label: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; `several` of the options may be chosen, and words of one's own be given.

    `draft` is a text in Markdown, such as a plan, that the user may change before they choose.
    `refusal` is the label of the option that allows nothing, where each other one allows something.
    """

    text: str
    options: tuple[Option, ...]
    several: bool = False
    draft: str = ""
    refusal: str = ""

    @property
    def choices(self) -> str:
        """The options in a row: `one | other`."""
        return " | ".join(option.label for option in self.options)


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """The labels of the options chosen, and the user's own words; both may be empty.

    `draft` is the question's draft as the user changed it; empty if they did not.
    """

    chosen: tuple[str, ...] = ()
    words: str = ""
    draft: str = ""

    def __bool__(self) -> bool:
        return bool(self.chosen or self.words)


class AskingSession(Protocol):
    """A session that asks; its title may change while it runs."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Asker:
    """The session that asks, as people see it; both fields are empty if none does."""

    session_id: str = ""
    session_title: str = ""


_session: ContextVar[AskingSession | None] = ContextVar("session that asks", default=None)
_call_id: ContextVar[str] = ContextVar("call that asks", default="")


@contextmanager
def asking_for(session: AskingSession) -> Iterator[None]:
    """Name the session that asks the user within the block."""
    token = _session.set(session)
    try:
        yield
    finally:
        _session.reset(token)


@contextmanager
def calling(call_id: str) -> Iterator[None]:
    """Name the tool call that asks the user within the block."""
    token = _call_id.set(call_id)
    try:
        yield
    finally:
        _call_id.reset(token)


def calling_id() -> str:
    """The tool call that asks at this point of the program; "" outside of one.

    What a call leaves behind, such as a job, still has its id.
    """
    return _call_id.get()


def asker() -> Asker:
    """The session that asks at this point of the program."""
    session = _session.get()
    return Asker() if session is None else Asker(session.id, shown(session.title))
