"""What was found of the sentences of a kept answer, for its export."""

from __future__ import annotations

from collections.abc import Iterator

from glossator.core.events import CitationChecked, RunCancelled, RunFailed, RunFinished, RunStarted
from glossator.core.run_events import Correction, UncitedClaim
from glossator.core.span import CitationView
from glossator.core.standing import findings, tally
from glossator.llm import text_of
from glossator.sessions.records import Happened, Received, Record, Said, kept_event

_Key = tuple[str, int | None, int | None, int | None]


class RunFindings:
    """Collects them record by record; each run tells its own when it ends."""

    def __init__(self) -> None:
        self._begin()

    def after(self, record: Record) -> Iterator[str]:
        """What is told below the run that ends with this record, as Markdown."""
        match record:
            case Said(message) | Received(message) if message and message["role"] == "assistant":
                self._text = text_of(message)
            case Happened(event=event):
                match kept_event(event):
                    case RunStarted():
                        self._begin()
                    case CitationChecked(citation):
                        view = CitationView.of(citation)
                        key = (view.target, view.first_line, view.last_line, view.at)
                        self._citations[key] = view
                    case UncitedClaim() as claim:
                        self._uncited[claim.start] = claim
                    case Correction() as correction:
                        self._corrections.append(correction)
                    case RunFinished() | RunFailed() | RunCancelled():
                        yield from self._told()

    def _begin(self) -> None:
        self._text = ""
        self._citations: dict[_Key, CitationView] = {}
        self._uncited: dict[int, UncitedClaim] = {}
        self._corrections: list[Correction] = []

    def _told(self) -> Iterator[str]:
        citations, uncited = (*self._citations.values(),), (*self._uncited.values(),)
        if counts := tally(citations, len(uncited), len(self._corrections)):
            found = findings(self._text, citations, uncited, self._corrections, _named)
            yield f"*{counts}*"
            yield "\n".join(found)


def _named(place: str, _citation: CitationView) -> str:
    return f"`{place}`"
