"""MCP servers in the terminal: listed with their state, and adopted by nobody who is not there."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_group

from glossator.cli.mcp import mcp
from glossator.core.wire import from_wire
from glossator.mcp.answers import McpServerList
from glossator.mcp_server.__main__ import main
from tests.cli.drawing import drawn
from tests.cli.support import PYTHONPATH
from tests.mcp.hubs import odd

_SERVER: dict[str, Any] = {
    "name": "docs",
    "source": "project",
    "uri": "file:///w/.mcp.json",
    "state": "proposed",
    "why": "adopt it",
    "description": "x\u202e",
    "variables": ["K"],
    "tools": 0,
    "prompts": 0,
    "resources": 0,
    "version": "",
    "sha256": "0",
}


def test_how_servers_are_listed() -> None:
    ready = {"name": "git", "state": "ready", "why": "", "tools": 12, "prompts": 1}
    servers = [_SERVER, {**_SERVER, **ready, "source": "user", "variables": []}]
    answer = from_wire(McpServerList, {"servers": servers, "problems": ["A file is wrong."]})
    seen = drawn(lambda renderer: renderer.answer(answer))
    rows = [line.rstrip() for line in seen.split("\n")]
    assert rows[0] == r"docs  proposed  adopt it            project: x\u202e (gets"
    assert r"git   ready     12 tools, 1 prompt  user: x\u202e" in rows
    assert "A file is wrong." in rows


def test_the_help_of_serve_has_each_of_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    """They are read elsewhere, without typer."""
    with pytest.raises(SystemExit):
        main(["--help"])
    read = {*re.findall(r"--[a-z-]+", capsys.readouterr().out)} - {"--help"}
    shown = get_group(mcp).commands["serve"].params
    assert {each for option in shown for each in option.opts if each.startswith("--")} == read


def _environment(root: Path) -> dict[str, str]:
    folders = {"XDG_CONFIG_HOME": str(root / "config"), "XDG_STATE_HOME": str(root / "state")}
    return {**os.environ, "PYTHONPATH": PYTHONPATH, **folders}


async def _run(root: Path, *words: str) -> tuple[int | None, str, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "glossator", "mcp", *words, "-C", str(root / "ws")),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=_environment(root),
    )
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def test_servers_are_listed_and_not_adopted_unasked(tmp_path: Path) -> None:
    own, proposed = odd(tmp_path / "own"), odd(tmp_path / "proposed")
    config = tmp_path / "config" / "glossator" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(
        f"[mcp.servers.own]\ncommand = {json.dumps(own['command'])}\n"
        f"args = {json.dumps(own['args'])}\n"
    )
    (tmp_path / "ws").mkdir()
    names = {"mcpServers": {"theirs": proposed}}
    (tmp_path / "ws" / ".mcp.json").write_text(json.dumps(names))
    code, out, err = await _run(tmp_path)
    rows = [line.split("\t")[:3] for line in out.splitlines()]
    assert (code, rows) == (
        0,
        [
            ["own", "ready", "18 tools, 1 prompt, 1 resource"],
            ["theirs", "untrusted", "the folder is not trusted, so nothing of it is started"],
        ],
    ), err
    code, out, err = await _run(tmp_path, "adopt", "theirs")
    assert (code, out) == (1, "")
    assert "theirs cannot be adopted in a folder that is not trusted. Trust it with" in err
    trusting = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "glossator", "trust", str(tmp_path / "ws")),
        env=_environment(tmp_path),
    )
    assert await trusting.wait() == 0
    code, out, err = await _run(tmp_path, "adopt", "theirs")
    assert code == 1
    assert "Not adopted." in err
    code, out, err = await _run(tmp_path, "restart", "own", "--json")
    assert code == 0, err
    assert [each["state"] for each in json.loads(out)["servers"]] == ["ready", "proposed"]
    assert not (tmp_path / "proposed").exists()
