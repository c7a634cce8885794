"""A run: its agent, what it needs of the application, and how it ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from glossator.application import Permission
from glossator.core.events import Event, Usage
from glossator.core.images import Image
from glossator.core.permission import Access
from glossator.core.tool_result import ToolResult
from glossator.hooks import HookAnswer
from glossator.llm import Message, Meter, Model, Spending, ToolCall, ToolSpec
from glossator.sessions import Compactor, RunClock
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
        """Run them after a call that succeeded; what they say goes with the results."""


class Hearing(Protocol):
    """Who hears the text of a reply while it streams."""

    def hear(self, text: str) -> None:
        """More of the text arrived."""

    def discard(self) -> None:
        """What was heard is void; another reply begins."""


class _Nobody:
    """Hears nothing."""

    def hear(self, text: str) -> None:
        """More text."""

    def discard(self) -> None:
        """Another reply."""


@dataclass(slots=True)
class RunContext(ABC):
    """What the loop needs besides the agent and the conversation; each kind of run has its own.

    `permission` decides about a call and may ask the user. Without a `compactor`, a full window
    ends the run. Without a `meter`, one with the agent's limits counts. `hooks` are the user's, if
    there are any about calls. `hearing` gets the texts of replies.
    """

    model: Model
    permission: Permission
    compactor: Compactor | None = None
    clock: RunClock = field(default_factory=RunClock)
    meter: Meter | None = None
    hooks: ToolHooks | None = None
    hearing: Hearing = field(default_factory=_Nobody)

    @abstractmethod
    def emit(self, event: Event) -> None:
        """Show an event; never blocks."""

    @abstractmethod
    async def tool_context(self) -> ToolContext:
        """The context of one call, with a snapshot of the newest workspace."""

    def received(self, reply: Message) -> None:  # noqa: B027 - not every run keeps it
        """Hear of a reply whose calls are about to be run."""

    async def before_acting(self) -> None:  # noqa: B027 - not every run waits
        """Awaited before a reply's calls are run; until then nothing of the reply counts."""

    def revision(self) -> int:
        """Grows with every change of the workspace."""
        return 0

    def changes(self) -> int:
        """Grows with the changes by the run's own calls."""
        return 0

    def waits(self) -> bool:
        """Whether a background job runs, whose output calls may wait for."""
        return False

    def reminders(self) -> Iterable[str]:
        """Texts for the message with the results."""
        return ()

    async def news(self) -> str:
        """Another one, once all results are there; "" if there is none."""
        return ""

    def steered(self) -> Iterable[str | Image]:
        """What the user said meanwhile.

        It counts as told, so it is asked as a message is made after which the model goes on.
        """
        return ()

    async def review(self, answer: str) -> str:  # noqa: ARG002 - for those that review
        """What is wrong with an answer, for the model; "" if nothing is."""
        return ""

    async def go_on(self, times: int) -> str:  # noqa: ARG002 - for those with hooks
        """Why the model is to go on after an answer, having gone on so many times; "" if not."""
        return ""


def acts(tools: Registry, call: ToolCall) -> bool:
    """Whether a call may change something."""
    tool = tools.get(call.name)
    return tool is not None and tool.access not in (Access.READ, Access.NONE)
