"""The list of steps that a run works through, as the model keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class TodoState(StrEnum):
    """How far a step is."""

    PENDING = "pending"
    ACTIVE = "active"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Todo:
    """One step."""

    text: str
    state: TodoState
