"""A question that may get a plan of tasks, and what decides about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum

from glossator.core.fact import Fact


class PlanChoice(StrEnum):
    """Whether a question is answered by a plan; auto: what the dispatcher says."""

    AUTO = "auto"
    PLAN = "plan"
    DIRECT = "direct"


async def _no_facts() -> tuple[Fact, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """A question, what the session was about, and the fresh facts, which only a plan needs.

    No `plan` is made, whatever the settings say, if that is None. `attached` are the names of what
    the conversation holds beside the question.
    """

    question: str
    plan: PlanChoice | None
    summary: Callable[[], str] = str
    facts: Callable[[], Awaitable[tuple[Fact, ...]]] = _no_facts
    attached: tuple[str, ...] = ()
