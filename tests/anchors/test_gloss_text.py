"""How the citations of a gloss stand, in the words that a hover shows."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from glossator.anchors.gloss_index import GlossState
from glossator.anchors.gloss_text import gloss_summary
from glossator.core.report import FILE, Finding, Gloss, Report, Subject
from glossator.core.span import Basis, Citation, CitationStatus, Span

LINK = "[`a.py:1-2`](file:///w/a.py#L1-L2)"


def summary(citation: Citation, mark: str = "[cite: doc, a.py, L1-L2]") -> str:
    report = Report("Explore", "Look", (Finding(f"It ends. {mark}", (citation,)),))
    subject = Subject("/w/a.py", "", FILE)
    gloss = Gloss(subject, report, (None,), "m", datetime(2026, 1, 1, tzinfo=UTC))
    return gloss_summary(GlossState(gloss, None))


@pytest.mark.parametrize(
    ("status", "basis", "doubt"),
    [
        (CitationStatus.READ, None, ""),
        (CitationStatus.VERIFIED, Basis.CHECKS, ""),
        (CitationStatus.UNSUPPORTED, None, " (not read)"),
        (CitationStatus.UNSUPPORTED, Basis.MODEL, " (unsupported)"),
        (CitationStatus.CONTRADICTED, Basis.CHECKS, " (contradicted)"),
    ],
)
def test_what_does_not_hold_says_so(
    status: CitationStatus, basis: Basis | None, doubt: str
) -> None:
    span = Span("file:///w/a.py", "00", 1, 2)
    found = Citation("a.py", span, status, basis=basis)
    assert summary(found) == f"It ends. {LINK}{doubt}"


def test_a_fact_links_to_its_lines() -> None:
    span = Span("file:///w/a.py", "00", 3, 3)
    found = Citation("fact f1", span, CitationStatus.VERIFIED, basis=Basis.MODEL)
    assert summary(found, "[cite: fact, f1, null]") == "It ends. [`fact f1`](file:///w/a.py#L3)"
