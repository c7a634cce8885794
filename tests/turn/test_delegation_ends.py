"""However a sub-agent ends, a report comes back, and says if it is partial; the run goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.ask import CancelRequest, cancel
from glossator.core.events import AgentFinished, AgentStarted, RunCancelled, ToolStarted
from glossator.core.report import Report
from glossator.sessions.records import agents_in
from tests.passing import let_pass
from tests.patience import until
from tests.stage import Stage, stage
from tests.standin import HttpError, SlowHeaders, Text, ToolUse, Turn
from tests.turn.delegating import (
    FILES,
    Players,
    explore,
    fork,
    read,
    report,
    results,
    summaries,
)

DONE = Turn(Text("Done."))
LOOK = ToolUse("Glob", {"pattern": "*.py"})


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def never() -> SlowHeaders:
    return SlowHeaders(asyncio.Event())


def quick(**budget: Any) -> dict[str, Any]:
    return {"agents": {"medium": {"turns": 9, "tokens": 10**6, "seconds": 60} | budget}}


async def kept(s: Stage, session_id: str) -> list[Report | None]:
    records = await s.app.sessions.records(session_id)
    return [each.report for each in agents_in(records).values()]


async def test_its_replies_are_used_up(tmp_path: Path) -> None:
    looking = [Turn(read("app.py")), Turn(LOOK), report("app.py")]
    players = Players([Turn(explore("a")), DONE], a=looking)
    async with stage(tmp_path / "ws", FILES, players, quick(turns=2)) as s:
        answer = await s.ask("?")
        assert answer.stop == "answered"
        last = players.asked["a"][2]["messages"][-1]["content"][-1]["text"]
        assert last.startswith("This run is ending: the limit of 2 turns is reached.")
        told = results(players.asked["main"][1])["toolu_a"]
        assert told["content"].startswith(
            "Partial: its replies were used up. What was found until then:\n\n- It is there. [cite:"
        )
        assert summaries(s)["toolu_a"] == "1 finding, partial: its replies were used up"


async def test_its_tokens_are_used_up(tmp_path: Path) -> None:
    looking = [Turn(read("app.py"), usage={"output_tokens": 5_000}), report("app.py")]
    players = Players([Turn(explore("a")), DONE], a=looking)
    async with stage(tmp_path / "ws", FILES, players, quick(tokens=4_000)) as s:
        answer = await s.ask("?")
        assert answer.stop == "answered"
        assert summaries(s)["toolu_a"] == "1 finding, partial: its tokens were used up"


async def test_its_time_is_up_but_for_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Turn(Text("I look"), read("gone.py"), gate=asyncio.Event())
    looking = [Turn(read("app.py")), slow, report("app.py")]
    players = Players([Turn(explore("a")), DONE], a=looking)
    async with stage(tmp_path / "ws", FILES, players, quick(seconds=60)) as s:
        run = asyncio.create_task(s.ask("?"))
        await s.api.wait_for_requests(3)
        let_pass(monkeypatch, 45)
        await run
        reminder = players.asked["a"][2]["messages"][-1]["content"][-1]["text"]
        assert reminder.startswith(
            "This run is ending: the limit of 60 seconds leaves time only to answer."
        )
        told = results(players.asked["main"][1])["toolu_a"]["content"]
        assert told.startswith("Partial: its time was up. What was found until then:\n\n- It is")
        assert summaries(s)["toolu_a"] == "1 finding, partial: its time was up"


async def test_it_has_no_last_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report says what was looked at, and does not pass for one that nothing is there."""
    looking = [Turn(read("app.py"), read("shop.py")), Turn(fault=never()), Turn(fault=never())]
    players = Players([Turn(explore("a"), fork("b")), DONE], a=looking, b=looking)
    settings = quick(seconds=60)
    settings["agents"]["fork"] = settings["agents"]["medium"]
    async with stage(tmp_path / "ws", FILES, players, settings) as s:
        run = asyncio.create_task(s.ask("?"))
        await s.api.wait_for_requests(5)
        let_pass(monkeypatch, 45)
        await s.api.wait_for_requests(7)
        let_pass(monkeypatch, 15)
        await run
        explored, forked = results(players.asked["main"][1]).values()
        for result, who in ((explored, "Explore"), (forked, "Fork")):
            assert result["is_error"]
            assert result["content"] == (
                f"{who} ended without a report: its time was up.\n"
                "This does not mean that nothing is there. Ask for less at once, or look"
                ' yourself.\n\nSearched: Read path="app.py" (2 lines); Read path="shop.py"'
                " (2 lines); lines shown to it: app.py 1-2 · shop.py 1-2"
            )


