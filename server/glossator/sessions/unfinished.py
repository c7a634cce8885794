"""What was shown of a reply that no message will hold, since its run ended in the middle of it."""

from __future__ import annotations

from datetime import datetime

from glossator.core.events import (
    Envelope,
    RunCancelled,
    RunFailed,
    RunFinished,
    TextDelta,
    TextDiscarded,
)
from glossator.sessions.records import Happened


class Unfinished:
    """The text of the reply under way, for people alone: the model never sees it again."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def held(self) -> None:
        """A message holds the reply."""
        self._texts.clear()

    def left_by(self, envelope: Envelope, at: datetime) -> Happened | None:
        """The record of the text that is left when this event ends the run."""
        match envelope.event:
            case TextDelta(text):
                self._texts.append(text)
            case TextDiscarded():
                self._texts.clear()
            case RunFinished() | RunFailed() | RunCancelled() if self._texts:
                event = {"kind": TextDelta.kind, "text": "".join(self._texts)}
                self._texts.clear()
                return Happened(envelope.run_id, envelope.seq, at, event)
        return None
