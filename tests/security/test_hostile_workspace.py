"""A repository that tries all that files can bring, at once: before it is trusted, and after.

Each kind has tests of its own for its details; here all stand side by side, in whole conversations.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from glossator.commands.adoptions import (
    ListHooksRequest,
    ListMcpServersRequest,
    list_hooks,
    list_mcp_servers,
)
from glossator.commands.context_sources import ListCustomizationsRequest, list_customizations
from glossator.core.events import Notice
from glossator.core.permission import Mode
from tests.sandboxed import SANDBOXED
from tests.security.evil_workspace import HELLO, SECRET, TRIES, Scene, evil, made
from tests.stage import Stage, stage
from tests.standin import Text, Turn


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    return made(tmp_path, monkeypatch)


@asynccontextmanager
async def opened(scene: Scene, *turns: Turn, trusted: bool | None) -> AsyncIterator[Stage]:
    """The repository; whatever comes of it, nothing ran and no secret was sent."""
    async with stage(scene.root, scene.files(), turns, trusted=trusted, home=scene.home) as s:
        yield s
        await s.app.mcp.settled()
        sent = json.dumps([each.body for each in s.api.requests], ensure_ascii=False)
    assert not scene.ran.exists()
    assert not (scene.root / "ran").exists()
    assert SECRET not in sent
    assert "test-key" not in sent
    assert not set("\x1b\u202e\u200b") & set(sent)
    assert {s.app.acting.modes.of(), *s.app.acting.modes.known.values()} == {Mode.ASK}


def notices(s: Stage) -> list[str]:
    return [each.message for each in s.port.of(Notice)]


async def states(s: Stage) -> set[str]:
    """The states of all that would run a program."""
    hooks = (await list_hooks(s.app, ListHooksRequest())).hooks
    servers = (await list_mcp_servers(s.app, ListMcpServersRequest())).servers
    found = [*(each.state for each in hooks), *(each.state for each in servers)]
    assert len(found) == 7
    return set(map(str, found))


@pytest.mark.parametrize(("trusted", "asked"), [(None, ["Write"]), (False, [])])
async def test_before_trust(scene: Scene, asked: list[str], *, trusted: bool | None) -> None:
    """Nothing is obeyed, started or sent, and the user is told once what was left out."""
    async with opened(scene, TRIES, HELLO, HELLO, trusted=trusted) as s:
        session = (await s.ask("/evil-command Hello")).session_id
        await s.ask("/explain Hello", session_id=session)
        assert [evil(s.sent(number)) for number in range(3)] == [set()] * 3
        assert "EVIL" not in str(s.api.requests[-1].body)
        assert s.said(0)[-1]["text"] == "/evil-command Hello"
        failed = {name for name, each in s.results(1).items() if each.get("is_error")}
        assert failed == {name for name in s.results(1) if name != "toolu_read"}
        assert [each.tool for each in s.port.permissions] == asked
        assert s.port.questions == []
        typed, left_out = notices(s)
        assert typed.startswith("/evil-command is sent as you typed it. The folder is not trusted.")
        assert left_out.startswith(
            "Left out, because this workspace is not trusted: AGENTS.md, CLAUDE.md,"
            " .claude/CLAUDE.md, 1 sub-agent, 3 skills, 2 slash commands, 3 MCP servers, 4 hooks."
        )
        assert await states(s) <= {"untrusted", "proposed"}
        listed = await list_customizations(s.app, ListCustomizationsRequest())
        assert {str(each.state) for each in listed.items} == {"untrusted"}


@SANDBOXED
async def test_once_it_is_trusted(scene: Scene) -> None:
    """Its sentences are the project's; they permit nothing, start nothing and lead nowhere."""
    scout = Turn(Text("## Open\n\n- Nothing."))
    async with opened(scene, TRIES, scout, HELLO, HELLO, trusted=True) as s:
        session = (await s.ask("/evil-command Hello")).session_id
        await s.ask("/explain Hello", session_id=session)
        first, explored, second, third = (each.body for each in s.api.requests)

        # what it says stands in tags that it cannot end, below the name of whose it is
        *_, command, typed = first["messages"][0]["content"]
        assert typed["text"] == "/evil-command Hello"
        assert "from a file of the project in this workspace" in command["text"]
        assert command["text"].endswith("\n</material->")
        assert "AGENTS.md, of the project:\n<material->\n@~/.ssh/id" in first["system"][1]["text"]
        told = s.results(2)
        assert "of the project in this workspace" in told["toolu_skill"]["content"]
        assert (
            "deep/AGENTS.md, of the project:\n<material->"
            in second["messages"][-1]["content"][-1]["text"]
        )
        assert "A file of the project in this workspace" in explored["system"][-1]["text"]
        assert evil(first["system"][0]) == evil(first["tools"]) == set()
        assert evil(first) == {"ROOT", "HUGE", "COMMAND"}
        assert evil(third) == {"ROOT", "HUGE", "COMMAND", "SKILL", "DEEP"}
        assert evil(explored) == {"AGENT"}
        assert third["messages"][-1]["content"][-1]["text"] == "/explain Hello"

        # it permits nothing, and leads nowhere
        assert [each["name"] for each in explored["tools"]] == ["Read"]
        assert [each.tool for each in s.port.permissions] == ["Write"]
        assert s.port.questions == []
        failed = {name for name, each in told.items() if each.get("is_error")}
        assert failed == {"toolu_link", "toolu_outside", "toolu_write", "toolu_mcp"}
        assert not (scene.root / "new.txt").exists()

        # the user knows what was left out
        instructed, not_run, not_attached, *not_adopted = notices(s)
        for name in ("~/.ssh/id", "docs/link.md", "CLAUDE.md is outside", "cut by 876,"):
            assert instructed.count(name) == 1
        assert "they were not run: `touch" in not_run
        assert not_attached.startswith("Not attached: @../home/.ssh/id (")
        (waiting,) = not_adopted
        assert waiting == (
            "Nothing of this runs until you adopt it: 3 MCP servers, 4 hooks of this workspace."
            " `glossator mcp` and `glossator hooks` list them."
        )
        assert await states(s) == {"proposed"}
        listed = await list_customizations(s.app, ListCustomizationsRequest())
        assert {each.name: str(each.state) for each in listed.items} == {
            "evil": "on",
            "bash": "problem",
            "keys": "problem",
            "evil-command": "on",
            "explain": "on",
        }
