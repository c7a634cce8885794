"""The inspector of MCP on its command line: each list, calls, errors, and many calls at once."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.clients.scene import NUMBERED, OURS, PROGRAMS, TEXT, Done, Scene, scene
from tests.standin import NAMED

pytestmark = pytest.mark.clients

INSPECTOR = PROGRAMS / "inspector"
TOOLS = ["search", "grep", "glob", "read", "symbols", "explore", "check", "facts"]
MODEL = ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", *NAMED)
REFUSED = 3  # the inspector's exit codes
FAILED = 5


@dataclass
class Inspected:
    """Our server, and the words by which the inspector reaches it."""

    scene: Scene
    words: tuple[str, ...]

    async def asks(self, method: str, *more: str) -> Done:
        words = ("--cli", *self.words, "--method", method, "--format", "json", *more)
        return await self.scene.run(INSPECTOR, *words)

    async def gets(self, method: str, *more: str) -> Any:
        done = await self.asks(method, *more)
        assert done.code == 0, done.errors
        return json.loads(done.out)["result"]

    async def calls(self, tool: str, *more: str, **arguments: str) -> Any:
        given = ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        return await self.gets("tools/call", *given, *more)


@pytest.fixture(params=["stdio", "http"])
async def inspected(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Inspected]:
    async with scene(tmp_path) as s:
        await s.gloss()
        if request.param == "stdio":
            # else it hands on no more than PATH, HOME and the like
            model = [f"{each}={s.environment[each]}" for each in MODEL]
            yield Inspected(s, (*OURS, *(word for each in model for word in ("-e", each))))
        else:
            async with s.by_http() as (address, token):
                yield Inspected(s, (address, "--header", f"Authorization: Bearer {token}"))


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_lists_and_what_is_in_them(inspected: Inspected, era: str) -> None:
    """`--strict` fails if a schema has what some clients cannot read."""
    i = Inspected(inspected.scene, (*inspected.words, "--protocol-era", era))
    strict = await i.gets("tools/list", "--strict")
    assert [each["name"] for each in strict["tools"]] == TOOLS
    (gloss,) = (await i.gets("resources/list"))["resources"]
    (content,) = (await i.gets("resources/read", "--uri", gloss["uri"]))["contents"]
    assert "Function `retry`" in content["text"]
    assert (await i.gets("resources/templates/list"))["resourceTemplates"] == []
    prompts = (await i.gets("prompts/list"))["prompts"]
    assert [each["name"] for each in prompts] == ["explain", "review", "find"]
    words = ("--prompt-name", "explain", "--prompt-args", "place=retry.py")
    (message,) = (await i.gets("prompts/get", *words))["messages"]
    assert "Explain `retry.py`" in message["content"]["text"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_calls_and_errors(inspected: Inspected, era: str) -> None:
    i = Inspected(inspected.scene, (*inspected.words, "--protocol-era", era))
    found = await i.calls("search", query="try a request again")
    assert found["structuredContent"]["chunks"][0]["lines"] == NUMBERED
    checked = await i.calls("check", text=TEXT)
    verdicts = [each["verdict"] for each in checked["structuredContent"]["sentences"]]
    assert verdicts == ["supported", "contradicted"]
    done = await i.asks("tools/call", "--tool-name", "read", "--tool-arg", "path=none.py")
    assert done.code == FAILED
    assert "none.py does not exist" in done.out
    done = await i.asks("prompts/get", "--prompt-name", "explain")
    assert "Prompt explain: give place." in done.errors


async def test_many_calls_at_once(inspected: Inspected) -> None:
    words = ("--load", "--load-concurrency", "10", "--load-requests", "100")
    load = await inspected.calls("search", *words, query="request")
    assert (load["ok"], load["errors"], load["toolErrors"]) == (100, 0, 0)


async def test_without_the_token(tmp_path: Path) -> None:
    async with scene(tmp_path) as s, s.by_http() as (address, _):
        done = await Inspected(s, (address,)).asks("tools/list", "--stored-auth-only")
        assert done.code == REFUSED
        assert "This server listens for clients that know its token" in done.errors
