"""What each part of grounding asks and shows, and that its setting turns all of it off."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from glossator.core.events import CitationChecked, TextDiscarded
from glossator.core.fact import FactState
from glossator.core.run_events import Correction, FactChanged, RunState, StateChanged
from glossator.core.span import Basis
from tests.sides import answering, asked
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn
from tests.turn.judged.test_grounded import (
    FALSE,
    FILES,
    TRUE,
    VAGUE,
    rewriting,
)
from tests.turn.plan.planned import role_of

ALL: Mapping[str, Mapping[str, Any]] = {
    "plan": {"dispatch": "model"},
    "grounding": {"entailment": True, "correction": "rewrite"},
    "facts": {"enabled": True},
}
QUESTION = "What does send of the client call?"
SUPPORTED = {
    "open": ("SUPPORTED", "self.open()"),
    "encode": ("SUPPORTED", "self.encode(request)"),
}
OPENING = "Established facts: "


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def kind(body: Mapping[str, Any]) -> str:
    return asked(body) or ("dispatch" if role_of(dict(body)) == "dispatcher" else "main")


def turn(body: Mapping[str, Any]) -> Turn:
    """The model looks up once, then says something true, something false, and something vague."""
    match kind(body):
        case "dispatch":
            return Turn(Text('{"task_type": "SIMPLE"}'))
        case "verify":
            return answering(**SUPPORTED)(body)
        case "correct":
            return rewriting("`send` calls `encode`.")(body)
    if "tool_result" not in str(body["messages"][-1]):
        return Turn(ToolUse("Read", {"path": "client.py"}))
    return Turn(Text(f"{TRUE} {FALSE} {VAGUE}"))


async def asked_twice(root: Path, settings: Mapping[str, Any]) -> tuple[Stage, Counter[str]]:
    """Ask in two sessions; gives the stage, and the number of requests of each kind."""
    async with stage(root, FILES, turn, settings) as s:
        await s.ask(QUESTION)
        await s.ask(QUESTION)
        return s, Counter(kind(each.body) for each in s.api.requests)


def told(s: Stage) -> int:
    """How many requests hold facts."""
    return sum(OPENING in json.dumps(each.body["messages"]) for each in s.api.requests)


def states(s: Stage) -> set[RunState]:
    return {each.state for each in s.port.of(StateChanged)}


def without(group: str, **values: Any) -> dict[str, Any]:
    return {**ALL, group: {**ALL[group], **values}}


async def test_with_all_of_it(tmp_path: Path) -> None:
    """What was rewritten is judged, too."""
    s, requests = await asked_twice(tmp_path / "ws", ALL)
    assert requests == {"main": 4, "dispatch": 2, "verify": 4, "correct": 2}
    assert states(s) >= {RunState.CORRECTING, RunState.MEMORISING}
    assert len(s.port.of(Correction)) == 2
    shown: list[FactChanged] = s.port.of(FactChanged)
    assert {each.fact.state for each in shown} == {FactState.FRESH}
    assert told(s) == 2


@pytest.mark.parametrize("how", ["off", "heuristics"])
async def test_without_a_dispatcher(tmp_path: Path, how: str) -> None:
    _, requests = await asked_twice(tmp_path / "ws", without("plan", dispatch=how))
    assert requests == {"main": 4, "verify": 4, "correct": 2}


async def test_without_a_model_that_judges(tmp_path: Path) -> None:
    settings = without("grounding", entailment=False)
    s, requests = await asked_twice(tmp_path / "ws", settings)
    assert requests == {"main": 4, "dispatch": 2, "correct": 2}
    shown: list[CitationChecked] = s.port.of(CitationChecked)
    assert Basis.MODEL not in {each.citation.basis for each in shown}


@pytest.mark.parametrize("how", ["off", "mark", "drop"])
async def test_without_rewriting(tmp_path: Path, how: str) -> None:
    s, requests = await asked_twice(tmp_path / "ws", without("grounding", correction=how))
    assert requests == {"main": 4, "dispatch": 2, "verify": 2}
    if how == "off":
        assert RunState.CORRECTING not in states(s)
        assert s.port.of(Correction) == s.port.of(TextDiscarded) == []


async def test_without_facts(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    await asked_twice(root, ALL)  # facts of yesterday
    s, requests = await asked_twice(root, without("facts", enabled=False))
    assert requests == {"main": 4, "dispatch": 2, "verify": 4, "correct": 2}
    assert RunState.MEMORISING not in states(s)
    assert s.port.of(FactChanged) == []
    assert told(s) == 0
    assert s.app.ledger.all() == ()


async def test_without_any_of_it(tmp_path: Path) -> None:
    settings = {
        "plan": {"dispatch": "off"},
        "grounding": {"entailment": False, "correction": "off"},
        "facts": {"enabled": False},
    }
    s, requests = await asked_twice(tmp_path / "ws", settings)
    assert requests == {"main": 4}
    assert states(s) == {
        RunState.ANALYSING,
        RunState.RETRIEVING,
        RunState.VERIFYING,
        RunState.DONE,
    }
