"""The end of a run, and how far one is until then, in words."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from glossator.core.events import Event, Todo, TodoChanged, TodoState, Usage
from glossator.core.run_events import Correction, PlanChanged, PlannedTask, TaskState, UncitedClaim
from glossator.core.span import CitationView


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of a run; see `docs/protocol.md`. Dollars are None where a price is not known.

    `changed_files` are the paths of those that undoing the run brings back. `uncited` are the
    sentences that cite nothing, with their places in `text`; `corrections` are of those that fell.
    `unsaved` are the paths of the changed files that only the editor has as they were changed.
    """

    run_id: str
    session_id: str
    text: str
    citations: tuple[CitationView, ...]
    changed_files: tuple[str, ...]
    stop: str
    model: str
    offline: bool
    turns: int
    milliseconds: float
    usage: Usage
    dollars: float | None
    session_usage: Usage
    session_dollars: float | None
    uncited: tuple[UncitedClaim, ...] = field(default=(), kw_only=True)
    corrections: tuple[Correction, ...] = field(default=(), kw_only=True)
    unsaved: tuple[str, ...] = field(default=(), kw_only=True)


class Judged(Protocol):
    """A text with what was found out about its sentences."""

    @property
    def text(self) -> str:
        """The text, in Markdown."""

    @property
    def citations(self) -> Sequence[CitationView]:
        """Its citations in their order."""

    @property
    def uncited(self) -> Sequence[UncitedClaim]:
        """The claims that cite nothing."""

    @property
    def corrections(self) -> Sequence[Correction]:
        """The sentences that were changed."""


@dataclass(slots=True)
class RunSoFar:
    """A run from its beginning on; `note` takes its events."""

    _began: float | None = None
    _steps: tuple[Todo, ...] = ()
    _tasks: tuple[PlannedTask, ...] = ()

    def begin(self) -> None:
        """The run begins now."""
        self._began, self._steps, self._tasks = time.monotonic(), (), ()

    def end(self) -> None:
        """The run has ended: nothing more is said about it."""
        self._began, self._steps, self._tasks = None, (), ()

    def note(self, event: Event | None) -> None:
        """Update the step from an event."""
        match event:
            case TodoChanged(steps=steps):
                self._steps = steps
            case PlanChanged(tasks=tasks):
                self._tasks = tasks

    def time(self, least: int = 1) -> str:
        """`12 s` or `1 min 05 s`; "" before so many seconds have passed."""
        seconds = 0 if self._began is None else int(time.monotonic() - self._began)
        minutes, rest = divmod(seconds, 60)
        said = f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
        return said if seconds >= least else ""

    def step(self) -> str:
        """The step: `2 of 4: Add the flag`, or of tasks that run side by side how many are done."""
        count = len(self._steps)
        for number, step in enumerate(self._steps, 1):
            if step.state is TodoState.ACTIVE:
                return f"{number} of {count}: {step.text}"
        if self._steps:
            done = sum(each.state is TodoState.DONE for each in self._steps)
            return f"{done} of {count} steps done"
        ended = [each for each in self._tasks if each.state in (TaskState.DONE, TaskState.FAILED)]
        failed = sum(each.state is TaskState.FAILED for each in ended)
        said = f"{len(ended)} of {len(self._tasks)} tasks done" if self._tasks else ""
        return f"{said}, {failed} of them failed" if failed else said
