"""A report as JSON, for people, and for the model that asked for it."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from glossator.core.citations import CitationMark
from glossator.core.report import Report
from glossator.core.span import Basis, Citation, CitationStatus, Span
from glossator.core.stored import from_stored
from glossator.grounding.agent_reports import blocks, report_of

TEXT = """\
Some words first,
over two lines.

- One. [cite: doc, a.py, L1-L2]
  It goes on.

  Further below.
- Two, [cite: doc, a.py, L3] and [cite: doc, gone.py, L1].

```mermaid
graph TD

A --> B
```

## Open questions

1. Who?
2. Why?

## Besides

More. [cite: doc, a.py, L5]
"""


def check(mark: CitationMark) -> Citation:
    if mark.path == "gone.py":
        return Citation(mark.path, None, CitationStatus.UNSUPPORTED, "There is no such file.")
    span = Span("file:///a.py", "00", mark.first_line, mark.last_line)
    return Citation(mark.path, span, CitationStatus.READ)


REPORT = report_of("Explore", "Look", TEXT, check, ["Grep a (2 lines)"], "it was cancelled")


def test_blocks_of_markdown() -> None:
    assert [block.partition("\n")[0] for block in blocks(TEXT)] == [
        "Some words first,",
        "- One. [cite: doc, a.py, L1-L2]",
        "- Two, [cite: doc, a.py, L3] and [cite: doc, gone.py, L1].",
        "```mermaid",
        "## Open questions",
        "1. Who?",
        "2. Why?",
        "## Besides",
        "More. [cite: doc, a.py, L5]",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "- \n-",
        "```\nnever closed\n\n- no item",
        "# Open\n# Open",
        "**Open:**",
        "-no item\n    \n  x",
    ],
)
def test_nothing_that_is_written_is_lost(text: str) -> None:
    written = "".join("".join(blocks(text)).split())
    assert written == "".join(text.split())


def test_findings_and_what_is_open() -> None:
    assert [len(finding.citations) for finding in REPORT.findings] == [0, 1, 2, 0, 0, 1]
    assert REPORT.open == ("1. Who?", "2. Why?")
    assert [span.first_line for span in REPORT.read] == [1, 3, 5]


def test_as_json() -> None:
    assert from_stored(Report, json.loads(json.dumps(asdict(REPORT)))) == REPORT


def test_one_that_an_older_version_kept() -> None:
    kept = json.dumps(asdict(REPORT)).replace('"read"', '"verified"')
    assert from_stored(Report, json.loads(kept)) == REPORT


def test_for_people() -> None:
    assert REPORT.markdown().startswith(
        "*This report is partial: it was cancelled.*\n\nSome words first,\nover two lines.\n\n"
        "- One. [cite: doc, a.py, L1-L2]\n  It goes on.\n\n  Further below.\n- Two, [cite:"
    )
    assert "A --> B\n```\n\n## Besides\n\nMore." in REPORT.markdown()
    assert REPORT.markdown().endswith("**Open**\n\n1. Who?\n2. Why?")


def test_for_the_model() -> None:
    told = REPORT.model_message(6_000)
    assert told.startswith("Partial: it was cancelled. What was found until then:\n\nSome words")
    assert "- Two, [cite: doc, a.py, L3] and (not read: gone.py:1)." in told
    assert told.endswith("Open:\n\n1. Who?\n2. Why?\n\nSearched: Grep a (2 lines)")


@pytest.mark.parametrize("budget", [1_000, 1_001, 2_000, 5_000])
@pytest.mark.parametrize("words", ["x", "é" * 40, "\U0001f389 " * 300, "\ud800"])
def test_never_longer_than_its_budget(budget: int, words: str) -> None:
    text = "\n".join(f"- {words} {n} [cite: doc, gone.py, L{n}]" for n in range(1, 60))
    searched = [f"Grep {words} ({n} lines)" for n in range(60)]
    report = report_of("Explore", "Look", text, check, searched, "its time was up")
    assert len(report.model_message(budget).encode("utf-8", "surrogatepass")) <= budget


def test_what_was_only_read_is_told_as_not_judged() -> None:
    """A sentence one of whose marks was verified was judged."""
    statuses = iter(["read", "unsupported", "verified", "read", "read", "read"])

    def found(mark: CitationMark) -> Citation:
        span = Span("file:///a.py", "00", mark.first_line, mark.last_line)
        return Citation(mark.path, span, CitationStatus(next(statuses)), basis=Basis.MODEL)

    text = (
        "- A [cite: doc, a.py, L1] [cite: doc, a.py, L2].\n"
        "- B [cite: doc, a.py, L3] [cite: doc, a.py, L4] C [cite: doc, a.py, L5]"
        " [cite: doc, a.py, L6]"
    )
    report = report_of("Extract", "Look", text, found)
    one, two = report.model_message(1_000, says_unjudged=True).split("\n")
    assert one == "- A [cite: doc, a.py, L1] (not judged) (unsupported: a.py:2)."
    assert two.replace("[cite: doc, a.py, L", "[") == "- B [3] [4] C [5] [6] (not judged)"
    assert "(not judged)" not in report.model_message(1_000)


def test_nothing_at_all() -> None:
    assert Report("Explore", "Look").model_message(1_000) == "Nothing was found."
    assert Report("Explore", "Look").markdown() == "Nothing was found."
    told = Report("Explore", "Look", partial="it failed (no route)").model_message(1_000)
    assert told.startswith("Explore ended without a report: it failed (no route).\nThis does not")


@pytest.mark.parametrize(
    ("status", "basis", "told", "is_read", "rests"),
    [
        (CitationStatus.READ, None, "One. [cite: doc, a.py, L1-L2]", True, True),
        (CitationStatus.VERIFIED, Basis.MODEL, "One. [cite: doc, a.py, L1-L2]", True, True),
        (CitationStatus.UNSUPPORTED, None, "One. (not read: a.py:1-2)", False, False),
        (CitationStatus.UNSUPPORTED, Basis.CHECKS, "One. (unsupported: a.py:1-2)", True, False),
        (CitationStatus.CONTRADICTED, Basis.MODEL, "One. (contradicted: a.py:1-2)", True, False),
        (CitationStatus.STALE, None, "One. (stale: a.py:1-2)", False, False),
    ],
)
def test_what_does_not_hold_is_passed_on_as_words(
    status: CitationStatus, basis: Basis | None, told: str, is_read: bool, rests: bool
) -> None:
    """Its lines count as read all the same, where they were."""

    def found(mark: CitationMark) -> Citation:
        span = Span("file:///a.py", "00", mark.first_line, mark.last_line)
        return Citation(mark.path, span, status, basis=basis, at=5)

    report = report_of("Explore", "Look", "One. [cite: doc, a.py, L1-L2]", found)
    assert report.model_message(1000) == told
    assert (bool(report.read), report.rests_on_lines) == (is_read, rests)
    assert from_stored(Report, json.loads(json.dumps(asdict(report)))) == report
