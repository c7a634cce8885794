"""The status line of a run: what it does, for how long, and which step it is at."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from glossator.cli.render.renderer import Renderer
from glossator.cli.render.screen import Screen, StatusLine
from tests.cli.drawing import event
from tests.cli.terminal import CTRL_C, CTRL_D, at_terminal
from tests.cli.test_acting import workspace
from tests.cli.test_talking import READY, reads
from tests.patience import until
from tests.standin import StandIn, Text, Turn

STARTED = event(
    "run.started",
    sessionId="s",
    question="?",
    model="m",
    offline=False,
    attachments=[],
    onlyReads=False,
    plan="auto",
    beganAt="",
)


def todo(*states: str) -> dict[str, Any]:
    steps = [{"text": f"Step {n}", "state": state} for n, state in enumerate(states, 1)]
    return event("todo", steps=steps)


def tasks(*states: str) -> dict[str, Any]:
    listed = [
        {"id": str(n), "description": "Look", "dependencies": [], "state": state, "result": ""}
        for n, state in enumerate(states, 1)
    ]
    return event("plan", tasks=listed)


@pytest.mark.parametrize(
    ("seconds", "queued", "events", "said"),
    [
        (0.4, 0, [], ""),
        (12.9, 0, [], "12 s"),
        (65, 2, [], "1 min 05 s · 2 to ask next"),
        (9, 0, [todo("done", "active", "pending")], "9 s · 2 of 3: Step 2"),
        (9, 1, [todo("done", "pending")], "9 s · 1 to ask next · 1 of 2 steps done"),
        (9, 0, [tasks("done", "active")], "9 s · 1 of 2 tasks done"),
        (9, 0, [tasks("failed", "pending")], "9 s · 1 of 2 tasks done, 1 of them failed"),
        (9, 0, [tasks("done"), todo("active")], "9 s · 1 of 1: Step 1"),
        (9, 0, [todo("active"), event("run.finished", stop="answered")], ""),
    ],
)
def test_how_far_a_run_is(
    monkeypatch: pytest.MonkeyPatch,
    seconds: float,
    queued: int,
    events: list[dict[str, Any]],
    said: str,
) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    screen = Screen([], Console(file=io.StringIO(), width=60))
    words: list[Any] = []
    monkeypatch.setattr(screen, "so_far", words.append)
    renderer = Renderer(screen)
    renderer.in_chat(lambda: queued)
    for each in (STARTED, *events):
        renderer.event(each)
    now[0] += seconds
    assert words[0]() == said


_TEXT = event("text.delta", text="It ")
_WITHOUT = event("state", state="RETRIEVING", detail="without a plan, as the fast model says")
_CALL = event("tool.started", callId="c", tool="Grep", arguments={})
_DONE = event(
    "tool.finished",
    callId="c",
    tool="Grep",
    summary="",
    error=False,
    milliseconds=1.0,
)


@pytest.mark.parametrize(
    ("events", "doing"),
    [
        ([_WITHOUT], "Searching…"),
        ([_TEXT, _WITHOUT], "Writing the answer…"),
        ([_TEXT, _CALL], "Find text…"),
        ([_TEXT, _CALL, _DONE, _WITHOUT], "Searching…"),
        (
            [_TEXT, event("state", state="VERIFYING", detail="2 citations")],
            "Checking the answer… 2 citations",
        ),
    ],
)
def test_what_a_run_is_said_to_do(
    monkeypatch: pytest.MonkeyPatch, events: list[dict[str, Any]], doing: str
) -> None:
    screen = Screen([], Console(file=io.StringIO(), width=60))
    said: list[Any] = []
    monkeypatch.setattr(screen, "doing", said.append)
    renderer = Renderer(screen)
    for each in (STARTED, *events):
        renderer.event(each)
    assert said[-1] == doing


@pytest.mark.parametrize(
    ("doing", "so_far", "drawn"),
    [
        ("Thinking…", "", "Thinking…"),
        ("Thinking…", "9 s", "Thinking… · 9 s"),
        ("x" * 50, "9 s", f"{'x' * 33}… · 9 s"),
        ("Thinking…", "9 s · 2 of 3: " + "y" * 50, f"Thinking… · 9 s · 2 of 3: {'y' * 13}…"),
        ("x" * 50, "y" * 50, f"{'x' * 19}… · {'y' * 16}…"),
        ("", "9 s", " · 9 s"),
    ],
)
def test_what_does_not_fit_is_cut(doing: str, so_far: str, drawn: str) -> None:
    below = StatusLine()
    below.activity, below.so_far = doing, lambda: so_far
    console = Console(file=io.StringIO(), width=40)
    with console.capture() as captured:
        console.print(below)
    assert captured.get() == f"{drawn}\n"
    assert console.measure(below).maximum == len(drawn)  # a spinner beside it pads nothing


async def test_a_terminal_of_80_columns_shows_the_time(tmp_path: Path) -> None:
    workspace(tmp_path)
    gate = asyncio.Event()
    async with StandIn([reads(gate), Turn(Text("It dives."))]) as api:
        model = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
        arguments = ["-m", "glossator", "chat"]
        async with at_terminal(arguments, tmp_path, model, size=(40, 80)) as terminal:
            await terminal.sees(READY)
            terminal.type("What does it do?\n")
            await until(lambda: bool(api.requests))
            await terminal.until(" · 1 s")
            terminal.type("How deep?\n")
            await terminal.until(" · 1 to ask next")
            terminal.type(CTRL_C)
            await terminal.until("1 message not sent")
            terminal.type(CTRL_D)
            assert await terminal.ended() == 0
    gate.set()
