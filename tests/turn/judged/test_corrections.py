"""The model is told once which citations of its answer failed; its next answer takes its place."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from glossator.commands.sessions import ResumeSessionRequest, resume_session
from glossator.commands.window import SentRequest, window_layers
from glossator.core.context_kinds import Kind
from glossator.core.events import (
    DiscardReason,
    Event,
    Notice,
    RunCancelled,
    TextDelta,
    TextDiscarded,
)
from glossator.lsp.reports import answer_to_markdown
from glossator.sessions.compaction.kept import KeptTools, collect
from glossator.sessions.compaction.summary import PromptPrefix
from tests.sandboxed import SANDBOXED
from tests.stage import stage
from tests.standin import HttpError, Text, ToolUse, Turn
from tests.turn.delegating import FILES, Players, explore, is_correction, read, results

WRONG = "It greets. [cite: doc, app.py, L1-L2] [cite: doc, gone.py, L3]"
RIGHT = "It greets. [cite: doc, app.py, L1-L2]"


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def shown(events: Sequence[Event]) -> str:
    """The text that stays on the screen."""
    text = ""
    for event in events:
        if isinstance(event, TextDelta):
            text += event.text
        elif isinstance(event, TextDiscarded):
            text = ""
    return text


async def test_the_corrected_answer_takes_the_place_of_the_first(tmp_path: Path) -> None:
    script = [Turn(Text(WRONG)), Turn(read("app.py")), Turn(Text(RIGHT))]
    async with stage(tmp_path / "ws", FILES, script) as s:
        answer = await s.ask("What does it do?")
        (told,) = s.sent(1)["messages"][-1]["content"]
        assert "- app.py:1-2: Lines 1-2 were not read.\n- gone.py:3: gone.py does" in told["text"]
        assert (answer.text, answer.turns) == (RIGHT, 3)
        assert [each.status for each in answer.citations] == ["read"]
        assert shown(s.port.events) == RIGHT
        assert s.port.of(TextDiscarded) == [TextDiscarded(DiscardReason.CITATIONS)]
        again = await resume_session(s.app, ResumeSessionRequest(answer.session_id))
        assert shown([each.event for each in again.events]) == RIGHT
        messages = s.sent(2)["messages"]
    said = collect(messages, KeptTools()).said
    assert said == ("What does it do?",)
    _, _, conversation = window_layers(PromptPrefix((), ()), messages[-3:], SentRequest())
    assert Kind.QUESTION not in {part.kind for part in conversation.parts}


async def test_it_is_told_once(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, [Turn(Text(WRONG)), Turn(Text(WRONG))]) as s:
        answer = await s.ask("?")
        assert [each.status for each in answer.citations] == ["unsupported"] * 2
        assert [(each.first_line, each.last_line) for each in answer.citations] == [(1, 2), (3, 3)]
        assert shown(s.port.events) == WRONG


async def test_mentions_are_marked_without_another_reply(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, [Turn(Text("See `app.py:1`."))]) as s:
        answer = await s.ask("?")
        assert [each.reason for each in answer.citations] == ["Line 1 was not read."]


async def test_the_first_answer_stands_where_the_model_fails(tmp_path: Path) -> None:
    refused = Turn(fault=HttpError(403, message="Not now."))
    async with stage(tmp_path / "ws", FILES, [Turn(Text(WRONG)), refused]) as s:
        answer = await s.ask("?")
        assert (answer.text, answer.stop) == (WRONG, "answered")
        assert shown(s.port.events) == WRONG
        assert "stands" in s.port.of(Notice)[-1].message
        again = await resume_session(s.app, ResumeSessionRequest(answer.session_id))
        assert shown([each.event for each in again.events]) == WRONG


async def test_the_first_answer_stands_at_a_limit(tmp_path: Path) -> None:
    script = [Turn(read("app.py")), Turn(Text(WRONG + " [cite: doc, shop.py, L1]"))]
    async with stage(tmp_path / "ws", FILES, script, {"limits": {"turns": 2}}) as s:
        answer = await s.ask("?")
        assert (answer.stop, answer.turns, len(answer.citations)) == ("answered", 2, 3)
    script = [Turn(Text(WRONG)), Turn(read("app.py")), Turn(Text("I could not finish."))]
    async with stage(tmp_path / "ws", FILES, script, {"limits": {"turns": 2}}) as s:
        answer = await s.ask("?")
        assert (answer.text, shown(s.port.events)) == (WRONG, WRONG)


async def test_the_first_answer_stands_when_the_run_is_cancelled(tmp_path: Path) -> None:
    gate = asyncio.Event()
    script = [Turn(Text(WRONG)), Turn(Text("It may " * 20), gate=gate)]
    async with stage(tmp_path / "ws", FILES, script) as s:
        asking = asyncio.create_task(s.ask("?", run_id="r"))
        await s.api.wait_for_requests(2)
        assert s.app.runs.cancel("r") == ("r",)
        with pytest.raises(asyncio.CancelledError):
            await asking
        gate.set()
        assert isinstance(s.port.events[-1], RunCancelled)
        assert shown(s.port.events) == WRONG


async def test_a_sub_agent_corrects_its_report(tmp_path: Path) -> None:
    found = "- It prices. [cite: doc, shop.py, L1-L2]"

    def script(body: dict[str, object]) -> Turn:
        if is_correction(body):
            corrections.append(body)
            return Turn(Text("- It greets. [cite: doc, app.py, L1-L2]"))
        return players(body)

    corrections: list[dict[str, object]] = []
    players = Players(
        [Turn(explore("a")), Turn(Text("Done."))], a=[Turn(read("app.py")), Turn(Text(found))]
    )
    async with stage(tmp_path / "ws", FILES, script) as s:
        await s.ask("?")
        told = results(players.asked["main"][1])["toolu_a"]["content"]
        assert told.startswith("- It greets. [cite: doc, app.py, L1-L2]")
        assert len(corrections) == 1


@SANDBOXED
async def test_the_output_of_a_command_is_cited_by_its_number(tmp_path: Path) -> None:
    settings = {"permissions": {"mode": "auto"}}
    cited = "They pass. [cite: run, 2] Not so: [cite: run, 9]"
    script = [
        Turn(ToolUse("Bash", {"command": "echo one"}, id="one")),
        Turn(ToolUse("Bash", {"command": "echo two"}, id="two")),
        Turn(Text(cited)),
        Turn(Text("They pass. [cite: run, 2]")),
    ]
    async with stage(tmp_path / "ws", FILES, script, settings) as s:
        answer = await s.ask("Do the tests pass?")
        assert s.results(1)["one"]["content"] == "one\n[run 1] [exit code 0]"
        assert s.results(2)["two"]["content"] == "two\n[run 2] [exit code 0]"
        told = s.sent(3)["messages"][-1]["content"][0]["text"]
        assert "- run 9: Runs are numbered from 1 to 2 in this conversation." in told
        assert [(each.target, each.status) for each in answer.citations] == [
            ("run 2: echo two", "read")
        ]
        assert "- not judged: `run 2: echo two`" in answer_to_markdown(answer)
    script = [
        Turn(ToolUse("Bash", {"command": "echo three"}, id="three")),
        Turn(Text("[cite: run, 1] [cite: run, 3]")),
    ]
    async with stage(tmp_path / "ws", {}, script, settings) as s:
        again = await s.ask("And now?", session_id=answer.session_id)
        assert s.results(1)["three"]["content"] == "three\n[run 3] [exit code 0]"
        assert [each.target for each in again.citations] == ["run 1: echo one", "run 3: echo three"]


async def test_a_sub_agent_has_no_runs_to_cite(tmp_path: Path) -> None:
    reporting = [Turn(Text("- They pass. [cite: run, 1]"))]
    players = Players([Turn(explore("a")), Turn(Text("Done."))], a=reporting)
    async with stage(tmp_path / "ws", FILES, players) as s:
        await s.ask("?")
        told = results(players.asked["main"][1])["toolu_a"]["content"]
        assert "They pass. (not read: run 1)" in told
