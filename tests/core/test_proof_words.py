"""How a proof by a language server reads, and that a session keeps it."""

from __future__ import annotations

import pytest

from glossator.core.citation_words import UNSURE, changed, findings, tally
from glossator.core.run_events import Correcting, Correction
from glossator.core.span import Basis, CitationStatus, CitationView
from glossator.core.wire import from_wire, to_wire

WHY = "`f` is called in `g` (b.py, line 3)."
WHY_OPEN = "Not judged: nobody was asked."
AT = ("file:///w/a.py", 3, 3, Basis.SERVER, 0)
PROVED = CitationView("a.py", CitationStatus.VERIFIED, "", *AT)
REFUTED = CitationView("a.py", CitationStatus.CONTRADICTED, WHY, *AT)


def test_who_proved_it_is_told() -> None:
    assert tally((PROVED,)) == "1 citation verified by a language server"
    told = findings("", (REFUTED,), (), (), lambda place, _: place)
    assert list(told) == [f"- contradicted (judged by a language server): a.py:3 ({WHY})"]


def test_what_holds_is_counted_and_not_listed() -> None:
    fact = CitationView("fact f1", CitationStatus.VERIFIED, "", *AT)
    assert list(findings("", (PROVED, fact), (), (), lambda place, _: place)) == [
        "- verified (judged by a language server): fact f1"
    ]


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ("It calls.", []),
        ("It calls `g`.", [f"- marked: “It calls `g`.” (No.) Now: “It calls. {UNSURE}”"]),
    ],
)
def test_what_was_only_marked_is_told_once(before: str, told: list[str]) -> None:
    marked = Correction(Correcting.MARKED, before, f"It calls. {UNSURE}", "No.")
    assert len(changed([marked])) == len(told)
    first, *others = findings("", (REFUTED,), (), [marked], lambda place, _: place)
    assert first == f"- contradicted (judged by a language server): a.py:3 ({WHY})"
    assert others == told


def test_why_it_is_left_open_is_said_once() -> None:
    run = CitationView("run 2: a", CitationStatus.READ, WHY_OPEN, None, None, None)
    assert list(findings("", (run,), (), (), lambda place, _: place)) == [
        "- not judged: run 2: a (nobody was asked.)"
    ]


def test_it_is_sent_and_read_back() -> None:
    sent = to_wire(PROVED)
    assert sent["basis"] == "server"
    assert from_wire(CitationView, sent) == PROVED
    assert from_wire(CitationView, {**sent, "basis": "model"}).basis is Basis.MODEL
