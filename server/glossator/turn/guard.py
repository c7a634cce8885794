"""The limits of a run, and what it has used of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from glossator.core.tool_result import ToolResult
from glossator.llm import Meter, ToolCall
from glossator.settings import LimitSettings
from glossator.tools import Registry
from glossator.turn.run import RunContext, Stop, acts

_LAST_WORD_SHARE = 0.25  # of a run's time is for the last word,
_LAST_WORD_MAX_SECONDS = 60.0  # but at most so many seconds


def seconds_for_last_word(seconds: float) -> float:
    """The part of a run's `seconds` that is reserved for its last word."""
    return min(_LAST_WORD_MAX_SECONDS, _LAST_WORD_SHARE * seconds)


@dataclass(slots=True)
class Guard:
    """Counts what a run has used; `exceeded` names the limit that is reached, if any.

    The meter counts tokens and money.
    """

    limits: LimitSettings
    meter: Meter
    tools: Registry
    run: RunContext
    turns: int = 0
    _made: Counter[str] = field(default_factory=Counter)  # since something changed
    _results: dict[str, str] = field(default_factory=dict)  # the last text of each call that acts
    _seen: int | None = None  # the revision at the last calls,
    _changed: int = 0  # and the count of their changes
    _warned: bool = False

    def count(self) -> None:
        """Count a reply."""
        self.turns += 1
        if self._seen != (revision := self.run.revision()):
            self._seen = revision
            self.forget()

    def forget(self) -> None:
        """Forget all calls: after a change or a compaction none counts as a repetition."""
        self._keep(())

    def repeated(self, calls: Sequence[ToolCall]) -> frozenset[str]:
        """The ids of repeated calls, up to the first one that acts."""
        ids: set[str] = set()
        made = self._made.copy()
        for call in calls:
            made[_fingerprint(call)] += 1
            if made[_fingerprint(call)] >= self.limits.repeats:
                ids.add(call.id)
            elif acts(self.tools, call):
                break
        return frozenset(ids)

    def warn(self) -> None:
        """Note that the model was warned of repetition: the next one ends the run."""
        self._warned = True

    def made(self, calls: Sequence[ToolCall], results: Mapping[str, ToolResult]) -> None:
        """Count the calls that got a result, in this order."""
        acted = False
        for call in calls:
            if (result := results.get(call.id)) is None:
                continue
            name = _fingerprint(call)
            awaits = result.pending or (acts(self.tools, call) and self.run.waits())
            self._made[name] += not awaits
            if acts(self.tools, call):
                acted = True
                if not result.error and result.said != self._results.get(name):
                    self._keep((name,))
                self._results[name] = result.said
        if acted:  # a command raises the revision, even if it changes nothing
            self._seen = self.run.revision()
        if self._changed != (changed := self.run.changes()):
            self._changed = changed
            self.forget()

    @property
    def seconds_left(self) -> float:
        """The working time until the end of the run, in seconds."""
        return max(0.0, self.limits.seconds - self.run.clock.seconds)

    @property
    def seconds_to_act(self) -> float:
        """The working time until only the last word may begin, in seconds."""
        return max(0.0, self.seconds_left - seconds_for_last_word(self.limits.seconds))

    def exceeded(self, calls: Sequence[ToolCall]) -> Stop | None:
        """The limit that forbids these calls; None if they may run."""
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
        """Explain the limit in words, for the user and the model."""
        spent = {Stop(reached.kind): reached.words for reached in reversed(self.meter.reached())}
        return {
            **spent,
            Stop.TURNS: f"the limit of {self.limits.turns} turns is reached",
            Stop.TIME: f"the limit of {self.limits.seconds:g} seconds leaves time only to answer",
            Stop.REPETITION: f"the same call was made {self.limits.repeats} times, and nothing"
            " changed in between",
            Stop.HOOK: "a hook of the user ended it",
            Stop.CUT_OFF: "the reply reached its length limit",
        }[stop]

    def _keep(self, names: Collection[str]) -> None:
        """Forget all calls but these."""
        self._made = Counter({name: self._made[name] for name in names})
        self._warned = False


def _fingerprint(call: ToolCall) -> str:
    return call.name + json.dumps(call.arguments, sort_keys=True)
