"""What an export tells of the sentences of an answer."""

from __future__ import annotations

from datetime import UTC, datetime

from glossator.core.events import CitationChecked, Envelope, Event, RunFinished, RunStarted
from glossator.core.run_events import Correcting, Correction, UncitedClaim
from glossator.core.span import Basis, Citation, CitationStatus, Span
from glossator.llm import Message
from glossator.sessions.export import RunFindings
from glossator.sessions.records import Received, Record, decode, encode, happened

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TEXT = "It ends [cite: doc, a.py, L3]. It waits [cite: doc, a.py, L3]. `b.py` is left."


def cited(nth: int, status: CitationStatus, basis: Basis | None, reason: str = "") -> Event:
    at = TEXT.index("[cite") if nth == 1 else TEXT.rindex("[cite")
    span = Span("file:///w/a.py", "00", 3, 3)
    return CitationChecked(Citation("a.py", span, status, reason, basis=basis, at=at))


def told(*events: Event) -> list[str]:
    """What is told after these events of a run, as they were kept."""
    kept = [happened(Envelope("r", seq, each), NOW) for seq, each in enumerate(events)]
    answer: Message = {"role": "assistant", "content": [{"type": "text", "text": TEXT}]}
    records: list[Record] = [*filter(None, kept[:-1]), Received(answer), *filter(None, kept[-1:])]
    found = RunFindings()
    read = [record for each in records if (record := decode(encode(each)))]
    return [part for record in read for part in found.after(record)]


def test_the_newest_of_each_place_holds_and_says_which_sentence_it_is_of() -> None:
    start = TEXT.index("`b.py`")
    parts = told(
        RunStarted("s", "?", "m", offline=False),
        cited(1, CitationStatus.READ, None),
        cited(1, CitationStatus.VERIFIED, Basis.CHECKS),
        cited(2, CitationStatus.CONTRADICTED, Basis.MODEL, "The lines end it."),
        UncitedClaim("`b.py` is left.", start, len(TEXT)),
        Correction(Correcting.DROPPED, "It retries [cite: doc, a.py, L9].", "", "No retry there."),
        RunFinished("answered"),
    )
    assert parts == [
        (
            "*2 citations: 1 verified by rules, 1 contradicted; 1 sentence cites nothing;"
            " 1 sentence was corrected*"
        ),
        (
            "- contradicted (judged by a model): `a.py:3` (The lines end it.): “It waits”\n"
            "- cites nothing: “`b.py` is left.”\n"
            "- left out: “It retries.” (No retry there.)"
        ),
    ]


def test_of_a_run_without_citations_nothing_is_told() -> None:
    assert told(RunStarted("s", "?", "m", offline=False), RunFinished("answered")) == []
