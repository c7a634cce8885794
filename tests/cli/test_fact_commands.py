"""Facts in the terminal, with the real server: listed, pinned, forgotten, exported and cleared."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.answers.sessions import SummaryAnswer
from glossator.core.wire import from_wire
from glossator.ledger.answers import FactList
from glossator.settings.model import WorkspaceSettings
from glossator.worker.client import Worker
from glossator.workspace.documents.host import WorkspaceHost
from tests.cli.drawing import drawn
from tests.cli.support import PYTHONPATH
from tests.ledger.support import kept
from tests.workspaces import idle_indexing


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def _run(root: Path, *words: str) -> tuple[int | None, str, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "glossator", "facts", *words, "-C", str(root)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": PYTHONPATH},
    )
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def _add(root: Path, *statements: str) -> list[str]:
    """As answers do it; gives the ids."""
    host = WorkspaceHost((str(root),), WorkspaceSettings(), idle_indexing(Worker()))
    await host.start()
    await host.ready()
    async with kept(host, root.parent / "state" / "glossator") as k:
        ids = [(await k.add(each, "a.py", 1)).id for each in statements]
    await host.close()
    return ids


async def test_they_are_listed_pinned_forgotten_and_cleared(tmp_path: Path) -> None:
    root = (tmp_path / "ws").resolve()
    root.mkdir()
    (root / "a.py").write_text("one = 1\n")
    one, two = await _add(root, "`one` is 1.", "`one` is a number.")
    code, out, err = await _run(root, "pin", one)
    assert (code, out, err) == (0, "", f"Pinned: {one}, `one` is 1.\n")
    code, out, err = await _run(root)
    assert (code, out) == (
        0,
        f"fresh\t{one}\t`one` is 1.\ta.py:1\tpinned\nfresh\t{two}\t`one` is a number.\ta.py:1\n",
    ), err
    code, out, err = await _run(root, "export")
    assert [each["id"] for each in json.loads(out)["fact_ledger"]] == [one, two], err
    code, out, err = await _run(root, "forget", two)
    assert (code, out) == (0, f"forgot {two}: `one` is a number.\n")
    assert err == "Forgot 1 fact. 1 is left.\n"
    code, _, err = await _run(root, "forget", "f0")
    assert (code, err) == (1, "error: There is no fact f0 here. `glossator facts` lists them.\n")
    (root / "a.py").write_text("one = 2\n")
    code, out, err = await _run(root, "clear", "--stale")
    assert (code, out) == (0, f"forgot {one}: `one` is 1.\n"), err


def _fact(**fields: Any) -> dict[str, Any]:
    given = {
        "id": "f0123",
        "statement": "It is so\x1b.",
        "path": "a.py",
        "uri": "file:///w/a.py",
        "firstLine": 1,
        "lastLine": 2,
        "state": "stale",
        "confidence": 0.9,
        "createdAt": "2026-01-02T03:04:05+00:00",
        "sessionId": "s",
        "pinned": False,
    }
    return given | fields


def test_what_they_say_cannot_move_the_cursor() -> None:
    answer = from_wire(FactList, {"facts": [_fact()], "problems": ["Facts are off."]})
    text = drawn(lambda renderer: renderer.answer(answer))
    assert "\x1b." not in text
    assert "stale" in text
    assert "Facts are off." in text


def test_a_summary_names_what_there_is_not() -> None:
    summary = SummaryAnswer("s", ("Prices",), (), ("Why?",), by_model=False)
    assert "Key conclusions:\n- none" in drawn(lambda renderer: renderer.answer(summary))
