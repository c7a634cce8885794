"""Ends a run that goes in circles or passes its limits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from glossator.agent.agent import Stop
from glossator.agent.clock import RunClock
from glossator.llm.cost import Spending, in_words
from glossator.llm.model import Reply, ToolCall
from glossator.settings.model import LimitSettings


@dataclass(slots=True)
class Guard:
    """Counts what a run has used; `exceeded` names the limit that was reached, if one was.

    `dollars` is what the run may cost, None for any price.
    """

    limits: LimitSettings
    dollars: float | None = None
    clock: RunClock = field(default_factory=RunClock)
    turns: int = 0
    spending: Spending = field(default_factory=Spending)
    _calls: Counter[str] = field(default_factory=Counter)

    def count(self, reply: Reply) -> None:
        """A reply arrived."""
        self.turns += 1
        self.spending += Spending.of(reply)
        self._calls.update(_fingerprint(call) for call in reply.tool_calls)

    def begin_anew(self, spending: Spending) -> None:
        """The conversation was compacted: what was read before may be read again."""
        self.spending += spending
        self._calls.clear()

    @property
    def is_blind(self) -> bool:
        """Whether the limit of money cannot be kept, because a price is not known."""
        return self.dollars is not None and self.spending.unpriced > 0

    @property
    def seconds_left(self) -> float:
        """Until the run's end, without waiting for the user."""
        return max(0.0, self.limits.seconds - self.clock.seconds)

    def exceeded(self, calls: Sequence[ToolCall]) -> Stop | None:
        """The limit that forbids running these calls."""
        if self.turns >= self.limits.turns:
            return Stop.TURNS
        if self.spending.usage.total >= self.limits.tokens:
            return Stop.TOKENS
        if self.dollars is not None and self.spending.known_dollars >= self.dollars:
            return Stop.MONEY
        if self.seconds_left == 0:
            return Stop.TIME
        if any(self._calls[_fingerprint(call)] >= self.limits.repeats for call in calls):
            return Stop.REPETITION
        return None

    def explain(self, stop: Stop) -> str:
        """The limit in words, for the user and the model."""
        return {
            Stop.TURNS: f"the limit of {self.limits.turns} turns is reached",
            Stop.TOKENS: f"the limit of {self.limits.tokens:,} tokens is reached",
            Stop.MONEY: f"the limit of {in_words(self.dollars)} is reached",
            Stop.TIME: f"the limit of {self.limits.seconds:g} seconds is reached",
            Stop.REPETITION: f"the same call was made {self.limits.repeats} times",
        }[stop]


def _fingerprint(call: ToolCall) -> str:
    return call.name + json.dumps(call.arguments, sort_keys=True)
