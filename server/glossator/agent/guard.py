"""Ends a run that goes in circles or passes its limits.

A call is a repetition if it was made before and nothing changed since: no document changed on disk
or in the editor, whoever changed it, and no other command printed something new. While a job runs
in the background no command is one: its output may be waited for.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from glossator.agent.run import RunClock, Stop
from glossator.core.tool_result import ToolResult
from glossator.llm import Meter, ToolCall
from glossator.settings import LimitSettings

_SHARE = 0.25  # of the seconds are kept back for the last word,
_MOST = 60.0  # but not more than so many


def farewell(seconds: float) -> float:
    """How many of a run's `seconds` are for its last word alone."""
    return min(_MOST, _SHARE * seconds)


@dataclass(slots=True)
class Guard:
    """Counts what a run has used; `exceeded` names the limit that was reached, if one was.

    Tokens and money are counted by the meter. `acts` tells whether a call may change something.
    For `revision`, `changes` and `waits` see `RunContext`.
    """

    limits: LimitSettings
    meter: Meter
    acts: Callable[[ToolCall], bool] = lambda _: False
    revision: Callable[[], int] = lambda: 0
    changes: Callable[[], int] = lambda: 0
    waits: Callable[[], bool] = lambda: False
    clock: RunClock = field(default_factory=RunClock)
    turns: int = 0
    _made: Counter[str] = field(default_factory=Counter)  # since something changed
    _told: dict[str, str] = field(default_factory=dict)  # what each call that acts gave last
    _seen: int | None = None  # the revision that the calls were made at,
    _changed: int = 0  # and how much they had changed
    _warned: bool = False

    def count(self) -> None:
        """A reply arrived."""
        self.turns += 1
        if self._seen != (revision := self.revision()):
            self._seen = revision
            self.forget()

    def forget(self) -> None:
        """Something changed, or the conversation was compacted: every call is new."""
        self._keep(())

    def repeated(self, calls: Sequence[ToolCall]) -> frozenset[str]:
        """The ids of those that were made often enough; what follows one that acts is new."""
        ids: set[str] = set()
        made = self._made.copy()
        for call in calls:
            made[_fingerprint(call)] += 1
            if made[_fingerprint(call)] >= self.limits.repeats:
                ids.add(call.id)
            elif self.acts(call):
                break
        return frozenset(ids)

    def warn(self) -> None:
        """The model was told that it repeats itself: when it goes on, the run ends."""
        self._warned = True

    def made(self, calls: Sequence[ToolCall], results: Mapping[str, ToolResult]) -> None:
        """Those of the calls that have a result were made, in this order."""
        acted = False
        for call in calls:
            if (result := results.get(call.id)) is None:
                continue
            name = _fingerprint(call)
            awaits = result.pending or (self.acts(call) and self.waits())
            self._made[name] += not awaits
            if self.acts(call):
                acted = True
                if not result.error and result.said != self._told.get(name):
                    self._keep((name,))
                self._told[name] = result.said
        if acted:  # the revision grows when a command runs, also if it leaves all as it was
            self._seen = self.revision()
        if self._changed != (changed := self.changes()):
            self._changed = changed
            self.forget()

    @property
    def seconds_left(self) -> float:
        """Until the run's end, without waiting for the user."""
        return max(0.0, self.limits.seconds - self.clock.seconds)

    @property
    def seconds_to_act(self) -> float:
        """Until nothing is begun but the last word."""
        return max(0.0, self.seconds_left - farewell(self.limits.seconds))

    def exceeded(self, calls: Sequence[ToolCall]) -> Stop | None:
        """The limit that forbids running these calls."""
        if self.turns >= self.limits.turns:
            return Stop.TURNS
        if reached := self.meter.reached():
            return Stop(reached[0].kind)
        if self.seconds_to_act == 0:
            return Stop.TIME
        if self._warned and self.repeated(calls):
            return Stop.REPETITION
        return None

    def explain(self, stop: Stop) -> str:
        """The limit in words, for the user and the model."""
        spent = {Stop(reached.kind): reached.words for reached in reversed(self.meter.reached())}
        return {
            **spent,
            Stop.TURNS: f"the limit of {self.limits.turns} turns is reached",
            Stop.TIME: f"the limit of {self.limits.seconds:g} seconds leaves time only to answer",
            Stop.REPETITION: f"the same call was made {self.limits.repeats} times, and nothing"
            " changed in between",
            Stop.CUT_OFF: "the reply reached its length limit",
        }[stop]

    def _keep(self, names: Collection[str]) -> None:
        """All other calls are new."""
        self._made = Counter({name: self._made[name] for name in names})
        self._warned = False


def _fingerprint(call: ToolCall) -> str:
    return call.name + json.dumps(call.arguments, sort_keys=True)
