"""How a proof by a language server reads, and that a session keeps it."""

from __future__ import annotations

from glossator.core.citation_words import findings, tally
from glossator.core.span import Basis, CitationStatus, CitationView
from glossator.core.wire import from_wire, to_wire

WHY = "`f` is called in `g` (b.py, line 3)."
AT = ("file:///w/a.py", 3, 3, Basis.SERVER, 0)
PROVED = CitationView("a.py", CitationStatus.VERIFIED, "", *AT)
REFUTED = CitationView("a.py", CitationStatus.CONTRADICTED, WHY, *AT)


def test_who_proved_it_is_told() -> None:
    assert tally((PROVED,)) == "1 citation verified by a language server"
    told = findings("", (REFUTED,), (), (), lambda place, _: place)
    assert list(told) == [f"- contradicted (judged by a language server): a.py:3 ({WHY})"]


def test_it_is_sent_and_read_back() -> None:
    sent = to_wire(PROVED)
    assert sent["basis"] == "server"
    assert from_wire(CitationView, sent) == PROVED
    assert from_wire(CitationView, {**sent, "basis": "model"}).basis is Basis.MODEL
