"""What an agent is, and how its run can end. Both are values; `run_agent` is a function."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from glossator.core.events import Usage
from glossator.llm import Spending, ToolSpec
from glossator.settings import LimitSettings
from glossator.tools import Registry


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
