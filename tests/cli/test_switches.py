"""`on`, `off`, `adopt` and `forget` in the terminal, by the real program."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

from glossator.commands.answers.context import ContextSourceList
from glossator.core.wire import from_wire
from glossator.permissions import remember_folder
from tests.cli.drawing import drawn
from tests.cli.support import PYTHONPATH
from tests.customizations.files import write

SKILL = "---\ndescription: Ships it.\n---\nRun make ship.\n"


async def _run(root: Path, *words: str) -> tuple[int | None, str, str]:
    folders = {"XDG_CONFIG_HOME": str(root / "config"), "XDG_STATE_HOME": str(root / "state")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "glossator", *words, "-C", str(root / "ws")),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": PYTHONPATH, "HOME": str(root / "home"), **folders},
    )
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def test_skills_and_instruction_files(tmp_path: Path) -> None:
    hook = {"hooks": {"Stop": [{"hooks": [{"command": "true"}]}]}}
    ws = tmp_path / "ws"
    write(ws / ".claude/skills/deploy/SKILL.md", SKILL)
    write(ws / ".claude/commands/deploy.md", "Deploy.\n")
    write(ws / ".claude/settings.json", json.dumps(hook))
    write(ws / "AGENTS.md", "Use tabs.\n")
    remember_folder(str(ws), tmp_path / "state" / "glossator" / "trust.json")
    code, _, err = await _run(tmp_path, "skills", "off", "deploy")
    assert (code, "Several things are called deploy: command, skill." in err) == (1, True)
    code, out, err = await _run(tmp_path, "skills", "off", "/deploy")
    assert [line.split("\t")[:3] for line in out.splitlines()] == [
        ["on", "skill", "deploy"],
        ["off", "command", "/deploy"],
    ], err
    code, out, err = await _run(tmp_path, "instructions", "off", "AGENTS.md")
    assert out.startswith("off\tAGENTS.md\tthe project's\tYou turned it off here."), err
    code, out, _ = await _run(tmp_path, "instructions", "on", "AGENTS.md")
    assert (code, out) == (0, "on\tAGENTS.md\tthe project's\t9 characters\n")
    code, out, _ = await _run(tmp_path, "hooks", "--json")
    key = json.loads(out)["hooks"][0]["id"]
    code, _, err = await _run(tmp_path, "hooks", "adopt", key)
    assert (code, "Not adopted. Nobody was asked: run this in a terminal" in err) == (1, True)


def test_how_they_are_listed() -> None:
    source = {
        "kind": "instructions", "id": "/w/AGENTS.md", "name": "AGENTS.md", "source": "project",
        "state": "off", "why": "You turned it off here.", "detail": "9 characters", "uri": "",
        "actions": ["turnOn"],
    }  # fmt: skip
    answer = from_wire(ContextSourceList, {"sources": [source], "problems": ["One is cut."]})
    words = " ".join(drawn(lambda renderer: renderer.answer(answer)).split())
    assert words.startswith("off AGENTS.md the project's You turned it off here.")
    assert words.endswith("One is cut.")
