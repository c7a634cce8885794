"""Exploring by command, and what is kept of sub-agents: shown, resumed, gone back before."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.explore import ExploreRequest, run_exploration
from glossator.commands.sessions import (
    CompactRequest,
    ExportFormat,
    ExportSessionRequest,
    ListAgentsRequest,
    ResumeSessionRequest,
    ShowAgentRequest,
    compact_session,
    export_session,
    list_agents,
    resume_session,
    show_agent,
)
from glossator.commands.turns import RewindRequest, rewind
from glossator.core.errors import UsageError
from glossator.core.events import (
    AgentFinished,
    AgentProgress,
    AgentStarted,
    CitationChecked,
    RunFinished,
    TextDelta,
)
from glossator.core.report import Report
from glossator.core.uri import to_uri
from glossator.turn.told.attachments import Attachment
from tests.sessions.compaction.compacting import is_asked_for_a_summary, summary_turn
from tests.stage import stage
from tests.standin import HttpError, SlowHeaders, Text, Thinking, ToolUse, Turn
from tests.turn import delegating as d
from tests.turn.delegating import FAST, FILES, Players, fork, read, report, results
from tests.turn.test_loop import without_cache_marks

DONE = Turn(Text("Done."))
LOOKING = [Turn(read("app.py")), report("app.py", "It greets.")]


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def test_by_command(tmp_path: Path) -> None:
    players = Players([], a=LOOKING)
    async with stage(tmp_path / "ws", FILES, players) as s:
        found = await run_exploration(s.app, ExploreRequest("TASK a", paths=("app.py", "shop.py")))
        assert found.text == "- It greets. [cite: doc, app.py, L1-L2]"
        assert [each.status for each in found.citations] == ["read"]
        assert (found.stop, found.model, found.turns) == ("answered", FAST, 2)
        assert isinstance(found.report, Report)
        assert "Look in app.py, shop.py." in str(s.sent(0)["messages"][0])
        kinds = [type(event) for event in s.port.events[1:]]
        assert kinds == [
            AgentStarted,
            AgentProgress,
            AgentFinished,
            TextDelta,
            CitationChecked,
            RunFinished,
        ]


async def test_the_chat_goes_on_from_it(tmp_path: Path) -> None:
    answer = Turn(Text("As I said [cite: doc, app.py, L1]."))
    players = Players([answer], a=LOOKING)
    async with stage(tmp_path / "ws", FILES, players) as s:
        uri = to_uri(str(s.root / "shop.py"))
        request = ExploreRequest("TASK a", attachments=(Attachment(uri, 1, 1),))
        found = await run_exploration(s.app, request)
        assert "shop.py, lines 1-1 of 2" in str(s.sent(0)["messages"])
        more = await s.ask("Sure?", session_id=found.session_id)
        assert [each.status for each in more.citations] == ["read"]
        said = [message["content"][-1]["text"] for message in s.sent(2)["messages"]]
        assert said == ["TASK a", found.text, "Sure?"]
        assert more.session_usage.total == found.usage.total + more.usage.total


async def test_it_fails_with_a_report(tmp_path: Path) -> None:
    players = Players([], a=[Turn(fault=HttpError(403, message="Out of order."))])
    async with stage(tmp_path / "ws", FILES, players) as s:
        found = await run_exploration(s.app, ExploreRequest("TASK a"))
        assert found.stop == "partial"
        assert "Out of order" in found.text
        session = await s.app.sessions.open(found.session_id)
        assert session.conversation.messages == ()


@pytest.mark.parametrize(("settings", "task"), [({}, " "), ({"agents": {"parallel": 0}}, "a")])
async def test_refused(tmp_path: Path, settings: dict[str, Any], task: str) -> None:
    async with stage(tmp_path / "ws", FILES, (), settings) as s:
        with pytest.raises(UsageError):
            await run_exploration(s.app, ExploreRequest(task))
        assert s.app.sessions.loaded() == []


async def test_no_such_path(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, ()) as s:
        for path in ("app.pyy", "/etc"):
            with pytest.raises(UsageError, match="Name another path to look in, or none"):
                await run_exploration(s.app, ExploreRequest("a", paths=("app.py", path)))


LAW = """\
---
name: law
description: Knows licences.
tools: Read, Bash, Write
---
You look for licences.
"""


async def test_one_that_a_file_describes(tmp_path: Path) -> None:
    files = {**FILES, ".claude/agents/law.md": LAW}
    tries = [Turn(read("app.py"), ToolUse("Bash", {"command": "id"})), report("app.py")]
    players = Players([Turn(d.explore("a", agent="law")), DONE], a=tries)
    async with stage(tmp_path / "ws", files, players) as s:
        answer = await s.ask("?")
        told, question = s.said(0)
        assert "- law: Knows licences." in told["text"]
        assert question["text"] == "?"
        asked = players.asked["a"][0]
        assert [each["name"] for each in asked["tools"]] == ["Read"]
        own = asked["system"][-1]["text"]
        assert "you have these and no others: Read. A file" in own
        assert own.endswith("<material>\nYou look for licences.\n</material>")
        assert "no tool Bash" in str(players.asked["a"][1]["messages"][-1])
        (listed,) = (await list_agents(s.app, ListAgentsRequest(answer.session_id))).agents
        assert (listed.name, listed.findings) == ("law", 1)


async def test_one_that_no_file_describes(tmp_path: Path) -> None:
    files = {**FILES, ".claude/agents/act.md": LAW.replace("Read, ", "").replace("law", "act")}
    asking = [Turn(d.explore("a", agent="nobody"), d.explore("b", agent="act")), DONE]
    players = Players(asking)
    async with stage(tmp_path / "ws", files, players) as s:
        await s.ask("?")
        unknown, unable = results(players.asked["main"][1]).values()
        assert unknown["content"].startswith("There is no sub-agent nobody")
        assert unable["content"].startswith("The sub-agent act has no reading tool")
        with pytest.raises(UsageError):
            await run_exploration(s.app, ExploreRequest("a", agent="nobody"))


async def test_one_that_is_not_to_have_a_tool(tmp_path: Path) -> None:
    law = LAW.replace("tools: Read, Bash, Write", "disallowedTools: Grep, Search")
    files = {**FILES, ".claude/agents/law.md": law}
    players = Players([], a=LOOKING)
    async with stage(tmp_path / "ws", files, players) as s:
        await run_exploration(s.app, ExploreRequest("TASK a", agent="law"))
        names = [each["name"] for each in players.asked["a"][0]["tools"]]
        assert names == ["Glob", "Read", "Symbols"]


async def test_an_untrusted_workspace_describes_none(tmp_path: Path) -> None:
    files = {**FILES, ".claude/agents/law.md": LAW}
    async with stage(tmp_path / "ws", files, [DONE], trusted=False) as s:
        await s.ask("?")
        assert "law" not in str(s.sent(0)["messages"])


async def test_without_a_model(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, (), {"models": {"offline": True}}) as s:
        found = await run_exploration(s.app, ExploreRequest("Who can greet?"))
        assert found.offline
        assert "def greet(name):" in found.text
        assert {each.status for each in found.citations} == {"verified"}


async def test_a_session_with_sub_agents_is_resumed(tmp_path: Path) -> None:
    """Byte for byte, with all that was told of them but what passes."""
    root = tmp_path / "ws"
    asking = [Turn(Thinking("I send two."), d.explore("a"), fork("c")), DONE, DONE, DONE]
    players = Players(asking, a=LOOKING, c=LOOKING)
    async with stage(root, FILES, players) as s:
        answer = await s.ask("?")
        events = [each for each in s.port.events if isinstance(each, AgentStarted | AgentFinished)]
        await s.ask("More?", session_id=answer.session_id)
        last = without_cache_marks(players.asked["main"][-1])
        spent = (await s.app.sessions.open(answer.session_id)).account
    async with stage(root, {}, [Turn(Text("So [cite: doc, app.py, L1]."))]) as s:
        shown = await resume_session(s.app, ResumeSessionRequest(answer.session_id))
        told = [each.event for each in shown.events]
        assert [e for e in told if isinstance(e, AgentStarted | AgentFinished)] == events
        resumed = await s.app.sessions.open(answer.session_id)
        assert resumed.account == spent
        again = await s.ask("And?", session_id=answer.session_id)
        sent = without_cache_marks(s.sent(0))
        assert json.dumps(sent["messages"][:-2]) == json.dumps(last["messages"])
        assert [sent["system"], sent["tools"]] == [last["system"], last["tools"]]
        assert [each.status for each in again.citations] == ["read"]


async def test_what_each_did_can_be_seen(tmp_path: Path) -> None:
    players = Players([Turn(d.explore("a"), fork("c")), DONE], a=LOOKING, c=LOOKING)
    async with stage(tmp_path / "ws", FILES, players) as s:
        await s.app.ready()  # a fork does not wait for the scan, and would begin first
        answer = await s.ask("?")
    async with stage(tmp_path / "ws", {}, ()) as s:
        found = (await list_agents(s.app, ListAgentsRequest(answer.session_id))).agents
        listed = sorted(found, key=lambda each: each.name)  # they begin at the same moment
        assert [(a.name, a.task, a.running, a.findings, a.partial) for a in listed] == [
            ("Explore", "TASK a", False, 1, ""),
            ("Fork", "TASK c", False, 1, ""),
        ]
        first, second = [
            await show_agent(s.app, ShowAgentRequest(answer.session_id, each.agent_id))
            for each in listed
        ]
        assert first.report is not None
        assert first.text.startswith("# TASK a\n\nExplore, claude-haiku-5-5, ")
        for shown in ('**Read**\n\n````\n{"path": "app.py"}', "def greet(name):", "- It greets."):
            assert shown in first.text
        assert "after 1 messages" in second.text
        with pytest.raises(UsageError):
            await show_agent(s.app, ShowAgentRequest(answer.session_id, "nobody"))
        for form in ExportFormat:
            request = ExportSessionRequest(answer.session_id, form)
            assert "TASK a" in (await export_session(s.app, request)).text


async def test_one_at_work_and_one_whose_server_was_killed(tmp_path: Path) -> None:
    players = Players([Turn(d.explore("a"))], a=[Turn(fault=SlowHeaders(asyncio.Event()))])
    async with stage(tmp_path / "ws", FILES, players) as s:
        session = s.app.sessions.create()
        run = asyncio.create_task(s.ask("?", session_id=session.id))
        await s.api.wait_for_requests(2)
        (info,) = (await list_agents(s.app, ListAgentsRequest(session.id))).agents
        assert (info.running, info.findings) == (True, None)
        shown = await show_agent(s.app, ShowAgentRequest(session.id, info.agent_id))
        assert shown.report is None
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)


async def test_going_back_drops_them(tmp_path: Path) -> None:
    asking = [DONE, Turn(d.explore("a")), DONE, Turn(Text("So [cite: doc, app.py, L1]."))]
    players = Players(asking, a=LOOKING)
    async with stage(tmp_path / "ws", FILES, players) as s:
        answer = await s.ask("?")
        await s.ask("More?", session_id=answer.session_id)
        session = await s.app.sessions.open(answer.session_id)
        assert len(session.reports) == 1
        await rewind(s.app, RewindRequest(answer.session_id))
        assert (await list_agents(s.app, ListAgentsRequest(answer.session_id))).agents == ()
        assert session.reports == []
        again = await s.ask("Again?", session_id=answer.session_id)
        assert [each.status for each in again.citations] == ["unsupported"]


async def test_a_compaction_carries_the_reports_over(tmp_path: Path) -> None:
    filler = [Turn(Text(f"So it is. {'words ' * 400}")) for _ in range(8)]
    players = Players([Turn(d.explore("a")), DONE, *filler, DONE], a=LOOKING)

    def script(body: dict[str, Any]) -> Turn:
        return summary_turn() if is_asked_for_a_summary(body) else players(body)

    async with stage(tmp_path / "ws", FILES, script) as s:
        answer = await s.ask("?")
        for n in range(8):
            await s.ask(f"And {n}?", session_id=answer.session_id)
        await compact_session(s.app, CompactRequest(answer.session_id))
        await s.ask("Go on", session_id=answer.session_id)
        first = str(players.asked["main"][-1]["messages"][0])
        assert "Explore, TASK a: - It greets. [cite: doc, app.py, L1-L2]" in first
