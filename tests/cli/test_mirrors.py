"""What this layer repeats, because it may not import it, agrees with the original."""

from __future__ import annotations

import dataclasses
from typing import Any, get_args, get_type_hints

import pytest

from glossator.cli import options, wire, wire_agents, wire_sessions
from glossator.cli.messages import price
from glossator.context.inspector import Layer, Part
from glossator.core.events import Compaction, UndoneTurn, Usage
from glossator.core.permission import Choice, PermissionAnswer
from glossator.core.ports import Review
from glossator.core.report import Finding, Report
from glossator.core.todo import Todo
from glossator.files.cache import CacheStatistics
from glossator.files.listing import Skipped
from glossator.llm.catalog import Price
from glossator.llm.cost import in_words
from glossator.lsp.wire import camel
from glossator.settings.model import PermissionSettings
from glossator.usecases.agents import AgentInfo, AgentList, AgentTranscript
from glossator.usecases.ask import Answer, CitationView
from glossator.usecases.compact import CompactAnswer
from glossator.usecases.doctor import Check, DoctorAnswer
from glossator.usecases.explore import Explored
from glossator.usecases.index import IndexAnswer
from glossator.usecases.models import ModelList, ModelView
from glossator.usecases.retry import RetryAnswer
from glossator.usecases.rewind import DroppedRun, RewindAnswer
from glossator.usecases.rules import ListedRule, RuleList
from glossator.usecases.search import SearchAnswer, SearchHit
from glossator.usecases.sessions import DeletedSession, ExportedSession, SessionInfo, SessionList
from glossator.usecases.show_context import ContextAnswer
from glossator.usecases.status import IndexView, OutlinesView, SpendingView, StatusAnswer, SweepView
from glossator.usecases.tool import ToolAnswer
from glossator.usecases.undo import TurnList, TurnView, UndoAnswer, UndoProblem


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
        (wire.Spending, SpendingView),
        (wire.IndexReport, IndexAnswer),
        (wire.Checks, DoctorAnswer),
        (wire.Check, Check),
        (wire.Step, Todo),
        (wire_sessions.Session, SessionInfo),
        (wire_sessions.Sessions, SessionList),
        (wire_sessions.DeletedSession, DeletedSession),
        (wire_sessions.ExportedSession, ExportedSession),
        (wire_sessions.Compacted, CompactAnswer),
        (wire_sessions.Compacted, Compaction),
        (wire_sessions.Turn, TurnView),
        (wire_sessions.Turns, TurnList),
        (wire_sessions.UndoProblem, UndoProblem),
        (wire_sessions.Undone, UndoAnswer),
        (wire_sessions.UndoneTurn, UndoneTurn),
        (wire_sessions.Rewound, RewindAnswer),
        (wire_sessions.DroppedRun, DroppedRun),
        (wire_sessions.Retried, RetryAnswer),
        (wire_sessions.Context, ContextAnswer),
        (wire_sessions.ContextLayer, Layer),
        (wire_sessions.ContextPart, Part),
        (wire.Models, ModelList),
        (wire.ListedModel, ModelView),
        (wire.Rules, RuleList),
        (wire.ListedRule, ListedRule),
        (wire.Price, Price),
        (wire_agents.Report, Report),
        (wire_agents.Finding, Finding),
        (wire_agents.Explored, Explored),
        (wire_agents.Agent, AgentInfo),
        (wire_agents.Agents, AgentList),
        (wire_agents.AgentTranscript, AgentTranscript),
        (wire.Review, Review),
        (wire.PermissionAnswer, PermissionAnswer),
    ],
)
def test_every_answer_has_the_fields_of_the_service(mirror: type[Any], original: type[Any]) -> None:
    fields = {camel(field.name) for field in dataclasses.fields(original)}
    assert set(get_type_hints(mirror)) == fields


def test_the_modes_and_choices_are_the_same() -> None:
    mode = PermissionSettings.model_fields["mode"].annotation
    assert get_args(options.ModeName) == get_args(mode)
    assert get_args(wire.Choice) == tuple(Choice)


@pytest.mark.parametrize("dollars", [0.0, 0.000_01, 0.0001, 0.003_44, 0.00999, 0.01, 0.456, 1234.5])
def test_prices_read_the_same(dollars: float) -> None:
    assert price(dollars) == in_words(dollars)
