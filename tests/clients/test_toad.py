"""toad, a client at a terminal, as somebody sees it who asks, allows, cancels and comes back."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal, at_terminal
from tests.clients.scene import CACHE
from tests.mcp_server.client import write
from tests.patience import until
from tests.quiet import write_quiet_settings
from tests.standin import StandIn, Text, Thinking, ToolUse, Turn

pytestmark = pytest.mark.clients

TOAD = CACHE / "glossator-toad" / "toad"
MARK = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"  # before words, and what is chosen
SIZE = (44, 120)  # lines, columns
READY = "Glossator connected"  # for some seconds
ESCAPE, ENTER, CTRL_O, CTRL_Q, CTRL_R, DOWN = "\x1b", "\r", "\x0f", "\x11", "\x12", "\x1b[B"
APP = "import retry\n\n\ndef greet(name):\n    return f'Hello {name}'\n"
STEPS = [{"text": "Look at it", "state": "active"}]
LOOK = Turn(
    Thinking("Who greets?"), ToolUse("Todo", {"steps": STEPS}), ToolUse("Read", {"path": "app.py"})
)
ANSWER = Turn(Text("`greet` returns a greeting [cite: doc, app.py, L4-L5]."))
EDIT = Turn(ToolUse("Edit", {"path": "app.py", "old_text": "Hello", "new_text": "Hi"}))
WRITE = Turn(ToolUse("Write", {"path": "new/words.py", "content": "WORDS = ()\n"}))
COMMAND = Turn(ToolUse("Bash", {"command": "touch one && echo done so"}))


@asynccontextmanager
async def toad(
    folder: Path, *arguments: str, api: StandIn | None = None, size: tuple[int, int] = SIZE
) -> AsyncIterator[Terminal]:
    """toad with our agent, in a workspace with `app.py`, or with these arguments."""
    if not TOAD.exists():
        pytest.skip("toad is not there: `make clients` says what it needs")
    root, home = folder / "ws", folder / "home"
    if not home.exists():
        write_quiet_settings(home)
        write(root, {"app.py": APP})
        write(home / "toad", {"toad.json": json.dumps({"statistics": {"allow_collect": False}})})
    environment = {
        **{f"XDG_{name}_HOME": str(home) for name in ("CONFIG", "STATE", "CACHE", "DATA")},
        "HOME": str(home),
        "PATH": os.pathsep.join((f"{sys.prefix}/bin", "/usr/bin:/bin")),
        "COLORTERM": "truecolor",
        "HTTPS_PROXY": "http://127.0.0.1:9",  # it looks for newer versions of itself
        "ANTHROPIC_API_KEY": "test-key" if api else "",
        "ANTHROPIC_BASE_URL": api.base_url if api else "",
    }
    words = arguments or ("acp", "glossator acp", "--title", "Glossator")
    async with at_terminal(words, root, environment, str(TOAD), size) as terminal:
        yield terminal


async def ask(terminal: Terminal, words: str) -> None:
    terminal.type(words)
    await terminal.sees(f"{MARK} {words}")
    terminal.type(ENTER)


async def allow(terminal: Terminal, *about: str) -> None:
    """Answer the question that shows this by its first choice, once it takes keys."""
    await terminal.sees(*about, f"{MARK} a ", "Allow once")
    terminal.type("a")


async def test_a_question_an_edit_a_new_file_and_a_command(tmp_path: Path) -> None:
    done = [Turn(Text(f"It is {what}.")) for what in ("changed", "made", "run")]
    script = [LOOK, ANSWER, EDIT, done[0], WRITE, done[1], COMMAND, done[2]]
    root = tmp_path / "ws"
    async with StandIn(script) as api, toad(tmp_path, api=api) as terminal:
        await terminal.sees(READY)
        await ask(terminal, "What does greet return?")
        seen = await terminal.sees("greet returns a greeting app.py:4-5.", "1 citation", "$0.0")
        assert "Who greets?" in seen
        assert seen.count("Look at it") == 2  # in the plan, and where it was made
        await ask(terminal, "Say Hi instead")
        await allow(terminal, "Approval request", "5      return f'Hi {name}'")
        await terminal.sees("Edit app.py: 1 place, +1 -1 lines ✔", "It is changed.")
        assert "Hi {name}" in (root / "app.py").read_text()
        await ask(terminal, "Make a list of words")
        await allow(terminal, "Approval request", "1  WORDS = ()")
        await terminal.sees("It is made.")
        assert (root / "new/words.py").read_text() == "WORDS = ()\n"
        await ask(terminal, "Run it now")
        await allow(terminal, "Do you trust what is in these folders?", f"{MARK} a Trust it")
        await allow(terminal, "touch one && echo done so", "In mode ask")
        await terminal.sees("🔧 touch one && echo done so", "✔", "It is run.")
        assert (root / "one").exists()
    assert api.refusals == []


async def test_a_prompt_is_cancelled_while_a_question_waits(tmp_path: Path) -> None:
    async with (
        StandIn([COMMAND, Turn(Text("I go on."))]) as api,
        toad(tmp_path, api=api) as terminal,
    ):
        await terminal.sees(READY)
        await ask(terminal, "Run it now")
        await allow(terminal, "Do you trust what is in these folders?", f"{MARK} a Trust it")
        await terminal.sees("In mode ask, a command", f"{MARK} a Allow once")
        terminal.type(ESCAPE)
        await terminal.sees("again to cancel")
        terminal.type(ESCAPE)
        await terminal.sees("🔧 touch one && echo done so ▌failed▐")
        terminal.type("a")  # toad asks on
        await terminal.sees("How can I help you today?")
        await ask(terminal, "Go on then")
        await terminal.sees("I go on.")
        assert not (tmp_path / "ws" / "one").exists()
    assert api.refusals == []


async def test_commands_and_modes(tmp_path: Path) -> None:
    """Without a model."""
    async with toad(tmp_path) as terminal:
        await terminal.sees(READY)
        await ask(terminal, "What does greet return?")
        await terminal.sees("Offline: no model was asked.", "From app.py:4-5", "verified by rules")
        terminal.type("/")
        await terminal.sees("/compact", "Go on from a summary of this session")
        terminal.type("undo")
        await terminal.sees(f"{MARK} /undo", without="/compact")
        terminal.type(ENTER)
        await terminal.sees(f"{MARK} /undo", without="Undo what")
        terminal.type(ENTER)
        await terminal.sees("there is nothing to undo.")
        terminal.type(CTRL_O)
        await terminal.sees("Accept edits", "Reads only, and changes nothing")
        terminal.type(DOWN)
        terminal.type(ENTER)
        await terminal.sees("Mode changed to Auto")


async def test_a_session_is_gone_on_with(tmp_path: Path) -> None:
    async with StandIn([LOOK, ANSWER, Turn(Text("I go on."))]) as api:
        async with toad(tmp_path, api=api) as terminal:
            await terminal.sees(READY)
            await ask(terminal, "What does greet return?")
            await terminal.sees("1 citation")
            await until(lambda: not api.open_streams)
            terminal.type(CTRL_Q)
            await terminal.ended()
        async with toad(tmp_path, ".", api=api) as terminal:
            await terminal.sees("Choose your fighter", "Resume")
            terminal.type(CTRL_R)
            await terminal.sees("Pick a session", "just now")
            terminal.type(DOWN)
            terminal.type(ENTER)
            await terminal.sees(
                f"{MARK} What does greet return?", "greeting app.py:4-5.", "1 citation", READY
            )
            await ask(terminal, "Go on then")
            await terminal.sees("I go on.")
        assert len(api.requests) == 3
        assert api.refusals == []
