"""The commands about facts: they say what they did, and to what."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.answers.context import ContextAction, ContextState
from glossator.commands.context_sources import (
    ListContextRequest,
    SwitchContextRequest,
    list_context,
    switch_context,
)
from glossator.commands.facts import (
    ClearFactsRequest,
    ExportFactsRequest,
    ForgetFactRequest,
    ListFactsRequest,
    PinFactRequest,
    clear_facts,
    export_facts,
    forget_fact,
    list_facts,
    pin_fact,
)
from glossator.commands.sessions import (
    DeleteSessionRequest,
    SummariseRequest,
    delete_session,
    summarise_session,
)
from glossator.core.context_kinds import ContextKind
from glossator.core.document import Document
from glossator.core.errors import UsageError
from glossator.core.fact import FactState, NewFact
from glossator.core.span import Basis, Span
from glossator.ledger import SessionSummary
from tests.stage import Stage, stage
from tests.standin import Text, Turn

FILES = {"shop.py": "def price(net):\n    return net * 2\n", "pool.py": "def swim():\n    pass\n"}
SUMMARY = {
    "intent": "Learn how prices are made.",
    "instructions": [],
    "decisions": ["The price doubles the net amount."],
    "files": [],
    "errors": [{"error": "A test failed", "fix": "open"}],
    "open_tasks": ["Who calls price?"],
    "next_step": "",
}
FAST = "claude-haiku-5-5"


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


async def add(s: Stage, statement: str, path: str) -> str:
    """The id of a fact about the first line of a file."""
    await s.app.ready()
    document = s.app.host.snapshot().read(path)
    assert isinstance(document, Document)
    span = Span(document.uri, document.sha256, 1, 1)
    new = NewFact(statement, path, span, Basis.MODEL, 0.9)
    (fact,) = await s.app.ledger.remember("s1", "r1", [new])
    return fact.id


async def test_they_are_listed_pinned_and_forgotten(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, []) as s:
        price = await add(s, "`price` takes the net.", "shop.py")
        swim = await add(s, "`swim` takes nothing.", "pool.py")
        pinned = await pin_fact(s.app, PinFactRequest(price))
        assert (pinned.fact.id, pinned.fact.pinned) == (price, True)
        (s.root / "pool.py").write_text("def swim(pool):\n    pass\n")
        s.touched("pool.py")
        listed = await list_facts(s.app, ListFactsRequest())
        assert [(each.id, each.state, each.path, each.first_line) for each in listed.facts] == [
            (price, FactState.FRESH, "shop.py", 1),
            (swim, FactState.STALE, "pool.py", 1),
        ]
        with pytest.raises(UsageError, match="no fact f0, f1 here"):
            await forget_fact(s.app, ForgetFactRequest(("f0", "f1")))
        gone = await forget_fact(s.app, ForgetFactRequest((swim,)))
        assert [each.statement for each in gone.facts] == ["`swim` takes nothing."]
        assert (gone.left, gone.sessions) == (1, ())
        unpinned = await pin_fact(s.app, PinFactRequest(price, on=False))
        assert not unpinned.fact.pinned


async def test_clearing_says_what_it_removed(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, []) as s:
        await add(s, "`price` takes the net.", "shop.py")
        await add(s, "`swim` takes nothing.", "pool.py")
        await s.app.ledger.cores.keep("s1")
        (s.root / "pool.py").write_text("def swim(pool):\n    pass\n")
        s.touched("pool.py")
        stale = await clear_facts(s.app, ClearFactsRequest(stale=True))
        assert [each.statement for each in stale.facts] == ["`swim` takes nothing."]
        assert (stale.sessions, stale.left) == ((), 1)
        rest = await clear_facts(s.app, ClearFactsRequest())
        assert [each.statement for each in rest.facts] == ["`price` takes the net."]
        assert (rest.sessions, rest.left) == (("s1",), 0)
        assert (await list_facts(s.app, ListFactsRequest())).facts == ()


async def test_they_are_exported_with_their_hashes(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, []) as s:
        fact = await add(s, "`price` takes the net.", "shop.py")
        exported = await export_facts(s.app, ExportFactsRequest())
        (entry,) = json.loads(exported.text)["fact_ledger"]
        assert (entry["id"], entry["status"], entry["source_doc_id"]) == (fact, "fresh", "shop.py")
        assert len(entry["source_chunk_id"]["passage"]["lines"]) == 1
        core = json.loads((await export_facts(s.app, ExportFactsRequest("s1"))).text)
        assert (core["schema"], core["session_id"], list(core["fact_ledger"])) == (1, "s1", [fact])


async def test_switched_off_they_can_still_be_cleared(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, []) as s:
        await add(s, "`price` takes the net.", "shop.py")
    async with stage(root, {}, [], {"facts": {"enabled": False}}) as s:
        await s.app.ready()
        listed = await list_facts(s.app, ListFactsRequest())
        assert listed.problems == ("Facts are off: the setting facts.enabled is false.",)
        assert len((await clear_facts(s.app, ClearFactsRequest())).facts) == 1


async def test_the_context_view_lists_them(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, []) as s:
        fact = await add(s, "`price` takes the net.", "shop.py")
        changes = s.port.context_changes
        await add(s, "`swim` takes nothing.", "pool.py")
        assert s.port.context_changes > changes
        (s.root / "pool.py").write_text("def swim(pool):\n    pass\n")
        s.touched("pool.py")
        await pin_fact(s.app, PinFactRequest(fact))
        found = (await list_context(s.app, ListContextRequest(ContextKind.FACT))).sources
        price, swim = found
        assert (price.id, price.name, price.state) == (
            fact,
            "`price` takes the net.",
            ContextState.ON,
        )
        assert price.detail == "shop.py:1, pinned"
        assert price.uri.endswith("/shop.py#L1-L1")
        assert price.actions == (ContextAction.FORGET, ContextAction.UNPIN, ContextAction.OPEN)
        assert swim.state is ContextState.STALE
        assert swim.why.startswith("Its lines changed")
        assert swim.actions == (ContextAction.FORGET, ContextAction.PIN, ContextAction.OPEN)
        with pytest.raises(UsageError, match="cannot be turned off"):
            await switch_context(s.app, SwitchContextRequest(ContextKind.FACT, fact, on=False))


def turns(body: Any) -> Turn:
    """The main model answers, the fast one summarises."""
    if body["model"] == FAST:
        return Turn(Text(json.dumps(SUMMARY)))
    return Turn(Text("It doubles the net amount."))


async def test_a_long_conversation_is_summarised_in_the_background(tmp_path: Path) -> None:
    settings = {"facts": {"summaryTokens": 1_000}}
    async with stage(tmp_path / "ws", FILES, turns, settings) as s:
        answer = await s.ask("What does price do?")
        await s.app.summaries.settle()
        summary = s.app.ledger.cores.of(answer.session_id).session_summary
        assert summary.main_topics == ("Learn how prices are made.",)
        assert summary.key_conclusions == (
            "The price doubles the net amount.",
            "A test failed: open",
        )
        assert summary.unresolved_questions == ("Who calls price?",)
        await s.ask("And again?", session_id=answer.session_id)  # it has not grown enough
        await s.app.summaries.settle()
        assert [each.body["model"] == FAST for each in s.api.requests] == [False, True, False]


async def test_of_sessions_long_ago_no_size_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.application.session_summaries._REMEMBERED_LENGTHS", 1)
    settings = {"facts": {"summaryTokens": 1_000}}
    async with stage(tmp_path / "ws", FILES, turns, settings) as s:
        for _ in range(2):
            await s.ask("What does price do?")
            await s.app.summaries.settle()
        assert len(s.app.summaries._last) == 1


@pytest.mark.parametrize("clears", [True, False])
async def test_one_that_ends_late_writes_nothing_back(tmp_path: Path, clears: bool) -> None:
    gate = asyncio.Event()

    def slow(body: Any) -> Turn:
        is_summary = body["model"] == FAST
        return Turn(Text(json.dumps(SUMMARY)), gate=gate) if is_summary else turns(body)

    settings = {"facts": {"summaryTokens": 1_000}}
    async with stage(tmp_path / "ws", FILES, slow, settings) as s:
        session = (await s.ask("What does price do?")).session_id
        if clears:
            assert (await clear_facts(s.app, ClearFactsRequest())).sessions == (session,)
        else:
            await delete_session(s.app, DeleteSessionRequest(session))
        gate.set()
        await s.app.summaries.settle()
        assert s.app.ledger.cores.of(session).session_summary == SessionSummary()
        exported = await export_facts(s.app, ExportFactsRequest(session))
        assert "Learn how" not in exported.text


@pytest.mark.parametrize("tokens", [None, 90_000])
async def test_a_shorter_one_is_not(tmp_path: Path, tokens: int | None) -> None:
    settings = {"facts": {"summaryTokens": tokens}}
    async with stage(tmp_path / "ws", FILES, turns, settings) as s:
        await s.ask("What does price do?")
        await s.app.summaries.settle()
        assert len(s.api.requests) == 1


async def test_where_memory_is_short_it_is_sooner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.application.session_summaries.is_memory_short", lambda: True)
    settings = {"facts": {"summaryTokens": 10_000}}
    async with stage(tmp_path / "ws", FILES, turns, settings) as s:
        await s.ask("What does price do?")
        await s.app.summaries.settle()
        assert len(s.api.requests) == 2


async def test_by_command_it_is_made_now_and_goes_with_its_session(tmp_path: Path) -> None:
    settings = {"facts": {"summaryTokens": None}}
    async with stage(tmp_path / "ws", FILES, turns, settings) as s:
        empty = s.app.sessions.create()
        with pytest.raises(UsageError, match="Nothing was said"):
            await summarise_session(s.app, SummariseRequest(empty.id))
        answer = await s.ask("What does price do?")
        made = await summarise_session(s.app, SummariseRequest(answer.session_id))
        assert (made.by_model, made.unresolved_questions) == (True, ("Who calls price?",))
        await delete_session(s.app, DeleteSessionRequest(answer.session_id))
        assert s.app.ledger.cores.of(answer.session_id).session_summary.main_topics == ()


async def test_offline_it_is_extracted(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, [], {"models": {"offline": True}}) as s:
        answer = await s.ask("What does price do?")
        made = await summarise_session(s.app, SummariseRequest(answer.session_id))
        assert (made.by_model, made.main_topics) == (False, ("What does price do?",))


async def test_a_summary_that_is_none_is_asked_for_once_more_then_extracted(
    tmp_path: Path,
) -> None:
    def turn(body: Any) -> Turn:
        return Turn(Text("Gladly!")) if body["model"] == FAST else turns(body)

    settings = {"facts": {"summaryTokens": None}}
    async with stage(tmp_path / "ws", FILES, turn, settings) as s:
        answer = await s.ask("What does price do?")
        made = await summarise_session(s.app, SummariseRequest(answer.session_id))
        assert (made.by_model, made.main_topics) == (False, ("What does price do?",))
        assert len(s.api.requests) == 3
