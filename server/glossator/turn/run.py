"""A run: its agent, its context, and how it ends."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from glossator.application import Permission
from glossator.context import Compactor
from glossator.core.events import Event, Usage
from glossator.core.images import Image
from glossator.core.tool_result import ToolResult
from glossator.hooks import HookAnswer
from glossator.llm import Message, Meter, Model, Spending, ToolSpec
from glossator.sessions import RunClock
from glossator.settings import LimitSettings
from glossator.tools import Registry, ToolArgs, ToolContext


@dataclass(frozen=True, slots=True)
class Agent:
    """The system blocks, the tools and the limits of a kind of run.

    `specs` describe the tools to the model. A conversation keeps those that it began with; if there
    are none, they are made from the tools.
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
    HOOK = "hook"
    REFUSED = "refused"
    CUT_OFF = "cut off"
    CONTEXT_FULL = "context full"


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The answer, and what the run took. `by_model` is false if the text says why there is none."""

    text: str
    stop: Stop
    turns: int
    spending: Spending
    by_model: bool = True

    @property
    def usage(self) -> Usage:
        """The tokens of all its requests."""
        return self.spending.usage


class ToolHooks(Protocol):
    """The user's hooks about tool calls of one run; no failure of theirs is raised."""

    @property
    def halted(self) -> bool:
        """Whether one says that the run is to end."""

    def concern(self, tool: str) -> bool:
        """Whether there are any about a tool."""

    async def before(self, tool: str, args: ToolArgs, call_id: str) -> HookAnswer:
        """What they say about a call that is about to be decided about."""

    async def after(self, tool: str, args: ToolArgs, result: ToolResult, call_id: str) -> None:
        """Run them after a call that succeeded; what they say is told with the results."""


class Hearing(Protocol):
    """Who hears the text of a reply while it streams."""

    def hear(self, text: str) -> None:
        """More of the text arrived."""

    def discard(self) -> None:
        """What was heard is void; another reply begins."""


async def _no_news() -> str:
    return ""


async def _at_once() -> None:
    """Nothing is waited for."""


class _Nobody:
    """Hears nothing."""

    def hear(self, text: str) -> None:
        """More text."""

    def discard(self) -> None:
        """Another reply."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the loop needs besides the agent and the conversation.

    `emit` shows an event and never blocks. `tool_context` makes the context of one call, with a
    snapshot of the newest workspace. `permission` decides about a call and may ask the user.
    `received` is called with each reply before its calls run. Without a `compactor`, a full window
    ends the run. Without a `meter`, one with the agent's limits counts.
    `revision` grows with every change of the workspace, `changes` with those by the run's own
    calls. `waits` says whether a background job runs, whose output calls may wait for.
    `reminders`, and `news` once all results are there, add texts to the results. `review` says for
    the model what is wrong with an answer; "" if nothing is. `hooks` are the user's, if there are
    any about calls. `go_on` says why the model is to go on after an answer, which is the so
    manieth one for which it is asked; "" if it is not. `hearing` gets the texts of replies.
    `before_acting` is awaited before a reply's calls are run; until then nothing of the reply
    counts. `steered` gives what the user said meanwhile; it counts as told, so it is asked as a
    message is made after which the model goes on.
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
    hooks: ToolHooks | None = None
    go_on: Callable[[int], Awaitable[str]] | None = None
    hearing: Hearing = field(default_factory=_Nobody)
    before_acting: Callable[[], Awaitable[None]] = _at_once
    steered: Callable[[], Iterable[str | Image]] = tuple
