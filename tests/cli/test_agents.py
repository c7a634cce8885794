"""Sub-agents in a terminal and a pipe: what each does, how it ended, and what is kept of it."""

from __future__ import annotations

import asyncio
import io
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from glossator.cli.render.activity import AgentLines
from glossator.cli.render.pipe import JsonLines
from glossator.cli.render.renderer import Renderer
from glossator.cli.render.screen import Screen
from glossator.commands.answers.sessions import AgentList
from glossator.core.wire import event_from_wire, from_wire
from tests.cli.drawing import drawn, event, pipe
from tests.cli.terminal import at_terminal
from tests.standin import StandIn, Text, Turn
from tests.turn.delegating import FILES, Players, explore, fork, read, report


def started(agent: str, call: str | None, name: str, task: str) -> dict[str, Any]:
    return event("agent.started", agentId=agent, callId=call, name=name, task=task, model="fast")


def progress(agent: str, tool: str, detail: str, calls: int, tokens: int) -> dict[str, Any]:
    counts = {"toolCalls": calls, "tokens": tokens}
    return event("agent.progress", agentId=agent, tool=tool, detail=detail, **counts)


def finished(agent: str, partial: str = "", *, error: bool = False) -> dict[str, Any]:
    return event(
        "agent.finished",
        agentId=agent,
        summary="- It is.",
        partial=partial,
        error=error,
        citations=[],
        toolCalls=3,
        tokens=8_400,
        milliseconds=12_900,
    )


def call(call_id: str, kind: str = "tool.started", **more: Any) -> dict[str, Any]:
    fields = {"callId": call_id, "tool": "Explore", "arguments": {"task": "Look"}, **more}
    return event(kind, **fields)


BEGUN = [
    call("c1"),
    call("c2", tool="Fork"),
    started("a1", "c1", "Explore", "Where is a cancellation heard?"),
    started("a2", "c2", "Fork", "What is undone then?"),
    progress("a1", "Grep", 'pattern="cancelRequest"', 1, 4_100),
    progress("a2", "Read", 'path="server/runs.py"', 2, 21_900),
]
ENDED = [
    finished("a1"),
    call("c1", "tool.finished", summary="1 finding", error=False, milliseconds=1.0),
    finished("a2", "it was cancelled"),
    call("c2", "tool.finished", summary="1 finding", error=False, milliseconds=1.0),
]


def test_each_has_a_line_when_it_ends() -> None:
    def show(renderer: Renderer) -> None:
        for each in (*BEGUN, *ENDED):
            renderer.event(each)

    assert drawn(show) == (
        "✓ Explore Where is a cancel…  3 calls · 8.4k tokens · 12.9 s\n"
        "◐ Fork What is undone then?  it was cancelled · 3 calls ·\n"
        "  8.4k tokens · 12.9 s\n"
    )


def test_those_at_work_have_a_line_each() -> None:
    console = Console(file=(out := io.StringIO()), width=80, force_terminal=True, color_system=None)
    renderer = Renderer(Screen([], console))
    for each in BEGUN:
        renderer.event(each)
    renderer.close()
    seen = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.getvalue())
    rows = [line.strip() for line in seen.splitlines() if "21.9k" in line or "4.1k" in line]
    assert re.fullmatch(
        r'. Explore Find text pattern="cancelRequest" +1 call · 4.1k tokens · [\d.]+ ms', rows[-2]
    )
    assert re.fullmatch(
        r'Fork +Read path="server/runs.py" +2 calls · 21.9k tokens · [\d.]+ ms', rows[-1]
    )


def test_of_a_task_that_glossator_words_the_first_paragraph(
    capsys: pytest.CaptureFixture[str],
) -> None:
    renderer = pipe()
    renderer.event(started("a1", None, "Explore", "Gloss file `a`.\n\nYour report is kept."))
    renderer.event(finished("a1"))
    assert capsys.readouterr().err == (
        "Explore: Gloss file `a`.\n✓ Explore  Gloss file `a`.  3 calls · 8.4k tokens · 12.9 s\n"
    )


def test_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    renderer = pipe()
    for each in (*BEGUN, *ENDED):
        renderer.event(each)
    assert capsys.readouterr().err == (
        "Explore: Where is a cancellation heard?\n"
        "Fork: What is undone then?\n"
        'Explore: Find text pattern="cancelRequest"\n'
        'Fork: Read path="server/runs.py"\n'
        "✓ Explore  Where is a cancellation heard?  3 calls · 8.4k tokens · 12.9 s\n"
        "◐ Fork  What is undone then?  it was cancelled · 3 calls · 8.4k tokens · 12.9 s\n"
    )


AGENT = {
    "agentId": "a1",
    "runId": "r1",
    "name": "Explore",
    "task": "Where is\nit?",
    "model": "fast",
    "beganAt": "2026-11-22T03:00:00+00:00",
    "running": False,
    "findings": 2,
    "partial": "its time was up",
}


