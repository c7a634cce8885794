"""Skills, slash commands and sub-agents in the terminal."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

from glossator.core.wire import from_wire
from glossator.customizations.answers import CustomizationList
from tests.cli.drawing import drawn
from tests.cli.support import PYTHONPATH
from tests.customizations.files import described, write

ITEM = {
    "kind": "skill",
    "name": "pdf",
    "source": "user",
    "path": "/home/a/SKILL.md",
    "uri": "file:///home/a/SKILL.md",
    "state": "on",
    "why": "",
    "description": "Reads PDF.",
    "hint": "",
}
LEFT_OUT = "The folder is not trusted."


def test_how_they_are_listed() -> None:
    other = {"kind": "command", "name": "a\u202e", "source": "project", "hint": "file"}
    state = {"state": "untrusted", "why": LEFT_OUT, "path": "/ws/a.md"}
    items = [ITEM, {**ITEM, **other, **state}]
    answer = from_wire(CustomizationList, {"items": items, "leftOut": ["1 slash command"]})
    seen = drawn(lambda renderer: renderer.answer(answer))
    assert [" ".join(line.split()) for line in seen.splitlines() if line.strip()] == [
        "on skill pdf yours Reads PDF.",
        "not trusted command /a\\u202e the project's The folder",
        "file is not",
        "trusted.",
    ]


def test_where_there_is_none() -> None:
    answer = from_wire(CustomizationList, {"items": [], "leftOut": []})
    assert "No file describes" in drawn(lambda renderer: renderer.answer(answer))


async def test_a_server_lists_them(tmp_path: Path) -> None:
    home = tmp_path / "home"
    write(home / ".claude/skills/pdf/SKILL.md", described("pdf", "Reads PDF."))
    write(tmp_path / "ws/.claude/commands/fix.md", "Fix it.")
    folders = {name: str(tmp_path / name) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "glossator", "skills", "--json", "-C", str(tmp_path / "ws")),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": PYTHONPATH, "HOME": str(home), **folders},
    )
    out, _ = await process.communicate()
    answer = json.loads(out)
    assert [(each["name"], each["state"]) for each in answer["items"]] == [
        ("pdf", "on"),
        ("fix", "untrusted"),
    ]
    assert answer["leftOut"] == ["1 slash command"]
