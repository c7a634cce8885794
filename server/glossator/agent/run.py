"""A run: its agent, what it needs, its clock, and how it can end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from glossator.context import Compactor
from glossator.core.events import Event, Usage
from glossator.core.permission import Permit
from glossator.llm import Message, Meter, Model, Spending, ToolSpec
from glossator.permissions import Deny
from glossator.settings import LimitSettings
from glossator.tools import Registry, Tool, ToolArgs, ToolContext

Permission = Callable[[Tool, ToolArgs, ToolContext], Awaitable[Permit | Deny]]


class RunClock:
    """Begins with the run, or the call; belongs to the event loop."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._waited = 0.0
        self._waits = 0  # how many questions the user has not answered
        self._since = 0.0  # the first of them
        self._limits: dict[asyncio.Timeout, float | None] = {}  # with what is left while it waits

    @property
    def seconds(self) -> float:
        """How long the run has worked."""
        return time.monotonic() - self._began - self.waited

    @property
    def waited(self) -> float:
        """How many seconds the user was waited for."""
        return self._waited + (time.monotonic() - self._since if self._waits else 0.0)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """For the user: no limit is reached meanwhile."""
        if not self._waits:
            self._since = time.monotonic()
            self._limits = {limit: _stop(limit) for limit in self._limits}
        self._waits += 1
        try:
            yield
        finally:
            self._waits -= 1
            if not self._waits:
                self._waited += time.monotonic() - self._since
                for limit, left in self._limits.items():
                    _go_on(limit, left)

    def waiting_also(
        self, around: Callable[[], AbstractContextManager[object]]
    ) -> Callable[[], AbstractContextManager[None]]:
        """Its `waiting`, in which what is `around` waits as well."""

        @contextmanager
        def both() -> Iterator[None]:
            with around(), self.waiting():
                yield

        return both

    @asynccontextmanager
    async def limit(self, seconds: float) -> AsyncIterator[None]:
        """The block may work so long. Raises `TimeoutError`."""
        async with asyncio.timeout(seconds) as limit:
            self._limits[limit] = _stop(limit) if self._waits else None
            try:
                yield
            finally:
                del self._limits[limit]


def _stop(limit: asyncio.Timeout) -> float | None:
    when = limit.when()
    if when is None or limit.expired():
        return None
    limit.reschedule(None)
    return when - asyncio.get_running_loop().time()


def _go_on(limit: asyncio.Timeout, left: float | None) -> None:
    if left is not None:
        limit.reschedule(asyncio.get_running_loop().time() + left)


@dataclass(frozen=True, slots=True)
class Agent:
    """A specification: the system blocks, the tools and the limits of a kind of run.

    `specs` is what the model is told of the tools: a conversation that goes on gives those it began
    with, others are read off the tools.
    """

    name: str
    system: tuple[str, ...]
    tools: Registry
    limits: LimitSettings
    specs: tuple[ToolSpec, ...] = ()


class Stop(StrEnum):
    """Why a run ended."""

    ANSWERED = "answered"
    TURNS = "turns"
    TOKENS = "tokens"
    MONEY = "money"
    TIME = "time"
    REPETITION = "repetition"
    REFUSED = "refused"
    CUT_OFF = "cut off"
    CONTEXT_FULL = "context full"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a run: the answer's text, and what it took.

    `by_model`: the text is the model's, and not about why there is none.
    """

    text: str
    stop: Stop
    turns: int
    spending: Spending
    by_model: bool = True

    @property
    def usage(self) -> Usage:
        """The tokens of all its requests."""
        return self.spending.usage


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
