"""Ends a run that goes in circles or passes its limits."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from glossator.agent.agent import Stop
from glossator.core.events import Usage
from glossator.llm.model import Reply, ToolCall
from glossator.settings.model import LimitSettings


@dataclass(slots=True)
class Guard:
    """Counts what a run has used; `exceeded` names the limit that was reached, if one was."""

    limits: LimitSettings
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    _started: float = field(default_factory=time.monotonic)
    _calls: Counter[str] = field(default_factory=Counter)

    def count(self, reply: Reply) -> None:
        """A reply arrived."""
        self.turns += 1
        self.usage += reply.usage
        self._calls.update(_fingerprint(call) for call in reply.tool_calls)

    @property
    def seconds_left(self) -> float:
        """Wall time until the run's end."""
        return max(0.0, self.limits.seconds - (time.monotonic() - self._started))

    def exceeded(self, calls: Sequence[ToolCall]) -> Stop | None:
        """The limit that forbids running these calls."""
        if self.turns >= self.limits.turns:
            return Stop.TURNS
        if self.usage.total >= self.limits.tokens:
            return Stop.TOKENS
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
            Stop.TIME: f"the limit of {self.limits.seconds:g} seconds is reached",
            Stop.REPETITION: f"the same call was made {self.limits.repeats} times",
        }[stop]


def _fingerprint(call: ToolCall) -> str:
    return call.name + json.dumps(call.arguments, sort_keys=True)
