"""Memories in the terminal, with the real server: listed, shown, edited, forgotten."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from glossator.core.wire import from_wire
from glossator.memory.answers import MemoryList
from tests.cli.drawing import drawn
from tests.cli.support import PYTHONPATH
from tests.memory.remembering import by_hand

TEXT = "---\ntype: feedback\ndescription: Run make check.\n---\nNot pytest alone.\n"


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def _run(root: Path, *words: str, **environment: str) -> tuple[int | None, str, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "glossator", "memory", *words, "-C", str(root)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "VISUAL": "", "EDITOR": "", "PYTHONPATH": PYTHONPATH, **environment},
    )
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def test_they_are_listed_shown_and_forgotten(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    assert await _run(root) == (
        0,
        "",
        "Nothing is remembered here; the model asks you before it keeps something.\n",
    )
    path = by_hand(root, "tests.md", TEXT)
    code, out, err = await _run(root)
    assert (code, out) == (
        0,
        (
            "on\ttests\tfeedback, this workspace\tRun make check.\ttoday, from a file that somebody"
            " wrote\n"
        ),
    ), err
    code, out, err = await _run(root, "show", "tests")
    assert (code, out) == (0, "Run make check.\n\nNot pytest alone.\n"), err
    assert "tests (feedback, this workspace; today, from a file that somebody wrote)" in err
    code, out, err = await _run(root, "show", "none", "--json")
    assert (code, "There is no memory none." in out) == (1, True), err
    code, out, err = await _run(root, "forget", "tests")
    assert (code, "Forgot tests; memories that are left here: 0." in err) == (0, True), err
    assert not path.exists()


async def test_as_json_and_with_a_broken_file(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    path = by_hand(root, "tests.md", TEXT)
    bad = by_hand("", "bad.md", "no head")
    code, out, err = await _run(root, "--json")
    answer = json.loads(out)
    assert (code, [each["name"] for each in answer["memories"]]) == (1, ["tests"]), err
    assert answer["memories"][0]["path"] == str(path)
    assert answer["problems"][0].startswith(f"The memory {bad} has nothing as its type")
    code, out, err = await _run(root)
    assert (code, "bad.md has nothing as its type" in err) == (1, True)


async def test_one_is_edited(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    path = by_hand(root, "tests.md", TEXT)
    code, _, err = await _run(root, "edit", "tests")
    assert (code, f"Set EDITOR to the program that should open it: the file is {path}." in err) == (
        2,
        True,
    )
    code, _, err = await _run(root, "edit", "tests", EDITOR="sed -i s/alone/by-itself/")
    assert code == 0, err
    assert path.read_text().endswith("Not pytest by-itself.\n")
    code, _, err = await _run(root, "edit", "tests", EDITOR="false", VISUAL="sed -i s/type/kind/")
    assert (code, "tests.md has nothing as its type" in err) == (2, True)
    code, _, err = await _run(root, "edit", "tests", EDITOR="false")
    assert (code, "There is no memory tests." in err) == (1, True)
    code, _, err = await _run(root, "edit", "tests", "--json", EDITOR="false")
    assert (code, "opens an editor" in err) == (2, True)


def test_how_they_look() -> None:
    memory: dict[str, Any] = {
        "name": "tests", "type": "feedback", "description": "Run \u202emake.", "source": "user",
        "state": "stale", "why": "a.py is gone", "origin": "3 months ago, from session 4f2a: How?",
        "uri": "file:///m/tests.md", "path": "/m/tests.md", "created": "2026-08-20T12:00:00+00:00",
        "updated": "2026-08-20T12:00:00+00:00", "about": ["a.py"],
    }  # fmt: skip
    answer = from_wire(MemoryList, {"memories": [memory], "problems": ["Broken."]})
    seen = drawn(lambda renderer: renderer.answer(answer))
    assert "stale  tests  feedback, everywhere" in seen
    assert r"\u202e" in seen
    assert "Broken." in seen
