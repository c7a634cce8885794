"""What a run tells of the way to its answer and of the grounds of it: part of `core.events`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from glossator.core.fact import FactView


@dataclass(frozen=True, slots=True)
class UncitedClaim:
    """`answer[start:end]` claims something about the workspace and cites nothing.

    `statement` is its text; both ends are in characters.
    """

    kind: ClassVar[str] = "uncited"
    statement: str
    start: int
    end: int


class Correcting(StrEnum):
    """What was done with a sentence that its lines do not carry."""

    REWRITTEN = "rewritten"
    MARKED = "marked"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Correction:
    """A sentence of the answer was changed; `after` is "" for one that was dropped."""

    kind: ClassVar[str] = "correction"
    what: Correcting
    before: str
    after: str
    reason: str


class RunState(StrEnum):
    """The states of the orchestrator; `turn/orchestrator.py` has the table."""

    IDLE = "IDLE"
    ANALYSING = "ANALYSING"
    CLARIFYING = "CLARIFYING"
    RETRIEVING = "RETRIEVING"
    PLANNING = "PLANNING"
    EXECUTING = "EXECUTING"
    SYNTHESISING = "SYNTHESISING"
    VERIFYING = "VERIFYING"
    CORRECTING = "CORRECTING"
    MEMORISING = "MEMORISING"
    DONE = "DONE"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The orchestrator went over to another state; `detail` is one line or empty."""

    kind: ClassVar[str] = "state"
    state: RunState
    detail: str = ""


class TaskState(StrEnum):
    """How far a task of a plan is."""

    PENDING = "pending"
    ACTIVE = "active"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class PlannedTask:
    """A part of a plan; `dependencies` are the ids of those that it builds on.

    `result` is Markdown, or says why it failed; "" before it ended.
    """

    id: str
    description: str
    dependencies: tuple[str, ...] = ()
    state: TaskState = TaskState.PENDING
    result: str = ""


@dataclass(frozen=True, slots=True)
class PlanChanged:
    """The plan, whole, when it was made or changed."""

    kind: ClassVar[str] = "plan"
    tasks: tuple[PlannedTask, ...]


@dataclass(frozen=True, slots=True)
class FactChanged:
    """A fact was added to the ledger, or is another one now."""

    kind: ClassVar[str] = "fact"
    fact: FactView
