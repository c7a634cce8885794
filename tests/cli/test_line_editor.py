"""The line of a chat at a terminal: how it is edited, completed, recalled, and kept in sight."""

from __future__ import annotations

import asyncio
import os
import re
import stat
import sys
import time
from pathlib import Path

import platformdirs
import pytest

from glossator.cli.completing import LineHistory
from glossator.cli.editor import wants_vi_keys
from tests.cli.terminal import CTRL_C, CTRL_D, at_terminal
from tests.cli.test_acting import EDIT, program, workspace
from tests.cli.test_talking import CARD, READY, last_texts, reads
from tests.patience import until
from tests.standin import StandIn, Text, ToolUse, Turn

LEFT, UP, DOWN, HOME, END = "\x1b[D", "\x1b[A", "\x1b[B", "\x1b[H", "\x1b[F"
ALT_ENTER, ALT_B, TAB, CTRL_R, CTRL_W, CTRL_Y, CTRL_Z = (
    "\x1b\r",
    "\x1bb",
    "\t",
    "\x12",
    "\x17",
    "\x19",
    "\x1a",
)
PASTED = 'Traceback (most recent call last):\n  File "fish.py", line 1\nValueError: deep'


def lines_files() -> list[Path]:
    folder = Path(platformdirs.user_state_dir("glossator")) / "lines"
    return sorted(folder.iterdir()) if folder.exists() else []


async def test_a_line_is_edited_completed_pasted_and_recalled(  # noqa: PLR0915 - one server
    tmp_path: Path,
) -> None:
    workspace(tmp_path)
    gate = asyncio.Event()
    answers = [Turn(Text(f"Answer {n}.")) for n in range(1, 7)]
    look = Turn(ToolUse("Read", {"path": "fish.py"}))
    script = [*answers[:4], look, Turn(EDIT), answers[4], reads(gate), answers[5]]
    async with StandIn(script) as api, program(tmp_path, api, "chat") as terminal:

        async def asked(question: str, number: int) -> None:
            """Send the line, and look at what the model is asked."""
            terminal.type("\r")
            await terminal.until(f"Answer {number}.")
            await terminal.sees(READY)
            assert last_texts(api.requests[-1])[-1] == question

        await terminal.sees(READY)
        terminal.type(f"deep it is?{HOME}How {END}{LEFT}{ALT_B}{ALT_B}{CTRL_W}{CTRL_Y}")
        await terminal.sees("> How deep it is?")
        terminal.type(f"{END}{LEFT}{CTRL_W}\x7f{ALT_B}{CTRL_Y} ")
        await terminal.sees("> How deep is it?")
        await asked("How deep is it?", 1)

        terminal.type(f"\x1b[200~{PASTED}\x1b[201~")
        await terminal.sees("> Traceback", "\n    File", "\n  ValueError: deep")
        assert len(api.requests) == 1  # it waits for Enter
        await asked(PASTED, 2)
        terminal.type(f"One{ALT_ENTER}two")
        await terminal.sees("> One\n  two")
        await asked("One\ntwo", 3)

        terminal.type("What is in @fi")
        await terminal.sees("\n fish.py")
        terminal.type(TAB)
        await terminal.sees("> What is in @fish.py", without="\n fish.py")
        terminal.type("?/co")  # no command, as it does not begin the line
        await terminal.sees("@fish.py ?/co")
        terminal.type(CTRL_C)
        await terminal.sees(READY, without="?/co")
        terminal.type("/co")
        await terminal.sees("> /co", "\n /compact", "\n /context")
        assert "/settings" not in terminal.screen  # a panel's alone
        terminal.type(f"{DOWN}{DOWN}\r")
        await terminal.sees("> /context", without="\n /compact")
        terminal.type(f"{CTRL_C}/qu")
        await terminal.sees("\n /queue", "\n /quit")
        terminal.type(f"{CTRL_C}{UP}{UP}{UP}{UP}{UP}")  # within three lines, and to what was before
        await terminal.sees("> How deep is it?")
        terminal.type(f"{CTRL_C}{CTRL_R}trace")
        await terminal.sees("> Traceback", "I-search backward: trace")
        terminal.type("\r")
        await terminal.sees("> Traceback", without="I-search")
        terminal.type(f"{CTRL_C}Dive?")
        await asked("Dive?", 4)

        terminal.type("Dive deeper.\r")
        await terminal.sees(CARD)
        terminal.type("no such depth\r")
        await terminal.until("> no such depth")
        await terminal.until("Answer 5.")
        await terminal.sees(READY)
        terminal.type("And wide?\r")
        await until(lambda: len(api.requests) == 8)
        terminal.type("Is @fi")  # while an answer is on its way
        await terminal.sees("\n fish.py")
        terminal.type(f"{TAB}long?")
        await terminal.sees("> Is @fish.py long?")
        gate.set()
        await terminal.until("Answer 6.")
        await terminal.sees(f"{READY} Is @fish.py long?")
        terminal.type(CTRL_C)
        await terminal.sees(READY, without="long?")
        terminal.type(CTRL_C)
        await terminal.sees("Press Ctrl-C again to end the chat.\n>")
        terminal.type("x")
        await terminal.sees(f"{READY} x")
        terminal.type(f"\x7f{CTRL_C}{CTRL_C}")
        assert await terminal.ended() == 0
        assert api.refusals == []
    (file,) = lines_files()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    kept = file.read_text("utf-8")
    assert "+One\n+two\n" in kept
    assert "no such depth" not in kept  # an answer to a question


