"""What this layer repeats, because it may not import it, agrees with the original."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from glossator.cli import wire
from glossator.core.events import Usage
from glossator.lsp.wire import camel
from glossator.service.ask import Answer, CitationView
from glossator.service.doctor import Check, DoctorAnswer
from glossator.service.index import IndexAnswer
from glossator.service.search import SearchAnswer, SearchHit
from glossator.service.status import IndexView, OutlinesView, StatusAnswer, SweepView
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
        (wire.Index, IndexView),
        (wire.Outlines, OutlinesView),
        (wire.Sweep, SweepView),
        (wire.IndexReport, IndexAnswer),
        (wire.Checks, DoctorAnswer),
        (wire.Check, Check),
    ],
)
def test_every_answer_has_the_fields_of_the_service(mirror: type[Any], original: type[Any]) -> None:
    fields = {camel(field.name) for field in dataclasses.fields(original)}
    assert set(mirror.__annotations__) == fields
