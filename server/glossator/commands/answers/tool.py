"""What running one tool answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The result as the model sees it, and how long it took (wall time)."""

    text: str
    error: bool
    omitted: int
    milliseconds: float
