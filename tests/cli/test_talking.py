"""`glossator chat`: what is typed while a run is on is queued, or steers it; nothing is lost."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from glossator.cli.talking import Waiting
from tests.cli.support import PYTHONPATH
from tests.cli.terminal import CTRL_C, CTRL_D
from tests.cli.test_acting import AFTER, EDIT, PROMPT, program, workspace
from tests.patience import until
from tests.standin import StandIn, Text, ToolUse, Turn

READY = "/quit or Ctrl-D ends.\n>"
CARD = PROMPT.rstrip()


def reads(gate: asyncio.Event) -> Turn:
    return Turn(ToolUse("Read", {"path": "fish.py"}), gate=gate)


def last_texts(request: Any) -> list[str]:
    content = request.body["messages"][-1]["content"]
    return [block["text"] for block in content if block["type"] == "text"]


async def test_a_steered_message_goes_with_the_results_and_a_queued_one_after(
    tmp_path: Path,
) -> None:
    workspace(tmp_path)
    gate = asyncio.Event()
    script = [reads(gate), Turn(Text("It dives.")), Turn(Text("To two."))]
    async with StandIn(script) as api, program(tmp_path, api, "chat") as terminal:
        await terminal.sees(READY)
        terminal.type("What does it do?\n")
        await until(lambda: bool(api.requests))
        terminal.type("How deep?\n")
        await terminal.until("Asked next, as number 1: How deep?")
        terminal.type("/queue\n")
        await terminal.until("1  How deep?")
        terminal.type("/steer Not the tests.\n")
        await terminal.until("Told with its next results: Not the tests.")
        gate.set()
        await terminal.until("> Not the tests.")
        await terminal.until("It dives.")
        await terminal.until("> How deep?")
        await terminal.until("To two.")
        await terminal.sees(READY)
        terminal.type(CTRL_D)
        assert await terminal.ended() == 0
        assert last_texts(api.requests[1])[-1] == "Not the tests."
        assert last_texts(api.requests[2])[-1] == "How deep?"
        assert api.refusals == []


async def test_what_is_typed_stays_in_sight_while_the_status_line_is_redrawn(
    tmp_path: Path,
) -> None:
    workspace(tmp_path)
    gate = asyncio.Event()
    script = [reads(gate), Turn(Text("It dives.")), Turn(Text("To two."))]
    async with StandIn(script) as api, program(tmp_path, api, "chat") as terminal:
        await terminal.sees(READY)
        terminal.type("What does it doo\x7f?\n")
        await until(lambda: bool(api.requests))
        assert last_texts(api.requests[0])[-1] == "What does it do?"
        terminal.type("How wide")
        await terminal.sees("\n> How wide")
        terminal.type("\x17dp\x1b[Déé\x7f\x7fe")
        await terminal.sees("\n> How dep")
        gate.set()
        await terminal.until("It dives.")
        await terminal.sees(f"{READY} How dep")  # it waits there to be finished
        terminal.type("e\x05?\n")
        await terminal.until("To two.")
        await terminal.sees(READY)
        terminal.type(CTRL_D)
        assert await terminal.ended() == 0
        assert last_texts(api.requests[2])[-1] == "How deep?"


async def test_a_plan_that_was_started_is_steered(tmp_path: Path) -> None:
    workspace(tmp_path)
    gate, plan = asyncio.Event(), Turn(Text("## Plan\n\n1. Dive deeper in `fish.py`."))
    script = [reads(gate), plan, reads(gate), Turn(Text("It is done."))]
    async with StandIn(script) as api:
        gate.set()
        async with program(tmp_path, api, "chat", "--mode", "plan") as terminal:
            await terminal.sees(READY)
            terminal.type("dive\n")
            await terminal.sees("an empty line gives no answer.\n>")
            gate.clear()
            terminal.type("2\n")
            await until(lambda: len(api.requests) == 3)
            terminal.type("/steer Not the tests.\n")
            await terminal.until("Told with its next results: Not the tests.")
            gate.set()
            await terminal.until("> Not the tests.")
            await terminal.until("It is done.")
            await terminal.sees(READY)
            terminal.type(CTRL_D)
            assert await terminal.ended() == 0
        assert last_texts(api.requests[3])[-1] == "Not the tests."


async def test_after_ctrl_c_the_queue_waits(tmp_path: Path) -> None:
    workspace(tmp_path)
    gate = asyncio.Event()
    script = [reads(gate), Turn(Text("To two.")), Turn(Text("Third."))]
    async with StandIn(script) as api, program(tmp_path, api, "chat") as terminal:
        await terminal.sees(READY)
        terminal.type("What does it do?\n")
        await until(lambda: bool(api.requests))
        terminal.type("How deep?\nAnd then?\nNever?\n")
        await terminal.until("Asked next, as number 3: Never?")
        terminal.type("/steer Not the tests.\n")
        await terminal.until("Told with its next")
        terminal.type(CTRL_C)
        await terminal.until("It was not told in time, so this is asked next: Not the tests.")
        await terminal.until("4 messages not sent")
        terminal.type("/queue remove 1\n")
        await terminal.until("Removed: Not the tests.")
        terminal.type("/queue remove 3\n")
        await terminal.until("Removed: Never?")
        terminal.type("/send\n")
        await terminal.until("To two.")
        await terminal.until("Third.")
        await terminal.sees(READY)
        assert "How deep?" in str(api.requests[1].body["messages"])
        assert "What does it do?" in str(api.requests[1].body["messages"])  # the same session
        terminal.type("/quit\n")
        assert await terminal.ended() == 0
    gate.set()


def test_without_a_terminal_there_is_no_chat(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "glossator", "chat"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": PYTHONPATH},
        input="Hi\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "needs a terminal" in done.stderr


async def test_an_editor_that_is_opened_has_the_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace(tmp_path)
    (tmp_path / "editor").write_text('#!/bin/sh\necho typing\nread words\necho "$words" >> $1\n')
    (tmp_path / "editor").chmod(0o755)
    monkeypatch.setenv("VISUAL", str(tmp_path / "editor"))
    plan = Turn(Text("## Plan\n\n1. Dive deeper."))
    look = Turn(ToolUse("Read", {"path": "fish.py"}))
    script = [look, plan, Turn(Text("It is done."))]
    async with StandIn(script) as api:
        async with program(tmp_path, api, "chat", "--mode", "plan") as terminal:
            await terminal.sees(READY)
            terminal.type("Dive.\n")
            await terminal.until("Edit the plan in your editor first.")
            await terminal.until("gives no answer.")
            terminal.type("e\n")
            await terminal.until("typing")
            terminal.type("2. Surface again.\n")
            await terminal.until("or in words.")
            terminal.type("1\n")
            await terminal.until("It is done.")
            await terminal.sees(READY)
            terminal.type(CTRL_D)
            assert await terminal.ended() == 0
        asked = last_texts(api.requests[2])[-1]
        assert "1. Dive deeper.\n2. Surface again." in asked


async def test_a_line_that_is_under_way_comes_back_after_a_question(tmp_path: Path) -> None:
    workspace(tmp_path)
    gate = asyncio.Event()
    look, held = Turn(ToolUse("Read", {"path": "fish.py"})), Turn(EDIT, gate=gate)
    script = [look, held, Turn(Text("It is done.")), Turn(Text("To two."))]
    async with StandIn(script) as api, program(tmp_path, api, "chat") as terminal:
        await terminal.sees(READY)
        terminal.type("Dive.\n")
        await until(lambda: len(api.requests) == 2)
        terminal.type("How de")
        await terminal.sees("\n> How de")
        gate.set()
        await terminal.sees(CARD)
        terminal.type("y\n")
        await terminal.until("+depth = 2")
        await terminal.until("It is done.")
        await terminal.sees(f"{READY} How de")
        terminal.type("ep?\n")
        await terminal.until("To two.")
        await terminal.sees(READY)
        terminal.type(CTRL_D)
        assert await terminal.ended() == 0
        assert (tmp_path / "fish.py").read_text() == AFTER
        assert last_texts(api.requests[3])[-1] == "How deep?"


async def test_a_line_that_is_under_way_outlives_a_question_that_is_withdrawn(
    tmp_path: Path,
) -> None:
    workspace(tmp_path)
    gate = asyncio.Event()
    look, held = Turn(ToolUse("Read", {"path": "fish.py"})), Turn(EDIT, gate=gate)
    script = [look, held, Turn(Text("To two."))]
    async with StandIn(script) as api, program(tmp_path, api, "chat") as terminal:
        await terminal.sees(READY)
        terminal.type("Dive.\n")
        await until(lambda: len(api.requests) == 2)
        terminal.type("How de")
        await terminal.sees("\n> How de")
        gate.set()
        await terminal.sees(CARD)
        terminal.type("no, n")
        terminal.type(CTRL_C)
        await terminal.sees(f"{READY} How de")
        terminal.type("ep?\n")
        await terminal.until("To two.")
        await terminal.sees(READY)
        terminal.type(CTRL_D)
        assert await terminal.ended() == 0
        assert last_texts(api.requests[2])[-1] == "How deep?"


async def test_what_is_queued_is_edited_in_its_place(tmp_path: Path) -> None:
    workspace(tmp_path)
    gate = asyncio.Event()
    script = [reads(gate), *(Turn(Text(f"Answer {n}.")) for n in range(1, 5))]
    async with StandIn(script) as api, program(tmp_path, api, "chat") as terminal:
        await terminal.sees(READY)
        terminal.type("What does it do?\n")
        await until(lambda: bool(api.requests))
        terminal.type("How wide?\nHow hgih?\nHow long?\n")
        await terminal.until("Asked next, as number 3: How long?")
        terminal.type("/queue edit 2\n")
        await terminal.sees("\n> How hgih?")
        terminal.type("\x7f\x7f\x7f\x7f\x7fhigh?\n")
        await terminal.until("Asked next, as number 2: How high?")
        terminal.type("/queue edit 1 How deep?\n")
        await terminal.until("Asked next, as number 1: How deep?")
        terminal.type("/queue\n")
        for each in ("1  How deep?", "2  How high?", "3  How long?", "/queue edit NUMBER"):
            await terminal.until(each)
        terminal.type("/queue edit 1\n")
        await terminal.sees("\n> How deep?")
        gate.set()
        await terminal.until("Answer 1.")
        await terminal.sees("Finish the message that you took back; an empty line drops it.\n>")
        terminal.type(" Tell.\n")
        await terminal.until("Asked next, as number 1: How deep? Tell.")
        await terminal.until("Answer 4.")
        await terminal.sees(READY)
        terminal.type(CTRL_D)
        assert await terminal.ended() == 0
        asked = [last_texts(each)[-1] for each in api.requests[2:]]
        assert asked == ["How deep? Tell.", "How high?", "How long?"]


def test_a_message_that_is_edited_keeps_its_place() -> None:
    waiting = Waiting(["a", "b", "c"])
    assert waiting.edit("2") == "b"
    assert waiting.take() == "a"
    assert not waiting.is_ready  # c comes after the one that is edited
    waiting.steer_failed("first")
    assert waiting.take() == "first"
    assert waiting.add("B") == 1
    assert waiting.messages == ["B", "c"]
    assert (waiting.edit("3"), waiting.remove("0"), waiting.remove("x")) == (None, None, None)
    assert waiting.edit("2") == "c"
    assert waiting.remove("1") == "B"
    assert (waiting.add("C"), waiting.messages) == (1, ["C"])


def test_only_one_message_is_edited_at_a_time() -> None:
    waiting = Waiting(["a", "b"])
    waiting.edit("1")
    waiting.leave()
    assert (waiting.is_ready, waiting.messages) == (True, ["b"])


@pytest.mark.parametrize(
    ("edited", "messages", "unsent"),
    [
        (("1", "2"), ["a", "b"], ["a", "b", "c"]),
        (("2", "1"), ["b", "c"], ["a", "b", "c"]),
        (("2", "2"), ["a", "b"], ["a", "b", "c"]),
        (("3", "1", "1"), ["a", "c"], ["a", "b", "c"]),
    ],
)
def test_a_message_that_is_edited_goes_back_before_another_one_is(
    edited: tuple[str, ...], messages: list[str], unsent: list[str]
) -> None:
    """The numbers are those of `/queue`, which lists what waits."""
    waiting = Waiting(["a", "b", "c"])
    for number in edited:
        listed = waiting.messages[int(number) - 1]
        assert waiting.edit(number) == listed
    assert (waiting.messages, waiting.unsent) == (messages, unsent)


async def test_a_message_that_was_taken_back_is_shown_at_the_end(tmp_path: Path) -> None:
    workspace(tmp_path)
    gate = asyncio.Event()
    async with (
        StandIn([reads(gate), Turn(Text("It dives."))]) as api,
        program(tmp_path, api, "chat") as terminal,
    ):
        await terminal.sees(READY)
        terminal.type("What does it do?\n")
        await until(lambda: bool(api.requests))
        terminal.type("How wide?\nHow deep?\n")
        await terminal.until("Asked next, as number 2: How deep?")
        terminal.type("/queue edit 1\n")
        await terminal.sees("\n> How wide?")
        gate.set()
        await terminal.until("Finish the message that you took back")
        terminal.type(f"\x15{CTRL_D}")
        await terminal.until("Not sent: How wide?")
        await terminal.until("Not sent: How deep?")
        assert await terminal.ended() == 0
