"""What this layer repeats, because it may not import it, agrees with the original."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from glossator.cli import wire
from glossator.cli.render.citations import rewrite
from glossator.core.events import Usage
from glossator.grounding.citations import parse_citations
from glossator.lsp.wire import camel
from glossator.service.ask import Answer, CitationView
from glossator.service.doctor import Check, DoctorAnswer
from glossator.service.search import SearchAnswer, SearchHit
from glossator.service.status import StatusAnswer
from glossator.service.tool import ToolAnswer
from glossator.workspace.cache import CacheStatistics
from glossator.workspace.index import Skipped


@pytest.mark.parametrize(
    ("mirror", "original"),
    [
        (wire.Answer, Answer),
        (wire.Citation, CitationView),
        (wire.Usage, Usage),
        (wire.Hits, SearchAnswer),
        (wire.Hit, SearchHit),
        (wire.ToolAnswer, ToolAnswer),
        (wire.Status, StatusAnswer),
        (wire.Cache, CacheStatistics),
        (wire.Skipped, Skipped),
        (wire.Checks, DoctorAnswer),
        (wire.Check, Check),
    ],
)
def test_every_answer_has_the_fields_of_the_service(mirror: type[Any], original: type[Any]) -> None:
    fields = {camel(field.name) for field in dataclasses.fields(original)}
    assert set(mirror.__annotations__) == fields


@pytest.mark.parametrize(
    "text",
    [
        "a [cite: doc, src/a.py, L1-L2] b",
        "a [cite: doc, src/a.py, 1-2], [cite: doc, b c.py, L7] b",
        "[cite:doc,app/[id]/[[...rest]]/page.tsx,L3\N{EN DASH}4]",
        "[cite: doc, a, L1-]",
        "[cite: fact, 7, null]",
        "[cite: doc, a\nb, L1-L2]",
    ],
)
def test_the_same_citations_are_seen_as_when_they_are_checked(text: str) -> None:
    seen: list[tuple[str, str]] = []

    def note(path: str, place: str) -> str:
        seen.append((path, place))
        return ""

    rewrite(text, note)
    marks = parse_citations(text)
    assert [path for path, _ in seen] == [mark.path for mark in marks]
    assert [place.split(":")[-1].split("-")[0] for _, place in seen] == [
        str(mark.first_line) for mark in marks
    ]