async def test_lines_of_earlier_chats_vi_keys_and_a_chat_that_is_suspended(tmp_path: Path) -> None:
    workspace(tmp_path)
    (tmp_path / "inputrc").write_text("$include /etc/inputrc\nset editing-mode vi\n")
    LineHistory([tmp_path]).append_string("never kept")
    script = [Turn(Text(f"Answer {n}.")) for n in (1, 2)]
    async with StandIn(script) as api:
        env = {
            "ANTHROPIC_API_KEY": "k",
            "ANTHROPIC_BASE_URL": api.base_url,
            "INPUTRC": str(tmp_path / "inputrc"),
            "PS1": "shell$ ",
        }
        chat = f"{sys.executable} -m glossator chat"
        arguments = ["--norc", "--noediting", "-i"]
        async with at_terminal(arguments, tmp_path, env, "bash") as terminal:
            await terminal.sees("shell$")
            terminal.type(f"{chat}\n")
            await terminal.sees(READY)
            terminal.type("xxHow deep?\x1b")
            await terminal.sees("> xxHow deep?")
            await terminal.until("\x1b[2 q")  # the cursor of commands: Escape came alone
            terminal.type("0xx")
            await terminal.sees("> How deep?")
            terminal.type("\r")
            await terminal.until("Answer 1.")
            await terminal.sees(READY)
            terminal.type("half a li")
            await terminal.sees("> half a li")
            terminal.type(CTRL_Z)
            await terminal.sees("Stopped", without="> half a li")
            terminal.type("fg\n")
            await terminal.sees("> half a li")
            terminal.type("ne")
            await terminal.sees("> half a line")
            terminal.type(f"{CTRL_C}{CTRL_D}")
            await until(lambda: terminal.screen.endswith("shell$\n"))
            terminal.type(f"{chat} --continue\n")
            await terminal.sees(READY)
            terminal.type(UP)
            await terminal.sees("> How deep?")
            terminal.type("\r")
            await terminal.until("Answer 2.")
            await terminal.sees(READY)
            terminal.type(CTRL_D)
            await until(lambda: terminal.screen.endswith("shell$\n"))
            terminal.type("exit\n")
            assert await terminal.ended() == 0
        assert last_texts(api.requests[1])[-1] == "How deep?"


async def test_nothing_is_lost_of_a_long_answer_while_one_types(tmp_path: Path) -> None:
    workspace(tmp_path)
    paragraphs = [f"Paragraph {n} of the answer." for n in range(1, 81)]
    gate = asyncio.Event()
    long = Turn(Text("\n\n".join(paragraphs)), pace=0.004, chunk=20)
    script = [reads(gate), long, Turn(Text("To two."))]
    model: dict[str, str] = {"ANTHROPIC_API_KEY": "k"}
    async with StandIn(script) as api:
        model["ANTHROPIC_BASE_URL"] = api.base_url
        arguments = ["-m", "glossator", "chat"]
        async with at_terminal(arguments, tmp_path, model, size=(15, 40)) as terminal:
            await terminal.sees("Ctrl-D ends.\n>")
            terminal.type("What does it do?\r")
            await until(lambda: bool(api.requests))
            gate.set()
            line = "How deep is it, and how wide, and what else?"
            for place in range(2, len(line) + 1, 2):
                terminal.type(line[place - 2 : place])
                first, second = line[:place][:38].rstrip(), line[38:place].rstrip()
                await terminal.sees(f"> {first}", f"  {second}" if second else first)
            terminal.resize(20, 50)
            await terminal.until("Paragraph 80")
            screen = await terminal.sees(f"\n> {line}", without="Writing…")
            shown = re.findall(r"^Paragraph \d+ of the answer\.$", screen, re.MULTILINE)
            assert shown == paragraphs
            assert "Writing…" not in screen
            assert screen.count("> How deep") == 1
            terminal.type("\r")
            await terminal.until("To two.")
            await terminal.sees("Ctrl-D\nends.\n>")
            terminal.type("half")
            await terminal.sees("> half")
            terminal.terminate()  # while nothing goes on
            assert await terminal.ended() == 143
            await terminal.sees("Stopped.", without="> half")
        assert last_texts(api.requests[2])[-1] == line


@pytest.mark.parametrize(
    ("inputrc", "wanted"),
    [
        ("", False),
        ("set editing-mode emacs\n", False),
        ("  set editing-mode vi\n", True),
        ("set editing-mode emacs\nset editing-mode vi", True),
        ("# set editing-mode vi\n", False),
    ],
)
def test_vi_keys_are_those_of_readline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inputrc: str, *, wanted: bool
) -> None:
    monkeypatch.delenv("INPUTRC", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert not wants_vi_keys()
    (tmp_path / ".inputrc").write_text(inputrc)
    assert wants_vi_keys() is wanted


async def recalled(root: Path) -> list[str]:
    return [each async for each in LineHistory([root]).load()]


async def test_lines_are_kept_by_workspace_and_not_for_ever(tmp_path: Path) -> None:
    history = LineHistory([tmp_path])
    history.append_string("typed at once")
    assert [each async for each in history.load()] == ["typed at once"]
    history.append_string("two\nlines")
    assert await recalled(tmp_path) == ["two\nlines", "typed at once"]
    assert await recalled(tmp_path / "other") == []
    for number in range(12):
        history.append_string(f"{number} {'x' * 50_000}")
    kept = await recalled(tmp_path)
    assert kept[0].startswith("11 ")
    assert 3 <= len(kept) < 8
    for each in lines_files():
        os.utime(each, times=(0, time.time() - 91 * 86_400))
    assert await recalled(tmp_path / "third") == []
    assert len(lines_files()) == 1


async def test_lines_are_not_kept_where_no_sessions_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "glossator"
    config.mkdir()
    (config / "config.toml").write_text("[sessions]\ncount = 0\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    history = LineHistory([tmp_path])
    assert [each async for each in history.load()] == []
    history.append_string("for now")
    assert [each async for each in history.load()] == ["for now"]
    assert lines_files() == []
