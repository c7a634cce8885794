"""What going back and trying again answer."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.commands.answers.undo import TurnView
from glossator.core.answer import Answer
from glossator.core.report import Report


@dataclass(frozen=True, slots=True)
class DroppedRun:
    """A run that the conversation knows nothing of any more, and what was asked."""

    run_id: str
    question: str


@dataclass(frozen=True, slots=True)
class RewindAnswer:
    """The runs that were dropped, oldest first; of these, the turns whose changes still stand."""

    runs: tuple[DroppedRun, ...]
    changed: tuple[TurnView, ...]


@dataclass(frozen=True, slots=True)
class RetryAnswer(Answer):
    """An answer, and what took place before it as `rewind` tells it.

    Of an exploration it has the report, and the URI of the gloss that it was kept as.
    """

    runs: tuple[DroppedRun, ...]
    changed: tuple[TurnView, ...]
    report: Report | None = None
    document: str | None = None
