"""A plan at the terminal: asked about by number, changed in words, left, or read from a pipe."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tests.cli.support import PYTHONPATH
from tests.cli.terminal import CTRL_C
from tests.cli.test_acting import AFTER, BEFORE, EDIT, program, workspace
from tests.patience import SECONDS
from tests.standin import StandIn, Text, ToolUse, Turn
from tests.turn.plan.planned import ANSWER, FILES, FOUR, QUESTION, Cast, cites, unclear

READ = Turn(ToolUse("Read", {"path": "fish.py"}))
PLAN = Turn(Text("## Plan\n\n1. Dive deeper in `fish.py`."))
PROMPT = "an empty line gives no answer.\n> "
ASK = ("ask", "--mode", "plan", "dive")


async def test_a_plan_is_started_by_its_number(tmp_path: Path) -> None:
    fish = workspace(tmp_path)
    async with StandIn([READ, PLAN, Turn(EDIT), Turn(Text("It is done."))]) as api:
        async with program(tmp_path, api, *ASK) as terminal:
            asked = await terminal.until(PROMPT)
            assert "Dive deeper" in asked
            assert "2  Start in Accept edits: Edits files; asks before commands." in asked
            terminal.type("2\n")
            await terminal.until("+depth = 2\n")
            await terminal.until("It is done.")
            assert await terminal.ended() == 0
        assert fish.read_text("utf-8") == AFTER
        assert api.refusals == []


async def test_a_plan_is_changed_in_words_then_left(tmp_path: Path) -> None:
    fish = workspace(tmp_path)
    other = Turn(Text("## Plan\n\n1. Dive to three."))
    async with StandIn([READ, PLAN, other]) as api, program(tmp_path, api, *ASK) as terminal:
        await terminal.until(PROMPT)
        terminal.type("dive to three\n")
        assert "Dive to three." in await terminal.until(PROMPT)
        terminal.type("\n")
        await terminal.until("To start the plan: glossator ask --resume ")
        assert await terminal.ended() == 0
        assert api.requests[2].body["messages"][-1]["content"][-1]["text"] == "dive to three"
        assert terminal.seen.count("Dive to three.") == 1
    assert fish.read_text("utf-8") == BEFORE


async def test_a_plan_is_edited_before_it_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace(tmp_path)
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\necho '2. Surface again.' >> $1\n")
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    async with StandIn([READ, PLAN, Turn(EDIT), Turn(Text("It is done."))]) as api:
        async with program(tmp_path, api, *ASK) as terminal:
            await terminal.until(PROMPT)
            terminal.type("e\n")
            await terminal.until("2. Surface again.")
            await terminal.until("or in words.\n> ")
            terminal.type("2\n")
            await terminal.until("It is done.")
            assert await terminal.ended() == 0
        asked = api.requests[2].body["messages"][-1]["content"][-1]["text"]
        assert "1. Dive deeper in `fish.py`.\n2. Surface again." in asked


async def test_ctrl_c_leaves_a_plan(tmp_path: Path) -> None:
    fish = workspace(tmp_path)
    async with StandIn([READ, PLAN]) as api, program(tmp_path, api, *ASK) as terminal:
        await terminal.until(PROMPT)
        terminal.type(CTRL_C)
        assert await terminal.ended() == 130
    assert fish.read_text("utf-8") == BEFORE


async def test_a_pipe_is_told_how_to_go_on(tmp_path: Path) -> None:
    workspace(tmp_path)
    async with StandIn([READ, PLAN]) as api:
        model = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "glossator", *ASK),
            cwd=tmp_path,
            env={**os.environ, **model, "PYTHONPATH": PYTHONPATH},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(SECONDS):
            out, err = await process.communicate()
        assert out.decode().count("## Plan") == 1
        assert '--mode acceptEdits "Carry out the plan."' in err.decode()
        assert process.returncode == 0


async def test_the_tasks_of_a_hard_question_and_what_is_meant_by_it(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    tasks = {
        "fetch have?": cites("client.py"),
        "save have?": cites("store.py"),
        "in common": cites("client.py", words="Both are small."),
        "run?": cites("shell.py"),
    }
    what = unclear("Which limits?", "Of time", "Of number")
    cast = Cast(ANSWER, decomposer=(what, FOUR), tasks=tasks)
    async with (
        StandIn(cast) as api,
        program(tmp_path, api, "ask", "--plan", QUESTION) as terminal,
    ):
        asked = await terminal.until("> ")
        assert "Which limits?" in asked
        assert "2  Of number" in asked
        terminal.type("2\n")
        await terminal.until("Three limits")
        assert await terminal.ended() == 0
        for line in (
            "☐ 3. What do the limits of fetch and save have in common?",
            "✓ 1. What limit does fetch have?",
            "✓ 3. What do the limits of fetch and save have in common?: Both are",
        ):
            assert line in terminal.seen, terminal.seen
