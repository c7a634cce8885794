"""The orchestrator: what a run does next, as one table of states and signals.

`TABLE` is the whole machine: `turn/answering.py` does what it says up to the answer,
`turn/judged/grounding.py` what follows. The diagram in docs/orchestrator.md is made from it. Every
transition is a `StateChanged` event. Some signals may occur only so often in a run (`MOST`), which
bounds every way through the table. A signal that the table does not have is a bug: it is logged as
an error and changes nothing; in tests it raises.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

from glossator.core.run_events import RunState, StateChanged

logger = logging.getLogger(__name__)


class Signal(StrEnum):
    """What happened in a run."""

    ASKED = "asked"
    SIMPLE = "simple"
    COMPLEX = "complex"
    PLANNED = "planned"
    UNPLANNED = "no plan"  # there is none, or the user wants none
    REVIEW = "review"  # the user is to see the plan first
    AMBIGUITY = "ambiguity"
    CONFLICT = "conflict"
    QUESTION = "question"  # of the model that answers: what is meant, or which of two sources holds
    CLARIFIED = "clarified"
    EXECUTED = "executed"
    ANSWERED = "answered"
    FELL = "fell"  # sentences that their lines do not carry
    CORRECTED = "corrected"
    CARRIED = "carried"  # there are sentences to remember
    CHECKED = "checked"  # there are none
    REMEMBERED = "remembered"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Action(StrEnum):
    """What a run does when it enters a state."""

    ANALYSE = "send the first request, and find out meanwhile how hard the question is"
    LOOK = "let the model look things up and answer"
    DECOMPOSE = "make a plan of tasks"
    EXECUTE = "work on the tasks"
    SYNTHESISE = "answer from the results of the tasks"
    ASK = "ask the user"
    GO_ON = "go on where the question came up"
    VERIFY = "check the answer's statements"
    CORRECT = "correct the statements that fell"
    REMEMBER = "keep the statements that hold as facts"
    END = "give the answer"
    SAY_WHY = "say why there is no answer"
    STOP = "stop what is at work"


@dataclass(frozen=True, slots=True)
class Transition:
    """What is done, and the next state; None goes back to the state that asked the user."""

    action: Action
    to: RunState | None


_S, _E, _A = RunState, Signal, Action

ENDS = frozenset({_S.DONE, _S.FAILED, _S.CANCELLED})

_ASK = Transition(_A.ASK, _S.CLARIFYING)
_VERIFY = Transition(_A.VERIFY, _S.VERIFYING)
_END = Transition(_A.END, _S.DONE)

TABLE: Mapping[tuple[RunState, Signal], Transition] = {
    (_S.IDLE, _E.ASKED): Transition(_A.ANALYSE, _S.ANALYSING),
    (_S.ANALYSING, _E.SIMPLE): Transition(_A.LOOK, _S.RETRIEVING),
    (_S.ANALYSING, _E.COMPLEX): Transition(_A.DECOMPOSE, _S.PLANNING),
    (_S.ANALYSING, _E.ANSWERED): _VERIFY,
    (_S.RETRIEVING, _E.ANSWERED): _VERIFY,
    (_S.RETRIEVING, _E.QUESTION): _ASK,
    (_S.PLANNING, _E.AMBIGUITY): _ASK,
    (_S.PLANNING, _E.REVIEW): _ASK,
    (_S.PLANNING, _E.UNPLANNED): Transition(_A.LOOK, _S.RETRIEVING),
    (_S.PLANNING, _E.PLANNED): Transition(_A.EXECUTE, _S.EXECUTING),
    (_S.EXECUTING, _E.CONFLICT): _ASK,
    (_S.EXECUTING, _E.EXECUTED): Transition(_A.SYNTHESISE, _S.SYNTHESISING),
    (_S.CLARIFYING, _E.CLARIFIED): Transition(_A.GO_ON, None),
    (_S.SYNTHESISING, _E.ANSWERED): _VERIFY,
    (_S.SYNTHESISING, _E.QUESTION): _ASK,
    (_S.VERIFYING, _E.FELL): Transition(_A.CORRECT, _S.CORRECTING),
    (_S.VERIFYING, _E.CARRIED): Transition(_A.REMEMBER, _S.MEMORISING),
    (_S.VERIFYING, _E.CHECKED): _END,
    (_S.CORRECTING, _E.CORRECTED): _VERIFY,
    (_S.MEMORISING, _E.REMEMBERED): _END,
    **{
        (state, signal): transition
        for state in RunState
        if state not in ENDS
        for signal, transition in (
            (_E.FAILED, Transition(_A.SAY_WHY, _S.FAILED)),
            (_E.CANCELLED, Transition(_A.STOP, _S.CANCELLED)),
        )
    },
}

MOST: Mapping[Signal, int] = {  # how often it may occur in a run
    _E.AMBIGUITY: 1,
    _E.CONFLICT: 1,
    _E.QUESTION: 3,
    _E.REVIEW: 4,
    _E.FELL: 1,
}


class Orchestrator:
    """The state machine of one run; `emit` shows its transitions."""

    def __init__(self, emit: Callable[[StateChanged], None]) -> None:
        self.state = RunState.IDLE
        self._emit = emit
        self._asking = RunState.IDLE  # the state in which the user was asked last
        self._seen: Counter[Signal] = Counter()

    def may(self, signal: Signal) -> bool:
        """Whether the current state knows the signal, and it may still occur."""
        often = signal in MOST and self._seen[signal] >= MOST[signal]
        return (self.state, signal) in TABLE and not often

    def on(self, signal: Signal, detail: str = "") -> Action | None:
        """Go to the next state and return the action to take there; None for a bug."""
        if not self.may(signal):
            logger.error("In the state %s there is no signal %r now.", self.state, signal.value)
            return None
        transition = TABLE[self.state, signal]
        self._seen[signal] += 1
        if transition.to is RunState.CLARIFYING:
            self._asking = self.state
        self.state = self._asking if transition.to is None else transition.to
        self._emit(StateChanged(self.state, detail))
        return transition.action

    @contextmanager
    def ending(self) -> Iterator[None]:
        """Signal a failure or a cancellation of the block to the machine, if it has not ended."""
        ended: Signal | None = Signal.FAILED
        try:
            yield
            ended = None
        except asyncio.CancelledError:
            ended = Signal.CANCELLED
            raise
        finally:
            if ended is not None and self.state not in ENDS:
                self.on(ended)
