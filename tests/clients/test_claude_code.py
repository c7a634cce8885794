"""Claude Code's CLI asks our server what its model wants."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.clients.scene import (
    LINE,
    NUMBERED,
    OURS,
    PROGRAMS,
    REPORT,
    TEXT,
    Scene,
    Script,
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
SERVERS = {"mcpServers": {"glossator": {"command": OURS[0], "args": OURS[1:]}}}
STDIO = ("--mcp-config", json.dumps(SERVERS), "--strict-mcp-config")
NAMES = ("search", "read", "check", "explore", "glob")


def ours(name: str, **arguments: object) -> ToolUse:
    return ToolUse(f"mcp__glossator__{name}", arguments)


def asking(question: str, *given: str) -> list[str | Path]:
    words: tuple[str, ...] = ("-p", question, "--model", NAMED["GLOSSATOR_MODEL"], *given)
    words += ("--allowedTools", "mcp__glossator,mcp__web")
    return [CLAUDE, *words, "--output-format", "stream-json", "--verbose"]


def quiet(s: Scene) -> Scene:
    s.environment = {**s.environment, **QUIET}
    return s


def looked_up(*names: str) -> Turn:
    """At first its model knows only names of tools."""
    return Turn(ToolUse("ToolSearch", {"query": f"select:{','.join(names)}"}))


async def test_its_model_finds_reads_proves_and_explores(tmp_path: Path) -> None:
    listing, reading = "ListMcpResourcesTool", "ReadMcpResourceTool"
    turns: list[Script] = [
        looked_up(*(ours(name).name for name in NAMES), listing, reading),
        Turn(ours("search", query="try a request again"), ours("read", path="retry.py")),
        Turn(ours("check", text=TEXT), ours("explore", task="What does retry do?")),
        Turn(ours("read", path="../home"), ours("search"), ToolUse(listing)),
        lambda body: Turn(ToolUse(reading, {"server": "glossator", "uri": gloss_in(body)})),
        Turn(Text("It doubles its times.")),
    ]
    async with scene(tmp_path, *turns) as s:
        await s.gloss()
        done = await quiet(s).run(*asking("What does retry do?", *STDIO))
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


async def test_a_prompt_is_a_slash_command(tmp_path: Path) -> None:
    async with scene(tmp_path, Turn(Text("Done."))) as s:
        done = await quiet(s).run(*asking("/mcp__glossator__explain retry.py:1-2", *STDIO))
        assert done.code == 0, done.out
        (asked,) = s.conversation
        assert "Explain `retry.py:1-2`: what it is for" in str(asked["messages"])


async def test_the_lines_of_the_docs_over_stdio_and_http(tmp_path: Path) -> None:
    """A wrong token is named as what is wrong."""
    named = [ToolUse(f"mcp__{each}__grep", {"pattern": "times"}) for each in ("glossator", "web")]
    names = looked_up(*(each.name for each in named))
    async with (
        scene(tmp_path, names, Turn(*named), Turn(Text("Done."))) as s,
        quiet(s).by_http() as (address, token),
    ):
        adding = (CLAUDE, "mcp", "add")
        for words in (
            (*adding, "glossator", "--", *OURS),
            (*adding, "-t", "http", "web", address, "-H", f"Authorization: Bearer {token}"),
            (*adding, "-t", "http", "wrong", address, "-H", "Authorization: Bearer x"),
        ):
            added = await s.run(*words)
            assert added.code == 0, added.errors
        listed = (await s.run(CLAUDE, "mcp", "list")).out
        assert "glossator mcp serve - ✔ Connected" in listed
        assert f"web: {address} (HTTP) - ✔ Connected" in listed
        assert "Error detail: This server listens for clients that know its token" in listed
        done = await s.run(*asking("Where is it?"))
        assert done.code == 0, done.out
        assert s.results()[1:] == ["retry.py", "retry.py"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
async def test_it_is_stopped_while_a_call_waits(tmp_path: Path, number: int) -> None:
    turn = Turn(ours("explore", task="What does retry do?"))
    async with scene(tmp_path, turn, stands=True) as s:
        await quiet(s).ends_with_all(number, *asking("x", *STDIO))
