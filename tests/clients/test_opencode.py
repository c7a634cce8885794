"""opencode asks our server what its model wants."""

from __future__ import annotations

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
    Scene,
    Script,
    gloss_in,
    scene,
)
from tests.standin import NAMED, Text, ToolUse, Turn

pytestmark = pytest.mark.clients

OPENCODE = PROGRAMS / "opencode"
QUIET = {
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "npm_config_offline": "true",  # it would install its plugins' library
}
STDIO = {"glossator": {"type": "local", "command": OURS}}


def ours(name: str, **arguments: object) -> ToolUse:
    return ToolUse(f"glossator_{name}", arguments)


def configured(s: Scene, servers: Mapping[str, Json]) -> Scene:
    """Its provider is the stand-in; our servers stand as the docs have it."""
    s.environment = {**s.environment, **QUIET}
    model, small = (f"anthropic/{name}" for name in NAMED.values())
    options = {"baseURL": f"{s.api.base_url}/v1", "apiKey": "test-key"}
    models: Json = {name: {} for name in NAMED.values()}
    config = {
        "model": model,
        "small_model": small,
        "provider": {"anthropic": {"options": options, "models": models}},
        "permission": {"*": "allow"},
        "autoupdate": False,
        "share": "disabled",
        "mcp": servers,
    }
    s.environment = {**s.environment, **QUIET, "OPENCODE_CONFIG_CONTENT": json.dumps(config)}
    return s


async def test_its_model_finds_reads_proves_and_explores(tmp_path: Path) -> None:
    reading = "read_mcp_resource"
    turns: list[Script] = [
        Turn(ours("search", query="try a request again"), ours("read", path="retry.py")),
        Turn(ours("check", text=TEXT), ours("explore", task="What does retry do?")),
        Turn(ours("read", path="../home"), ours("search"), ToolUse("list_mcp_resources")),
        lambda body: Turn(ToolUse(reading, {"server": "glossator", "uri": gloss_in(body)})),
        Turn(Text("It doubles its times.")),
    ]
    async with scene(tmp_path, *turns) as s:
        await configured(s, STDIO).gloss()
        done = await s.run(OPENCODE, "run", "What does retry do?")
        assert done.code == 0, done.errors
        assert done.out.strip().endswith("It doubles its times.")
        offered = {each["name"]: each for each in s.conversation[0]["tools"]}
        assert "Prove an answer" in offered["glossator_check"]["description"]
        found, read, checked, explored, outside, wrong, _, gloss = s.results()
        assert found.startswith("1. retry.py:1-3 in retry; why: Try, request, again")
        assert NUMBERED in found
        assert read == NUMBERED
        true, false = checked.splitlines()
        assert true == "supported: `retry` doubles its times. [retry.py:1-3]"
        assert false.startswith("contradicted: `retry` gives its times thrice. [retry.py:1-3]")
        assert LINE in false
        assert explored.startswith(REPORT)
        assert "outside the workspace" in outside
        assert "query: Field required" in wrong
        assert "Function `retry`" in gloss


async def test_a_prompt_is_a_command(tmp_path: Path) -> None:
    async with scene(tmp_path, Turn(Text("Done."))) as s:
        words = ("run", "--command", "glossator:explain", "retry.py:1-2")
        done = await configured(s, STDIO).run(OPENCODE, *words)
        assert done.code == 0, done.errors
        (asked,) = s.conversation
        assert "Explain `retry.py:1-2`: what it is for" in str(asked["messages"])


async def test_over_http_with_the_token(tmp_path: Path) -> None:
    turns: list[Script] = [Turn(ToolUse("web_grep", {"pattern": "times"})), Turn(Text("Done."))]
    async with scene(tmp_path, *turns) as s, s.by_http() as (address, token):
        servers = {
            name: {"type": "remote", "url": address, "headers": {"Authorization": f"Bearer {key}"}}
            for name, key in (("web", token), ("wrong", "x"))
        }
        done = await configured(s, servers).run(OPENCODE, "run", "Where is it?")
        assert done.code == 0, done.errors
        assert s.results() == ["retry.py"]
        offered = {each["name"] for each in s.conversation[0]["tools"]}
        assert "web_search" in offered
        assert "wrong_search" not in offered


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
async def test_it_is_stopped_while_a_call_waits(tmp_path: Path, number: int) -> None:
    turn = Turn(ours("explore", task="What does retry do?"))
    async with scene(tmp_path, turn, stands=True) as s:
        await configured(s, STDIO).ends_with_all(number, OPENCODE, "run", "x")
