"""The real program and the real server at a terminal: what the user types decides what is done."""

from __future__ import annotations

import shlex
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.cli.terminal import CTRL_C, CTRL_D, Terminal, at_terminal
from tests.standin import StandIn, Text, ToolUse, Turn

BEFORE, AFTER = "depth = 1\n", "depth = 2\n"
EDIT = ToolUse("Edit", {"path": "fish.py", "old_text": "depth = 1", "new_text": "depth = 2"})
SCRIPT = [Turn(ToolUse("Read", {"path": "fish.py"})), Turn(EDIT), Turn(Text("It is done."))]
PROMPT = "n refuse (or say why)\n> "


@asynccontextmanager
async def program(root: Path, api: StandIn, *arguments: str) -> AsyncIterator[Terminal]:
    model = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
    async with at_terminal(["-m", "glossator", *arguments], root, model) as terminal:
        yield terminal


def workspace(root: Path) -> Path:
    fish = root / "fish.py"
    fish.write_text(BEFORE, "utf-8")
    return fish


async def test_an_edit_is_made_after_a_yes_and_undone(tmp_path: Path) -> None:
    fish = workspace(tmp_path)
    async with StandIn(SCRIPT) as api:
        async with program(tmp_path, api, "ask", "dive") as terminal:
            asked = await terminal.until(PROMPT)
            assert "Edit fish.py?\n  --- fish.py\n" in asked
            assert fish.read_text("utf-8") == BEFORE
            terminal.type("y\n")
            await terminal.until("+depth = 2\n")
            await terminal.until("It is done.")
            assert await terminal.ended() == 0
            assert terminal.seen.count("+++ b/fish.py") == 1
        assert fish.read_text("utf-8") == AFTER
        async with program(tmp_path, api, "undo") as terminal:
            await terminal.until("restored fish.py\n")
            assert await terminal.ended() == 0
        assert fish.read_text("utf-8") == BEFORE
        assert api.refusals == []


async def test_a_fix_of_a_line_needs_no_look_at_it_first(tmp_path: Path) -> None:
    fish = workspace(tmp_path)
    async with StandIn([Turn(EDIT), Turn(Text("It is done."))]) as api:
        async with program(tmp_path, api, "fix", "fish.py:1", "dive") as terminal:
            await terminal.until(PROMPT)
            terminal.type("y\n")
            await terminal.until("It is done.")
            assert await terminal.ended() == 0
        assert fish.read_text("utf-8") == AFTER
        *_, question = api.requests[0].body["messages"][-1]["content"]
        assert question["text"].endswith("\n\ndive")
        assert api.refusals == []


async def test_a_move_is_reviewed_made_and_undone(tmp_path: Path) -> None:
    fish = workspace(tmp_path)
    fish.chmod(0o640)
    move = ToolUse("Move", {"path": "fish.py", "new_path": "deep/sea.py"})
    async with StandIn([Turn(move), Turn(Text("It is done."))]) as api:
        async with program(tmp_path, api, "ask", "--review", "dive") as terminal:
            await terminal.until("rename from fish.py\nrename to deep/sea.py\n")
            await terminal.until("> ")
            terminal.type("y\n")
            await terminal.until("rename from fish.py\nrename to deep/sea.py\n")
            await terminal.until("It is done.")
            assert await terminal.ended() == 0
        there = tmp_path / "deep/sea.py"
        assert (text(there), mode(there), fish.exists()) == (BEFORE, 0o640, False)
        async with program(tmp_path, api, "undo") as terminal:
            await terminal.until("restored fish.py\nremoved deep/sea.py\n")
            assert await terminal.ended() == 0
        assert (text(fish), mode(fish), there.parent.exists()) == (BEFORE, 0o640, False)
        assert "undone: dive\nRedo it with `glossator redo`.\n" in terminal.seen
        async with program(tmp_path, api, "redo") as terminal:
            await terminal.until("restored deep/sea.py\nremoved fish.py\nredone: dive\n")
            assert await terminal.ended() == 0
        assert api.refusals == []


def text(path: Path) -> str:
    return path.read_text("utf-8")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_ctrl_c_at_a_question_cancels_the_run_and_says_how_to_go_on(tmp_path: Path) -> None:
    fish = workspace(tmp_path)
    async with StandIn([*SCRIPT[:2], Turn(Text("On it."))]) as api:
        async with program(tmp_path, api, "ask", "dive") as terminal:
            await terminal.until(PROMPT)
            terminal.type(CTRL_C)
            await terminal.until("Stopping; press Ctrl-C again to end it at once.\n")
            await terminal.until("Stopped.\nWhat was done so far is kept. To go on: glossator ")
            go_on = (await terminal.until('"Go on."\n')).rpartition("glossator ")[2]
            assert await terminal.ended() == 130
            assert "Traceback" not in terminal.seen
        async with program(tmp_path, api, *shlex.split(go_on)) as terminal:
            await terminal.until("On it.")
            assert await terminal.ended() == 0
        assert "dive" in str(api.requests[-1].body["messages"])
    assert fish.read_text("utf-8") == BEFORE


async def test_what_was_typed_ahead_is_no_answer_and_the_end_of_input_a_denial(
    tmp_path: Path,
) -> None:
    fish = workspace(tmp_path)
    async with StandIn(SCRIPT) as api, program(tmp_path, api, "ask", "dive") as terminal:
        terminal.type("y\n")
        await terminal.until(PROMPT)
        terminal.type(CTRL_D)
        await terminal.until("It is done.")
        assert await terminal.ended() == 0
        (result,) = api.requests[2].body["messages"][-1]["content"]
        assert "The user refused" in result["content"]
    assert fish.read_text("utf-8") == BEFORE


async def test_a_review_leaves_out_what_is_not_wanted(tmp_path: Path) -> None:
    fish = workspace(tmp_path)
    async with (
        StandIn(SCRIPT) as api,
        program(tmp_path, api, "ask", "--review", "dive") as terminal,
    ):
        await terminal.until("Part 1 of 1: ")
        await terminal.until("> ")
        terminal.type("not so deep\n")
        await terminal.until(": not applied\n")
        assert await terminal.ended() == 0
        (result,) = api.requests[2].body["messages"][-1]["content"]
        assert "The user says: not so deep" in result["content"]
    assert fish.read_text("utf-8") == BEFORE