async def test_the_model_never_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it wrote on the way is the report."""
    said = Turn(Text("It greets. [cite: doc, app.py, L1]"), LOOK)
    looking = [Turn(read("app.py")), said, Turn(fault=never()), Turn(fault=never())]
    players = Players([Turn(explore("a")), DONE], a=looking)
    async with stage(tmp_path / "ws", FILES, players, quick(seconds=60)) as s:
        run = asyncio.create_task(s.ask("?"))
        await s.api.wait_for_requests(4)
        let_pass(monkeypatch, 45)
        await s.api.wait_for_requests(5)
        let_pass(monkeypatch, 15)
        answer = await run
        told = results(players.asked["main"][1])["toolu_a"]["content"]
        assert told.startswith("Partial: its time was up. What was found until then:\n\nIt greets.")
        assert 'Searched: Read path="app.py"' in told
        (report_,) = await kept(s, answer.session_id)
        assert report_ is not None
        assert [each.status for each in report_.citations] == ["read"]


async def test_the_model_fails(tmp_path: Path) -> None:
    looking = [Turn(read("app.py")), Turn(fault=HttpError(403, message="Out of order."))]
    players = Players([Turn(explore("a"), explore("b")), DONE], a=looking, b=[report("app.py")])
    async with stage(tmp_path / "ws", FILES, players) as s:
        answer = await s.ask("?")
        assert answer.stop == "answered"
        failed, whole = results(players.asked["main"][1]).values()
        assert failed["is_error"]
        first, then = failed["content"].split("\n", 1)
        assert first.startswith("Explore ended without a report: it failed (")
        assert "Out of order" in first
        assert 'Searched: Read path="app.py"' in then
        assert not whole.get("is_error")
        errors = {event.error for event in s.port.of(AgentFinished)}
        assert errors == {True, False}


async def test_one_of_three_is_cancelled(tmp_path: Path) -> None:
    gates = {name: asyncio.Event() for name in "abc"}
    looking = {name: [Turn(Text("- It is."), gate=gates[name])] for name in "ac"}
    looking["b"] = [Turn(Text("So far."), read("app.py")), Turn(fault=never())]
    players = Players([Turn(explore("a"), explore("b"), fork("c")), DONE], **looking)
    async with stage(tmp_path / "ws", FILES, players) as s:
        run = asyncio.create_task(s.ask("?"))
        await s.api.wait_for_requests(5)
        ids = {each.task: each.agent_id for each in s.port.of(AgentStarted)}
        answer = await cancel(s.app, CancelRequest(agent_id=ids["TASK b"]))
        assert answer.cancelled == (ids["TASK b"],)
        await s.api.wait_for_disconnect()
        for gate in gates.values():
            gate.set()
        assert (await run).stop == "answered"
        assert summaries(s) == {
            "toolu_a": "1 finding",
            "toolu_b": "1 finding, partial: it was cancelled",
            "toolu_c": "1 finding",
        }
        again = await cancel(s.app, CancelRequest(agent_id=ids["TASK b"]))
        assert again.cancelled == ()


async def test_all_end_with_their_run(tmp_path: Path) -> None:
    looking = {name: [Turn(fault=never())] for name in "abc"}
    players = Players([Turn(explore("a"), explore("b"), fork("c"))], **looking)
    async with stage(tmp_path / "ws", FILES, players) as s:
        session = s.app.sessions.create()
        run = asyncio.create_task(s.ask("?", session_id=session.id))
        await s.api.wait_for_requests(4)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        await s.api.wait_for_disconnect(3)
        ends = s.port.of(AgentFinished)
        assert [(each.partial, each.error) for each in ends] == [
            ("it was ended with its run", False)
        ] * 3
        assert isinstance(s.port.events[-1], RunCancelled)
        assert len(await kept(s, session.id)) == 3
        players.scripts["main"].append(DONE)
        assert (await s.ask("And now?", session_id=session.id)).stop == "answered"


async def test_one_that_is_cancelled_with_nothing_found_has_not_failed(tmp_path: Path) -> None:
    players = Players([Turn(explore("a")), DONE], a=[Turn(fault=never())])
    async with stage(tmp_path / "ws", FILES, players) as s:
        run = asyncio.create_task(s.ask("?"))
        await s.api.wait_for_requests(2)
        (started,) = s.port.of(AgentStarted)
        await cancel(s.app, CancelRequest(agent_id=started.agent_id))
        await run
        (ended,) = s.port.of(AgentFinished)
        assert (ended.partial, ended.error) == ("it was cancelled", False)


async def test_the_run_has_its_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sub-agents are back before it, and the run answers from what they found."""
    looking = {
        "a": [Turn(Text("So far."), read("app.py")), Turn(fault=never()), Turn(fault=never())],
        "b": [report("app.py")],
    }
    players = Players([Turn(explore("a"), explore("b")), DONE], **looking)
    async with stage(tmp_path / "ws", FILES, players, {"limits": {"seconds": 400}}) as s:
        run = asyncio.create_task(s.ask("?"))
        await s.api.wait_for_requests(4)
        await until(lambda: len(s.port.of(AgentFinished)) == 1)
        let_pass(monkeypatch, 270)  # 246 s are for its work, 60 s for the report, 34 s are left
        await s.api.wait_for_requests(5)
        let_pass(monkeypatch, 40)
        answer = await run
        assert answer.text == "Done."
        assert summaries(s)["toolu_a"] == "1 finding, partial: its time was up"
        first, second = results(players.asked["main"][1]).values()
        assert "So far." in first["content"]
        assert not second.get("is_error")


