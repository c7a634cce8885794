"""Glosses and facts of versions before this one: read, and written byte for byte again."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from glossator.core.fact import Fact, Passage
from glossator.core.report import Finding, Gloss, Report, Subject, gloss_from_json, gloss_to_json
from glossator.core.span import Basis, Citation, CitationStatus, Span

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
PASSAGE = Passage("/ws/a.py", 3, 5, ("a", "b", "c"), ("d",))
HEAD = Passage("/ws/a.py", 1, 1, ("e",), (), ("f",))
CITATION = Citation("a.py", Span("file:///ws/a.py", "00", 3, 5), CitationStatus.READ, at=4)

GLOSS = Gloss(
    Subject("/ws/a.py", "Fish.swim", "method"),
    Report("Explore", "Look \ud800", (Finding("- Ä [a.py:3-5]", (CITATION,)),), (), ("Who?",)),
    (PASSAGE, None),
    "some-model",
    AT,
)
KEPT_GLOSS = (
    '{"subject": {"path": "/ws/a.py", "name": "Fish.swim", "kind": "method"}, '
    '"report": {"agent": "Explore", "task": "Look \\ud800", "findings": [{"text": '
    '"- \\u00c4 [a.py:3-5]", "citations": [{"target": "a.py", "span": {"uri": '
    '"file:///ws/a.py", "sha256": "00", "first_line": 3, "last_line": 5}, "status": "read", '
    '"reason": "", "first_line": null, "last_line": null, "basis": null, "at": 4, '
    '"cell": null}]}], "searched": [], "open": ["Who?"], "partial": ""}, '
    '"passages": [{"path": "/ws/a.py", '
    '"first_line": 3, "last_line": 5, "lines": ["a", "b", "c"], "before": ["d"], "after": []}, '
    'null], "model": "some-model", "made": "2026-01-02T03:04:05+00:00"}'
)

FACT = Fact(
    "f1000000000",
    "It swims \ud800.",
    "a.py",
    PASSAGE,
    "00",
    0.9,
    Basis.MODEL,
    AT,
    "s1",
    "r1",
    True,
    (HEAD,),
)
KEPT_FACT = (
    '{"id": "f1000000000", "statement": "It swims \\ud800.", "source_doc_id": "a.py", '
    '"source_chunk_id": {"sha256": "00", "passage": {"path": "/ws/a.py", "first_line": 3, '
    '"last_line": 5, "lines": ["a", "b", "c"], "before": ["d"], "after": []}, "context": '
    '[{"path": "/ws/a.py", "first_line": 1, "last_line": 1, "lines": ["e"], "before": [], '
    '"after": ["f"]}]}, "confidence": 0.9, "basis": "model", "created_at": '
    '"2026-01-02T03:04:05+00:00", "session": "s1", "run": "r1", "pinned": true}'
)


def test_a_recorded_gloss() -> None:
    assert gloss_from_json(json.loads(KEPT_GLOSS)) == GLOSS
    assert json.dumps(gloss_to_json(GLOSS)) == KEPT_GLOSS


def test_a_recorded_fact() -> None:
    assert Fact.from_json(json.loads(KEPT_FACT)) == FACT
    assert json.dumps(FACT.to_json()) == KEPT_FACT


@pytest.mark.parametrize(
    "fields",
    [
        {"made": "yesterday"},
        {"made": None},
        {"subject": None},
        {"subject": {"path": "/ws/a.py"}},
        {"passages": None},
        {"passages": [{"path": "/ws/a.py"}]},
        {"report": {}},
    ],
)
def test_what_is_no_gloss(fields: dict[str, Any]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        gloss_from_json(json.loads(KEPT_GLOSS) | fields)


@pytest.mark.parametrize("whole", [None, [], 3, "x", {}])
def test_what_is_no_object_is_no_gloss(whole: Any) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        gloss_from_json(whole)
