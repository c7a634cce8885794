"""What opens a conversation: small, and about nothing that is not there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from glossator.tools.toolbox import all_tools
from tests.application.delegating import FILES, size
from tests.stage import stage
from tests.standin import Text, Turn

MOST = 15_000  # bytes
LAW = "---\nname: law\ndescription: Knows the law.\n---\nYou know the law.\n"


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def first_request(
    root: Path, files: dict[str, str] = FILES, settings: dict[str, Any] | None = None
) -> dict[str, Any]:
    async with stage(root / "ws", files, [Turn(Text("Hello."))], settings) as s:
        await s.ask("Hello")
        return s.sent(0)


async def test_a_bare_first_request_is_small(tmp_path: Path) -> None:
    body = await first_request(tmp_path)
    assert size(body) <= MOST, {key: size(value) for key, value in body.items()}


@pytest.mark.parametrize("parallel", [0, 4])
async def test_no_tool_is_named_that_is_not_offered(tmp_path: Path, parallel: int) -> None:
    """Such as Diagnostics, where nobody tells them."""
    body = await first_request(tmp_path, settings={"agents": {"parallel": parallel}})
    offered = {tool["name"] for tool in body["tools"]}
    missing = all_tools(diagnostics=True, agents=True).keys() - offered
    assert "Diagnostics" in missing
    texts = [block["text"] for block in body["system"]]
    texts += [tool["description"] for tool in body["tools"]]
    named = {word for text in texts for word in re.findall(r"\w+", text)}
    assert not missing & named


@pytest.mark.parametrize("described", [False, True])
async def test_a_sub_agent_can_be_named_where_there_is_one(
    tmp_path: Path, *, described: bool
) -> None:
    files = {**FILES, ".claude/agents/law.md": LAW} if described else FILES
    body = await first_request(tmp_path, files)
    (explore,) = [tool for tool in body["tools"] if tool["name"] == "Explore"]
    arguments = explore["input_schema"]["properties"]
    assert ("agent" in arguments) == described
    if described:
        assert arguments["agent"]["description"]
    assert "task" in arguments


@pytest.mark.parametrize("trusted", [True, None, False])
async def test_agents_of_a_workspace_are_listed_only_where_it_is_trusted(
    tmp_path: Path, *, trusted: bool | None
) -> None:
    """Nobody having said anything is not trust."""
    files = {**FILES, ".claude/agents/law.md": LAW}
    async with stage(tmp_path / "ws", files, [Turn(Text("Hello."))], trusted=trusted) as s:
        await s.ask("Hello")
        assert ("Knows the law" in str(s.sent(0)["messages"])) == (trusted is True)