async def test_one_that_waits_for_a_place_until_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = Players([Turn(explore("a")), DONE], a=[])
    settings = {"limits": {"seconds": 400}, "agents": {"parallel": 1}}
    async with stage(tmp_path / "ws", FILES, players, settings) as s, s.app.exploring:
        run = asyncio.create_task(s.ask("?"))
        await until(lambda: bool(s.port.of(ToolStarted)))
        let_pass(monkeypatch, 320)  # its part of the 340 s in which the run may act is over
        await run
        assert summaries(s)["toolu_a"].startswith("Explore ended without a report: it never began")


async def test_they_count_towards_the_limits_of_the_run(tmp_path: Path) -> None:
    costly = {"output_tokens": 90_000}
    looking = [Turn(read("app.py"), usage=costly), report("app.py")]
    players = Players([Turn(explore("a")), DONE], a=looking)
    async with stage(tmp_path / "ws", FILES, players, {"limits": {"tokens": 80_000}}) as s:
        answer = await s.ask("?")
        assert (answer.stop, answer.text) == ("tokens", "Done.")
        assert answer.usage.output_tokens > 90_000
        assert summaries(s)["toolu_a"] == "1 finding, partial: its tokens were used up"


async def test_they_count_towards_the_limits_of_the_session(tmp_path: Path) -> None:
    costly = {"output_tokens": 90_000}
    looking = [Turn(read("app.py")), Turn(Text("- It is."), usage=costly)]
    players = Players([Turn(explore("a")), DONE], a=looking)
    limits = {"limits": {"sessionTokens": 80_000}}
    async with stage(tmp_path / "ws", FILES, players, limits) as s:
        answer = await s.ask("?")
        assert answer.stop == "tokens"
        assert answer.session_usage == answer.usage
        session = await s.app.sessions.open(answer.session_id)
        assert session.account.replies == 4
        assert session.account.last.total < 10_000  # of the conversation's own request
