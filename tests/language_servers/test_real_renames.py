"""Rename over 31 files by real language servers, in a whole run; the files' own check judges it."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from glossator.commands.turns import UndoRequest, undo_turn
from glossator.core.permission import Choice, PermissionAnswer
from tests.language_servers.test_real_servers import CLIENT, TOOLS
from tests.sandboxed import SANDBOXED
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn

_PRESS = '''\
class Press:
    """It presses; a Lamp has a method of the same name."""

    def switch(self, depth: int) -> int:
        return depth + 1


class Lamp:
    def switch(self, depth: int) -> int:
        return -depth
'''
_USE = """\
from press import Lamp, Press

press = Press()


def pressed() -> int:
    return press.switch({0}) + Lamp().switch({0})
"""
_CHECK = """\
import importlib

for number in range(30):
    assert importlib.import_module(f"use{number:02}").pressed() == 1
"""
_PYTHON = {
    "press.py": _PRESS,
    "check.py": _CHECK,
    **{f"use{number:02}.py": _USE.format(number) for number in range(30)},
}
_SIZES = """\
export class Box {
  width(): number {
    return 2;
  }
}

export class Line {
  width(): number {
    return 1;
  }
}
"""
_SIZE = """\
import type { Box, Line } from "./sizes";

export const both = (box: Box, line: Line): number => box.width() + line.width();
"""
_TYPESCRIPT = {
    "tsconfig.json": '{"compilerOptions": {"strict": true, "noEmit": true}}',
    "sizes.ts": _SIZES,
    **{f"use{number:02}.ts": _SIZE for number in range(30)},
}

pytestmark = SANDBOXED


async def _renamed(
    root: Path, files: dict[str, str], name: str, new: str, check: list[str], path: str = TOOLS
) -> str:
    """The result of renaming it: asked once, green by the check, and undone in every byte."""
    script = [Turn(ToolUse("Rename", {"name": name, "new_name": new}, "rename")), Turn(Text("."))]
    settings = {"languageServers": {"enabled": "auto"}}
    async with stage(root, files, script, settings, programs=path) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)]
        answer = await s.ask("Rename it.")
        (asked,) = s.port.permissions
        assert asked.title == f"Rename {name} to {new} in 31 files?"
        checking = await asyncio.create_subprocess_exec(*check, cwd=root, env={"PATH": path})
        assert await checking.wait() == 0
        changed = {file: (root / file).read_text("utf-8") for file in files}
        assert sum(changed[file] != files[file] for file in files) == 31
        undone = await undo_turn(s.app, UndoRequest(answer.session_id))
        assert (undone.conflicts, undone.failed) == ((), ())
        assert {file: (root / file).read_text("utf-8") for file in files} == files
        return str(s.results(1)["rename"]["content"])


async def test_python(tmp_path: Path) -> None:
    check = [sys.executable, "-B", "check.py"]
    result = await _renamed(tmp_path, _PYTHON, "Press.switch", "push", check)
    assert result.startswith("Renamed Press.switch to push on 31 lines of 31 files.\npress.py: 4\n")


@pytest.mark.skipif(not CLIENT.is_dir(), reason="the client's packages are not installed")
async def test_typescript(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "tsc").symlink_to(CLIENT / "bin" / "tsc")
    path = os.pathsep.join((str(programs), TOOLS))
    root = tmp_path / "ws"
    result = await _renamed(root, _TYPESCRIPT, "Box.width", "breadth", ["tsc", "-p", "."], path)
    assert result.startswith("Renamed Box.width to breadth on 31 lines of 31 files.\nsizes.ts: 2\n")
