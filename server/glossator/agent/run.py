"""One run's surroundings: where events go and what the conversation was shown."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from glossator.agent.clock import RunClock
from glossator.context import Compactor
from glossator.core.events import Event
from glossator.core.permission import Permit
from glossator.llm import Message, Meter, Model
from glossator.permissions import Deny
from glossator.tools import Tool, ToolArgs, ToolContext

Permission = Callable[[Tool, ToolArgs, ToolContext], Awaitable[Permit | Deny]]


async def _no_news() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the loop needs besides the agent and the conversation.

    `emit` shows an event and never blocks. `tool_context` freezes the newest workspace: a call
    sees one snapshot, a turn sees the newest at each call. `permission` decides whether a
    call may be made; it may ask the user first. `received` is told of a reply before its
    calls are run. `compactor` compacts the conversation when the window fills up; without it
    a full one ends the run. `meter` counts what is asked of the model; without it, one of the
    agent's limits.
    `revision` is the workspace's: it grows with every change. `changes` counts those that the run's
    own calls make. `waits` says whether a job runs in the background, whose output may be waited
    for.
    `reminders` gives what the model is to know, besides, with the next results; so does `news`,
    which is asked once they are there. `review` says what is wrong with an answer, for the model;
    "" if nothing is.
    """

    model: Model
    emit: Callable[[Event], None]
    tool_context: Callable[[], Awaitable[ToolContext]]
    permission: Permission
    received: Callable[[Message], None] = lambda _: None
    compactor: Compactor | None = None
    clock: RunClock = field(default_factory=RunClock)
    meter: Meter | None = None
    revision: Callable[[], int] = lambda: 0
    changes: Callable[[], int] = lambda: 0
    waits: Callable[[], bool] = lambda: False
    reminders: Callable[[], Iterable[str]] = tuple
    review: Callable[[str], Awaitable[str]] | None = None
    news: Callable[[], Awaitable[str]] = _no_news
