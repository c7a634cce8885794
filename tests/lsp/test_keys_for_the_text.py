"""Somebody types on at a real editor while a model asks to edit: no key of theirs allows it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import cycle, islice, takewhile
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import Terminal, at_terminal
from tests.lsp.support.desk import told
from tests.lsp.test_editing import CALC, FIX
from tests.lsp.test_emacs import OPTIONS, emacs
from tests.lsp.test_neovim import neovim
from tests.standin import StandIn

_SCRIPTS = Path(__file__).parent
_RHYTHM = (0.07, 0.1, 0.2)  # seconds between keys, over and over
_PAUSE = 900  # ms: a second, but for the way from the server to the editor's clock
_LINE = " and x = 1\r"
_MORE_KEYS = 3 * len(_LINE)  # that are typed when the question is due; some may be lost
_ERASE = "\x01\x0b"  # Ctrl-A Ctrl-K
_ALLOW = f"{_ERASE}Allow o\t\r"
_STIR = "\x06" * 8  # Ctrl-F: until a key comes, Emacs does not send what it changed
_BACK = "Back to the question"


async def _type(terminal: Terminal, keys: Iterable[str]) -> None:
    for key, seconds in zip(keys, cycle(_RHYTHM), strict=False):
        terminal.type(key)
        await asyncio.sleep(seconds)  # the rhythm is what is tried


async def _write(terminal: Terminal, api: StandIn) -> None:
    """Write until the model has asked for its edit, and on."""
    line = cycle(_LINE)
    await _type(terminal, takewhile(lambda _: len(api.requests) < 2, line))
    await _type(terminal, islice(line, _MORE_KEYS))


@asynccontextmanager
async def _asking(
    tmp_path: Path, program: str, arguments: Sequence[str], **variables: str
) -> AsyncIterator[tuple[Terminal, StandIn, dict[str, Any]]]:
    """An editor at a terminal whose model wants to edit; what was seen, once it has left."""
    root, result = tmp_path / "work", tmp_path / "seen.json"
    root.mkdir()
    (root / "calc.py").write_text(CALC)
    seen: dict[str, Any] = {}
    async with StandIn(FIX) as api:
        env = {
            "ANTHROPIC_API_KEY": "k",
            "ANTHROPIC_BASE_URL": api.base_url,
            "HOME": str(tmp_path),
            "PYTHON": sys.executable,
            "RESULT": str(result),
            "XDG_STATE_HOME": str(tmp_path / "state"),
            "XDG_DATA_HOME": str(tmp_path / "data"),
        }
        async with at_terminal(arguments, root, env | variables, program) as terminal:
            yield terminal, api, seen
        seen |= json.loads(result.read_text())
        seen["told"] = told(api, "edit")


def _check(seen: dict[str, Any], answers: list[str], *, allowed: bool) -> None:
    assert [box["answer"] for box in seen["boxes"]] == answers
    assert all(box["quiet"] >= _PAUSE for box in seen["boxes"]), seen["boxes"]
    assert seen["told"].startswith("Changed calc.py in " if allowed else "The user refused this.")
    # not each line: both editors lose a key now and then while they talk to a server
    assert _LINE.strip() in "\n".join(seen["lines"])
    assert ("a + c" in "\n".join(seen["lines"])) == allowed


@pytest.mark.parametrize(
    ("boxes", "answers", "allowed"),
    [
        ([_LINE], ["Refuse"], False),
        (["\r"], [""], False),
        (["\x1b"], [""], False),
        (["2 apples\rand 3 pears\r", _LINE], ["Allow once…", "Refuse"], False),
        (["x = 3\ry = 3\r", "x = 3\r", "\r"], ["Allow for this session…", _BACK, ""], False),
        (["2\r", "3\r"], ["Allow once…", "Allow once"], True),
    ],
)
async def test_in_neovim(
    tmp_path: Path, boxes: list[str], answers: list[str], *, allowed: bool
) -> None:
    """It reads a number, past all that is none."""
    script = ["-u", "NONE", "-n", "-S", str(_SCRIPTS / "neovim" / "approving.lua")]
    async with _asking(tmp_path, neovim(), script) as (terminal, api, seen):
        await terminal.until("INSERT")
        await _write(terminal, api)
        for keys in boxes:
            await terminal.until("Type number and <Enter>")
            await _type(terminal, keys)
        assert await terminal.ended() == 0
    _check(seen, answers, allowed=allowed)


@pytest.mark.parametrize(
    ("boxes", "answers", "allowed"),
    [
        (["\r"], ["Refuse"], False),
        (["x = 1\r\r2\r" + _ERASE + "\r"], [""], False),
        ([_ALLOW, "\r"], ["Allow once…", "Refuse"], False),
        ([_ALLOW, _ALLOW + _STIR], ["Allow once…", "Allow once"], True),
    ],
)
async def test_in_emacs(
    tmp_path: Path, boxes: list[str], answers: list[str], *, allowed: bool
) -> None:
    """It completes a text that begins with the first button."""
    script = str(_SCRIPTS / "emacs" / "approving.el")
    arguments = ["-nw", *OPTIONS, "-l", script]
    async with _asking(tmp_path, emacs(), arguments) as (terminal, api, seen):
        await terminal.until("ready to type")
        await _write(terminal, api)
        for keys in boxes:
            await terminal.until("Choose an option")
            await _type(terminal, keys)
        await terminal.until("all is seen")
    _check(seen, answers, allowed=allowed)
