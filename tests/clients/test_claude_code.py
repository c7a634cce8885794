"""Claude Code's CLI asks our server what its model wants."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.clients.scene import (
    LINE,
    NUMBERED,
    OURS,
    PROGRAMS,
    REPORT,
    TEXT,
    Json,
    Model,
    Scene,
    all_gone,
    gloss_in,
    scene,
)
from tests.standin import NAMED, Text, ToolUse, Turn

pytestmark = pytest.mark.clients

CLAUDE = PROGRAMS / "claude"
QUIET = {
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
}
STDIO = {"glossator": {"command": OURS[0], "args": OURS[1:]}}
NAMES = ("search", "read", "check", "explore", "glob")


def ours(name: str, **arguments: object) -> ToolUse:
    return ToolUse(f"mcp__glossator__{name}", arguments)


def asking(question: str, servers: Mapping[str, Json]) -> list[str | Path]:
    return [
        *(CLAUDE, "-p", question, "--model", NAMED["GLOSSATOR_MODEL"]),
        *("--mcp-config", json.dumps({"mcpServers": servers}), "--strict-mcp-config"),
        *("--allowedTools", ",".join(f"mcp__{name}" for name in servers)),
        *("--output-format", "stream-json", "--verbose"),
    ]


def quiet(s: Scene) -> Scene:
    s.environment = {**s.environment, **QUIET}
    return s


def looked_up(*names: str) -> Turn:
    """At first its model knows only names of tools."""
    return Turn(ToolUse("ToolSearch", {"query": f"select:{','.join(names)}"}))


async def test_its_model_finds_reads_proves_and_explores(tmp_path: Path) -> None:
    listing, reading = "ListMcpResourcesTool", "ReadMcpResourceTool"
    turns = [
        looked_up(*(ours(name).name for name in NAMES), listing, reading),
        Turn(ours("search", query="try a request again"), ours("read", path="retry.py")),
        Turn(ours("check", text=TEXT), ours("explore", task="What does retry do?")),
        Turn(ours("read", path="../home"), ours("search"), ToolUse(listing)),
        lambda body: Turn(ToolUse(reading, {"server": "glossator", "uri": gloss_in(body)})),
        Turn(Text("It doubles its times.")),
    ]
    async with scene(tmp_path, turns) as s:
        await s.gloss()
        done = await quiet(s).run(*asking("What does retry do?", STDIO))
        assert done.code == 0, done.out
        first, *_, last = map(json.loads, done.out.splitlines())
        assert first["mcp_servers"][0]["status"] == "connected"
        assert {ours(name).name for name in NAMES} < set(first["tools"])
        assert last["result"] == "It doubles its times."
        assert "prove" in str(s.conversation[0])  # our instructions
        offered = {each["name"]: each for each in s.conversation[1]["tools"]}
        assert "Prove an answer" in offered["mcp__glossator__check"]["description"]
        _, found, read, checked, explored, outside, wrong, listed, gloss = s.results()
        (chunk,) = json.loads(found)["chunks"]
        assert (chunk["place"], chunk["lines"]) == ("retry.py:1-3", NUMBERED)
        assert read == NUMBERED
        true, false = json.loads(checked)["sentences"]
        assert (true["verdict"], false["verdict"]) == ("supported", "contradicted")
        assert LINE in false["reason"]
        assert json.loads(explored)["report"].startswith(REPORT)
        assert "outside the workspace" in outside
        assert "query: Field required" in wrong
        (resource,) = json.loads(listed)
        assert resource["name"] == "File `retry.py`"
        (content,) = json.loads(gloss)["contents"]
        assert "Function `retry`" in content["text"]