def test_a_list_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    others = [
        {**AGENT, "agentId": "a2", "running": True, "findings": None, "partial": ""},
        {**AGENT, "agentId": "a3", "findings": None, "partial": ""},
        {**AGENT, "agentId": "a4", "findings": 1, "partial": ""},
    ]
    answer: Any = {"agents": [AGENT, *others]}
    pipe().answer(from_wire(AgentList, answer))
    assert capsys.readouterr().out == (
        "a1\tExplore\tWhere is it?\t2 findings, partial: its time was up\n"
        "a2\tExplore\tWhere is it?\tat work\n"
        "a3\tExplore\tWhere is it?\tnot finished\n"
        "a4\tExplore\tWhere is it?\t1 finding\n"
    )
    seen = drawn(lambda renderer: renderer.answer(from_wire(AgentList, answer)))
    assert "a4  Explore  Where is it?" in seen
    JsonLines().answer(from_wire(AgentList, answer))
    assert capsys.readouterr().out.startswith('{"agents": [{"agentId": "a1"')
    pipe().answer(from_wire(AgentList, {"agents": []}))
    assert "No sub-agent" in capsys.readouterr().err


def workspace(root: Path) -> dict[str, str]:
    for name, text in FILES.items():
        (root / name).write_text(text, "utf-8")
    return {"ANTHROPIC_API_KEY": "k"}


async def test_explore_at_a_terminal(tmp_path: Path) -> None:
    environment = workspace(tmp_path)
    gate = asyncio.Event()
    looking = [Turn(read("app.py")), Turn(*report("app.py", "It greets.").blocks, gate=gate)]
    async with StandIn(Players([], a=looking)) as api:
        environment["ANTHROPIC_BASE_URL"] = api.base_url
        command = ["-m", "glossator", "explore", "TASK a", "app.py", "--thorough", "quick"]
        async with at_terminal(command, tmp_path, environment) as terminal:
            await terminal.until('Read path="app.py"')
            gate.set()
            await terminal.until("It greets.")
            await terminal.until("1 citation not judged")
            assert await terminal.ended() == 0
        told = str(api.requests[0].body["messages"])
        assert "A quick look is asked for" in told
        assert "Look in app.py." in told
        async with at_terminal(
            ["-m", "glossator", "sessions", "agents"], tmp_path, environment
        ) as terminal:
            seen = await terminal.until("1 finding")
            assert await terminal.ended() == 0
        assert "TASK a" in seen
        assert api.refusals == []


async def test_ask_with_several_at_a_terminal(tmp_path: Path) -> None:
    environment = workspace(tmp_path)
    gates = [asyncio.Event() for _ in range(3)]
    looking = {
        name: [Turn(read("app.py")), Turn(*report("app.py").blocks, gate=gate)]
        for name, gate in zip("abc", gates, strict=True)
    }
    delegating = Turn(explore("a"), explore("b"), fork("c"))
    players = Players([delegating, Turn(Text("All done."))], **looking)
    async with StandIn(players) as api:
        environment["ANTHROPIC_BASE_URL"] = api.base_url
        command = ["-m", "glossator", "ask", "What is there?"]
        async with at_terminal(command, tmp_path, environment) as terminal:
            await api.wait_for_requests(7)
            await terminal.until("Fork")
            for gate in gates:
                gate.set()
            seen = await terminal.until("All done.")
            assert await terminal.ended() == 0
        for line in ("✓ Explore 1 TASK a", "✓ Explore 2 TASK b", "✓ Fork TASK c"):
            assert seen.count(line) == 1
        assert api.refusals == []


def of(wire: dict[str, Any]) -> Any:
    return event_from_wire(wire)


def test_namesakes_are_numbered_in_the_order_of_their_calls() -> None:
    lines = AgentLines()
    for call_id, tool in (("c1", "Explore"), ("c2", "Explore"), ("c3", "Fork")):
        lines.called(of(call(call_id, tool=tool)))
    assert lines.started(of(started("a2", "c2", "Explore", "Two"))) == "Explore 2: Two"
    assert lines.started(of(started("a1", "c1", "Explore", "One"))) == "Explore 1: One"
    assert lines.started(of(started("a3", "c3", "Fork", "Three"))) == "Fork: Three"
    step = progress("a2", "Grep", "x", 1, 9)
    assert lines.progress(of(step)) == "Explore 2: Find text x"
    assert [line.who for line in lines.lines()] == ["Explore 2", "Explore 1", "Fork"]
    for call_id in ("c1", "c2", "c3"):
        lines.answered(of(call(call_id)))
    lines.called(of(call("c4")))
    assert lines.started(of(started("a4", "c4", "Explore", "Alone"))) == "Explore: Alone"


def test_a_long_task_takes_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    renderer = pipe()
    renderer.event(started("a1", None, "Explore", "Find " * 80))
    renderer.event(finished("a1"))
    task = ("Find " * 80)[:59] + "…"
    first, second = capsys.readouterr().err.splitlines()
    assert first == f"Explore: {task}"
    assert second.startswith(f"✓ Explore  {task}  3 calls")
