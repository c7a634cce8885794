"""What requests take is kept reply by reply, whatever becomes of the run, and limits others."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.sessions import (
    CompactRequest,
    ExportFormat,
    ExportSessionRequest,
    ResumeSessionRequest,
    compact_session,
    export_session,
    resume_session,
)
from glossator.commands.status import StatusRequest, status
from glossator.core.errors import BudgetSpent, ModelError
from glossator.core.events import Compaction, Notice, RunStarted, Usage
from glossator.llm.anthropic_model import AnthropicModel
from glossator.sessions.session import Session
from tests.sessions.compaction.compacting import MUSING, is_asked_for_a_summary, summary_turn
from tests.stage import Stage, stage
from tests.standin import HttpError, SlowHeaders, Text, ToolUse, Turn

FILES = {"app.py": "def greet(name):\n    return f'Hello {name}'\n" * 40}
READ = ToolUse("Read", {"path": "app.py"})
BROKEN = Turn(fault=HttpError(403))
DUE = {"context": {"compactAt": 0.000_001}}


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def usages(s: Stage) -> list[Usage]:
    found: list[Usage] = s.port.of(Usage)
    return found


def added_up(usages: list[Usage]) -> Usage:
    return sum(usages, start=Usage())


class Chatting:
    """Answers at once; summaries are what the test says."""

    def __init__(self, *summaries: Turn) -> None:
        self.summaries = list(summaries)

    def __call__(self, body: dict[str, Any]) -> Turn:
        if is_asked_for_a_summary(body):
            return self.summaries.pop(0) if self.summaries else summary_turn()
        return Turn(MUSING, Text("It greets."))

    @staticmethod
    async def talk(s: Stage, rounds: int = 8) -> Session:
        session = s.app.sessions.create()
        for number in range(rounds):
            await s.ask(f"What about {number}?", session_id=session.id)
        return session


async def test_a_run_that_fails_has_cost_what_it_cost(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, [Turn(READ), BROKEN]) as s:
        session = s.app.sessions.create()
        with pytest.raises(ModelError):
            await s.ask("?", session_id=session.id)
        (usage,) = usages(s)
        assert usage.total > 0
        assert (session.account.replies, session.account.last) == (1, usage)
    async with stage(tmp_path / "ws", {}, [Turn(Text("On."))]) as s:
        again = await s.app.sessions.open(session.id)
        assert again.account == session.account
        answer = await s.ask("?", session_id=session.id)
        assert answer.session_usage == usage + answer.usage
        assert answer.session_dollars == again.account.spending.dollars
        assert again.account.spending.known_dollars > session.account.spending.known_dollars > 0


async def test_a_run_that_is_cancelled_has_cost_what_it_cost(tmp_path: Path) -> None:
    asked_again = asyncio.Event()

    def script(body: dict[str, Any]) -> Turn:
        if len(body["messages"]) == 1:
            return Turn(READ)
        asked_again.set()
        return Turn(fault=SlowHeaders(asyncio.Event()))

    async with stage(tmp_path / "ws", FILES, script) as s:
        session = s.app.sessions.create()
        run = asyncio.create_task(s.ask("?", session_id=session.id))
        await asked_again.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        (usage,) = usages(s)
        assert (session.account.replies, session.account.last) == (1, usage)


async def test_the_last_word_costs_too(tmp_path: Path) -> None:
    script = [Turn(READ), Turn(Text("That is all I know."))]
    async with stage(tmp_path / "ws", FILES, script, {"limits": {"turns": 1}}) as s:
        answer = await s.ask("?")
        session = await s.app.sessions.open(answer.session_id)
        assert session.account.replies == 2
        assert session.account.spending.usage == answer.usage == added_up(usages(s))


async def test_a_compaction_costs_and_empties_the_window(tmp_path: Path) -> None:
    player = Chatting(Turn(Text("Sure!")))  # it is asked for a second time
    async with stage(tmp_path / "ws", FILES, player) as s:
        session = await player.talk(s)
        before = session.account.spending.usage
        assert session.account.last == usages(s)[-1]
        await compact_session(s.app, CompactRequest(session.id))
        assert (session.account.replies, session.account.last) == (10, Usage())
        assert session.account.spending.usage.total > before.total
    async with stage(tmp_path / "ws", {}, []) as s:
        assert (await s.app.sessions.open(session.id)).account == session.account


async def test_a_compaction_that_fails_costs_and_leaves_the_window_full(tmp_path: Path) -> None:
    player = Chatting(Turn(Text("Sure!")), Turn(fault=HttpError(529)))
    async with stage(tmp_path / "ws", FILES, player, {"models": {"maxRetries": 0}}) as s:
        session = await player.talk(s)
        last = session.account.last
        with pytest.raises(ModelError):
            await compact_session(s.app, CompactRequest(session.id))
        assert (session.account.replies, session.account.last) == (9, last)


async def test_a_compaction_ahead_of_a_turn_is_the_runs(tmp_path: Path) -> None:
    player = Chatting()
    async with stage(tmp_path / "ws", FILES, player, DUE) as s:
        session = await player.talk(s)
        assert s.port.of(Compaction)
        assert session.account.spending.usage == added_up(usages(s))
        assert session.account.replies == len(s.api.requests)
        s.port.envelopes.clear()
        answer = await s.ask("And now?", session_id=session.id)
        assert len(usages(s)) == 2
        assert answer.usage == added_up(usages(s))


async def test_an_unknown_price_is_told_once_a_run_and_after_a_compaction(tmp_path: Path) -> None:
    player = Chatting()
    limited = DUE | {"limits": {"dollars": 1}}
    async with stage(tmp_path / "ws", FILES, player, limited) as s:
        assert isinstance(s.app.model, AnthropicModel)
        s.app.model._known.facts = replace(s.app.model.facts, price=None)
        session = await player.talk(s)
        compacted = s.port.of(Compaction)
        told = [notice for notice in s.port.of(Notice) if "price of" in notice.message]
        assert compacted
        assert len(told) == len(s.port.of(RunStarted))
        assert session.account.spending.dollars is None


async def test_exports_and_the_status_tell_it(tmp_path: Path) -> None:
    script = [Turn(READ), Turn(Text("It greets."))]
    async with stage(tmp_path / "ws", FILES, script) as s:
        answer = await s.ask("What does greet do?")
        request = ExportSessionRequest(answer.session_id, ExportFormat.JSON)
        document = json.loads((await export_session(s.app, request)).text)
        assert document["spending"]["replies"] == 2
        assert document["spending"]["dollars"] == answer.dollars
        kept = [record for record in document["records"] if record["kind"] == "spent"]
        assert [Usage(**record["usage"]) for record in kept] == usages(s)
        assert {record["run"] for record in kept} == {answer.run_id}
        assert {record["model"] for record in kept} == {answer.model}
        markdown = await export_session(s.app, ExportSessionRequest(answer.session_id))
        assert f"2 replies, {answer.usage.total:,} tokens, price $" in markdown.text
        (told,) = (await status(s.app, StatusRequest())).spending
        assert (told.session_id, told.replies) == (answer.session_id, 2)
        assert (told.usage, told.dollars) == (answer.usage, answer.dollars)
        assert told.last == usages(s)[-1]
        live = usages(s)
    async with stage(tmp_path / "ws", {}, []) as s:
        resumed = await resume_session(s.app, ResumeSessionRequest(answer.session_id))
        assert [e.event for e in resumed.events if isinstance(e.event, Usage)] == live
        (figures,) = resumed.figures
        assert (figures.run_id, figures.turns, figures.usage) == (answer.run_id, 2, answer.usage)
        assert (figures.dollars, figures.session_dollars) == (
            answer.dollars,
            answer.session_dollars,
        )
        assert figures.milliseconds > 0


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"sessionTokens": 100}, r"session's limit of 100 tokens is reached\. .*sessionTokens"),
        ({"sessionDollars": 1e-6}, r"session's limit of .* is reached\. .*limits\.sessionDollars"),
    ],
)
async def test_a_session_that_has_cost_enough_goes_no_further(
    tmp_path: Path, limits: dict[str, float], said: str
) -> None:
    player = Chatting()
    async with stage(tmp_path / "ws", FILES, player) as s:
        session = await player.talk(s)
    async with stage(tmp_path / "ws", {}, player, {"limits": limits}) as s:
        with pytest.raises(BudgetSpent, match=said):
            await compact_session(s.app, CompactRequest(session.id))
        with pytest.raises(BudgetSpent, match=said):
            await s.ask("?", session_id=session.id)
        assert s.api.requests == []
        assert not s.port.of(RunStarted)
        assert (await s.ask("A new one?")).text == "It greets."
    offline = {"limits": limits, "models": {"offline": True}}
    async with stage(tmp_path / "ws", {}, [], offline) as s:
        assert "Offline" in (await s.ask("greet?", session_id=session.id)).text


async def test_a_run_ends_when_its_session_has_cost_enough(tmp_path: Path) -> None:
    def script(body: dict[str, Any]) -> Turn:
        last = body["messages"][-1]["content"][-1]
        if "This run is ending" in last.get("text", ""):
            assert "the session's limit of 100 tokens is reached" in last["text"]
            return Turn(Text("That is all I know."))
        return Turn(READ)

    async with stage(tmp_path / "ws", FILES, script, {"limits": {"sessionTokens": 100}}) as s:
        answer = await s.ask("?")
        assert (answer.stop, answer.text) == ("tokens", "That is all I know.")


async def test_a_summary_is_not_asked_for_again_with_nothing_left(tmp_path: Path) -> None:
    player = Chatting(Turn(Text("Sure!")))
    async with stage(tmp_path / "ws", FILES, player) as s:
        session = await player.talk(s)
        messages, spent = session.conversation.messages, session.account.spending.usage.total
    limits = {"limits": {"sessionTokens": spent + 10}}
    async with stage(tmp_path / "ws", {}, player, limits) as s:
        with pytest.raises(BudgetSpent):
            await compact_session(s.app, CompactRequest(session.id))
        assert len(s.api.requests) == 1
        again = await s.app.sessions.open(session.id)
        assert again.conversation.messages == messages
        assert again.account.spending.usage.total > spent


async def test_a_compaction_ahead_of_a_turn_counts_towards_its_limit(tmp_path: Path) -> None:
    player = Chatting()
    async with stage(tmp_path / "ws", FILES, player) as s:
        session = await player.talk(s)

    def script(body: dict[str, Any]) -> Turn:
        last = body["messages"][-1]["content"][-1].get("text", "")
        if "This run is ending" in last:
            return Turn(Text("Enough."))
        return summary_turn() if is_asked_for_a_summary(body) else Turn(READ)

    limits = {"limits": {"tokens": 1_000}} | DUE
    async with stage(tmp_path / "ws", {}, script, limits) as s:
        answer = await s.ask("?", session_id=session.id)
        assert (answer.stop, answer.text) == ("tokens", "Enough.")
        assert len(s.api.requests) == 3  # the summary, one turn, the last word
        assert any("limit of 1,000 tokens" in notice.message for notice in s.port.of(Notice))


async def test_a_compaction_that_takes_the_rest_is_followed_by_the_last_word(
    tmp_path: Path,
) -> None:
    def script(body: dict[str, Any]) -> Turn:
        if is_asked_for_a_summary(body):
            summary = summary_turn()
            return Turn(*summary.blocks, usage={"cache_read_input_tokens": 100_000})
        if "This run is ending" in body["messages"][-1]["content"][-1].get("text", ""):
            return Turn(Text("Enough."))
        usage = {"cache_read_input_tokens": 850_000} if len(body["messages"]) == 5 else None
        return Turn(MUSING, ToolUse("Grep", {"pattern": f"p{len(body['messages'])}"}), usage=usage)

    async with stage(tmp_path / "ws", FILES, script, {"limits": {"tokens": 950_000}}) as s:
        answer = await s.ask("?")
        assert s.port.of(Compaction)
        assert (answer.stop, answer.text) == ("tokens", "Enough.")
        assert len(s.api.requests) == 5  # three turns, the summary, the last word


async def test_a_full_window_is_not_compacted_with_nothing_left(tmp_path: Path) -> None:
    def script(body: dict[str, Any]) -> Turn:
        if len(body["messages"]) < 16:
            return Turn(MUSING, Text("It greets."))
        return Turn(Text("I was"), stop_reason="model_context_window_exceeded")

    async with stage(tmp_path / "ws", FILES, script, {"limits": {"tokens": 100}}) as s:
        session = await Chatting.talk(s)
        answer = await s.ask("And?", session_id=session.id)
        assert answer.stop == "context full"
        assert len(s.api.requests) == 9
        (notice,) = s.port.of(Notice)
        assert notice.message.startswith("The conversation was not compacted. The limit of 100")
