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
    """The user's hooks about the tool calls of one run; their failures are never raised."""

    @property
    def halted(self) -> bool:
        """Whether a hook wants the run to end."""

    def concern(self, tool: str) -> bool:
        """Whether there are hooks about a tool."""

    async def before(self, tool: str, args: ToolArgs, call_id: str) -> HookAnswer:
        """What the hooks say about a call whose permission is about to be decided."""

    async def after(self, tool: str, args: ToolArgs, result: ToolResult, call_id: str) -> None:
        """Run the hooks after a call that succeeded; what they say goes with the results."""


class Hearing(Protocol):
    """Receives the text of a reply while it streams."""

    def hear(self, text: str) -> None:
        """Take the next piece of text."""

    def discard(self) -> None:
        """Forget what was heard; another reply begins."""


class _Nobody:
    """Ignores the text of replies."""

    def hear(self, text: str) -> None:
        """Ignore the text."""

    def discard(self) -> None:
        """Ignore the reply's end."""


@dataclass(slots=True)
class RunContext(ABC):
    """What the loop needs besides the agent and the conversation; each kind of run has its own.

    A turn's is `TurnContext` (`turn/turn.py`), a sub-agent's `AgentContext` (`turn/subagent.py`).
    `permission` is `PermissionChecker.permission`, from `SessionActing.permission`: it decides
    about a call and may ask the user. Without a `compactor`, a full window ends the run. Without a
    `meter`, one with the agent's limits counts. `hooks` are the user's, if there are any about
    calls. `hearing` gets the texts of replies.
    """

    model: Model
    permission: Permission
    compactor: Compactor | None = None  # from `compactor_of` (`turn/compaction.py`)
    clock: RunClock = field(default_factory=RunClock)
    meter: Meter | None = None
    hooks: ToolHooks | None = None  # `SessionHooks` (`turn/hooks.py`)
    hearing: Hearing = field(default_factory=_Nobody)  # `Judging` (`turn/judged/judge.py`)

    @abstractmethod
    def emit(self, event: Event) -> None:
        """Show an event; never blocks."""

    @abstractmethod
    async def tool_context(self) -> ToolContext:
        """The context of one call, with a snapshot of the newest workspace."""

    def received(self, reply: Message) -> None:  # noqa: B027 - not every run keeps it
        """Called with a reply whose calls are about to be run."""

    async def before_acting(self) -> None:  # noqa: B027 - not every run waits
        """Awaited before a reply's calls are run; until it returns, nothing of the reply counts."""

    def revision(self) -> int:
        """Grows with every change of the workspace."""
        return 0

    def changes(self) -> int:
        """The number of changes that the run's own calls made."""
        return 0

    def waits(self) -> bool:
        """Whether a background job runs whose output calls may wait for."""
        return False

    def reminders(self) -> Iterable[str]:
        """Reminders that go into the message with the results."""
        return ()

    async def news(self) -> str:
        """One more reminder, made once all results are there; "" if there is none."""
        return ""

    def steered(self) -> Iterable[str | Image]:
        """What the user said during the run.

        The words count as told from here on, so this is called while the next message is made.
        """
        return ()

    async def review(self, answer: str) -> str:  # noqa: ARG002 - for those that review
        """What is wrong with an answer, for the model; "" if it is right."""
        return ""

    async def go_on(self, times: int) -> str:  # noqa: ARG002 - for those with hooks
        """Why the model must go on after so many answers; "" if it need not."""
        return ""


def acts(tools: Registry, call: ToolCall) -> bool:
    """Whether a call may change something."""
    tool = tools.get(call.name)
    return tool is not None and tool.access not in (Access.READ, Access.NONE)
