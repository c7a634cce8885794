"""Ends a run that goes in circles or passes its limits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from glossator.agent.agent import Stop
from glossator.agent.clock import RunClock
from glossator.llm.meter import Meter
from glossator.llm.model import Reply, ToolCall
from glossator.settings.model import LimitSettings


@dataclass(slots=True)
class Guard:
    """Counts what a run has used; `exceeded` names the limit that was reached, if one was.

    Tokens and money are counted by the meter. Of the limit of seconds, `farewell` are for the last
    word alone.
    """

    limits: LimitSettings
    meter: Meter
    clock: RunClock = field(default_factory=RunClock)
    farewell: float = 0
    turns: int = 0
    _calls: Counter[str] = field(default_factory=Counter)

    def count(self, reply: Reply) -> None:
        """A reply arrived."""
        self.turns += 1
        self._calls.update(_fingerprint(call) for call in reply.tool_calls)

    def begin_anew(self) -> None:
        """The conversation was compacted: what was read before may be read again."""
        self._calls.clear()

    @property
    def seconds_left(self) -> float:
        """Until the run's end, without waiting for the user."""
        return max(0.0, self.limits.seconds - self.clock.seconds)

    @property
    def seconds_to_act(self) -> float:
        """Until tools run no more."""
        return max(0.0, self.seconds_left - self.farewell)

    def exceeded(self, calls: Sequence[ToolCall]) -> Stop | None:
        """The limit that forbids running these calls."""
        if self.turns >= self.limits.turns:
            return Stop.TURNS
        if reached := self.meter.reached():
            return Stop(reached[0].kind)
        if self.seconds_to_act == 0:
            return Stop.TIME
        if any(self._calls[_fingerprint(call)] >= self.limits.repeats for call in calls):
            return Stop.REPETITION
        return None

    def explain(self, stop: Stop) -> str:
        """The limit in words, for the user and the model."""
        spent = {Stop(reached.kind): reached.words for reached in reversed(self.meter.reached())}
        return {
            **spent,
            Stop.TURNS: f"the limit of {self.limits.turns} turns is reached",
            Stop.TIME: f"the limit of {self.limits.seconds:g} seconds is reached",
            Stop.REPETITION: f"the same call was made {self.limits.repeats} times",
        }[stop]


def _fingerprint(call: ToolCall) -> str:
    return call.name + json.dumps(call.arguments, sort_keys=True)
