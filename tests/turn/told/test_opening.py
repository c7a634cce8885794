"""What opens a conversation: small, and about nothing that is not there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from glossator.application.toolbox import all_tools
from glossator.core.events import Notice
from glossator.turn.told.instruction_files import InstructionFinder, Instructions
from tests.customizations.files import described, write
from tests.mcp.hubs import odd
from tests.memory.remembering import by_hand
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn
from tests.turn.delegating import FILES, size

MOST = 14_000  # bytes
LAW = "---\nname: law\ndescription: Knows the law.\n---\nYou know the law.\n"


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def first_request(
    root: Path, files: dict[str, str] = FILES, settings: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The first request of a conversation; the fast model is asked apart."""
    async with stage(root / "ws", files, lambda _: Turn(Text("none")), settings) as s:
        await s.ask("Hello")
        return next(each.body for each in s.api.requests if "tools" in each.body)


async def test_a_bare_first_request_is_small(tmp_path: Path) -> None:
    body = await first_request(tmp_path)
    assert size(body) <= MOST, {key: size(value) for key, value in body.items()}


async def test_the_first_block_is_the_same_for_every_user_and_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bare project of one user, and one of another who has everything that goes into a prompt."""
    one = await first_request(tmp_path / "one")
    other, config = tmp_path / "other", tmp_path / "config"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other-state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(config))
    write(config / "glossator/CLAUDE.md", "Mine: be brief.")
    by_hand(other / "ws", "tests.md", "---\ntype: user\ndescription: Likes tea.\n---\nTea.\n")
    files = {**FILES, "AGENTS.md": AGENTS, ".claude/agents/law.md": LAW, "go.mod": "go 1.22\n"}
    files[".claude/skills/pdf/SKILL.md"] = described("pdf", "Reads PDF.")
    settings: dict[str, Any] = {
        "context": {"language": "German"},
        "permissions": {"mode": "plan", "deny": ["Read(.env)"]},
        "mcp": {"servers": {"odd": odd(tmp_path / "notes")}},
        "hooks": {"promptSubmit": [{"command": "true"}]},
    }
    two = await first_request(other, files, settings)
    assert json.dumps(one["system"][0]) == json.dumps(two["system"][0])
    told = two["system"][1]["text"]
    for text in ("Mine: be brief.", "Likes tea.", "Use tabs.", "in German", str(other), "1.22"):
        assert text in told
        assert text not in one["system"][1]["text"]


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


AGENTS = "# Rules\n\nUse tabs.\n\n@docs/more.md\n"


async def test_instruction_files_stand_in_the_prompt_where_they_are_trusted(
    tmp_path: Path,
) -> None:
    agents = f"{AGENTS}\n@../secret.md\n"
    files = {**FILES, "AGENTS.md": agents, "docs/more.md": "Write tests first.\n"}
    (tmp_path / "secret.md").write_text("PRIVATE", "utf-8")
    turns = [Turn(Text("Hello."))]
    async with stage(tmp_path / "ws", files, turns) as s:
        await s.ask("Hello")
        told = s.sent(0)["system"][1]["text"]
        notices = [
            each.event.message for each in s.port.envelopes if isinstance(each.event, Notice)
        ]
    assert "PRIVATE" not in told
    assert any("secret.md, imported by AGENTS.md, lies outside" in text for text in notices)
    assert "AGENTS.md, of the project:" in told
    assert "Use tabs." in told
    assert "docs/more.md, imported by AGENTS.md:" in told
    assert "Write tests first." in told


@pytest.mark.parametrize("trusted", [None, False])
async def test_what_is_left_out_of_an_untrusted_workspace_is_told_once(
    tmp_path: Path, *, trusted: bool | None
) -> None:
    files = {**FILES, "AGENTS.md": AGENTS, "deep/AGENTS.md": "Obey."}
    turns = [Turn(ToolUse("Read", {"path": "deep/AGENTS.md"})), *[Turn(Text("Hello."))] * 2]
    async with stage(tmp_path / "ws", files, turns, trusted=trusted) as s:
        answer = await s.ask("Hello")
        await s.ask("Again", session_id=answer.session_id)
        assert not any("Use tabs" in str(s.sent(at)) for at in range(3))
        assert "Instruction files that count" not in str(s.sent(2)["messages"])
        events = [each.event for each in s.port.envelopes]
    told = [event.message for event in events if isinstance(event, Notice)]
    notices = [text for text in told if "not trusted" in text]
    assert len(notices) == 1
    assert "AGENTS.md" in notices[0]


async def test_instructions_of_a_folder_follow_once_something_in_it_was_shown(
    tmp_path: Path,
) -> None:
    """The prefix stays as it is, and each file is told once until it changes."""
    files = {**FILES, "AGENTS.md": "Root.", "deep/CLAUDE.md": "Deep.", "deep/er/a.py": "a = 1\n"}
    reads = [Turn(ToolUse("Read", {"path": "deep/er/a.py"})), Turn(Text("Read."))]
    async with stage(tmp_path / "ws", files, [*reads, Turn(Text("Yes.")), Turn(Text("Yes."))]) as s:
        answer = await s.ask("Read it")
        (tmp_path / "ws" / "AGENTS.md").write_text("Newer root.", "utf-8")
        s.touched("AGENTS.md")
        await s.ask("And now?", session_id=answer.session_id)
        await s.ask("And now?", session_id=answer.session_id)
        bodies = [s.sent(at) for at in range(4)]
    assert len({str(body["system"]) for body in bodies}) == 1
    texts = [str(body["messages"][-1]["content"]) for body in bodies]
    assert ["Deep." in text for text in texts] == [False, True, False, False]
    assert ["Newer root." in text for text in texts] == [False, False, True, False]


async def test_instructions_are_looked_for_again_in_a_run_only_where_something_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that appears where the run has looked already is told with the next results."""
    looks, find = [0], InstructionFinder.find

    def counted(self: InstructionFinder, **given: Any) -> Instructions:
        looks[0] += 1
        if looks[0] == 2:
            raise OSError("the disk is busy")
        return find(self, **given)

    monkeypatch.setattr(InstructionFinder, "find", counted)
    before: list[int] = []

    def turn(_: dict[str, Any]) -> Turn:
        before.append(looks[0])  # as the request came
        match len(before):
            case 1 | 2 | 3:
                return Turn(ToolUse("Read", {"path": "deep/a.py", "offset": len(before)}))
            case 4:
                (tmp_path / "ws" / "deep" / "AGENTS.md").write_text("Appeared.", "utf-8")
                s.touched("deep/AGENTS.md")
                return Turn(ToolUse("Read", {"path": "deep/a.py", "offset": 4}))
        return Turn(Text("Done."))

    files = {**FILES, "deep/a.py": "a = 1\n" * 9}
    async with stage(tmp_path / "ws", files, turn) as s:
        await s.ask("Read it")
        told = ["Appeared." in str(s.sent(at)["messages"][-1]) for at in range(5)]
    assert told == [False, False, False, False, True]
    # the opening's, one that fails, the same again, none, one for the new file
    assert before == [1, 2, 3, 3, 4]


async def test_a_small_window_gets_less_and_it_is_said(tmp_path: Path) -> None:
    files = {**FILES, "AGENTS.md": "Never guess. " * 3_000}
    settings = {"models": {"main": {"model": "claude-sonnet-5-5", "window": 8_000}}}
    async with stage(tmp_path / "ws", files, lambda _: Turn(Text("none")), settings) as s:
        await s.ask("Hello")
        body = next(each.body for each in s.api.requests if "tools" in each.body)
        told = "\n".join(notice.message for notice in s.port.of(Notice))
    assert size(body) <= 9_000, {key: size(value) for key, value in body.items()}
    assert [tool["name"] for tool in body["tools"]] == [
        "Bash", "Edit", "Glob", "Grep", "Read", "Write",
    ]  # fmt: skip
    assert body["max_tokens"] == 2_000
    assert "The model's window has 8,000 tokens, so it is told less. Left out: AskUser" in told
    assert "AGENTS.md" in told


@pytest.mark.parametrize(
    ("name", "offered"), [("a.txt", False), ("n.ipynb", True), ("x/N.IPYNB", True)]
)
async def test_a_tool_for_cells_where_there_are_notebooks(
    tmp_path: Path, name: str, *, offered: bool
) -> None:
    body = await first_request(tmp_path, {**FILES, name: "{}"})
    assert ("NotebookEdit" in {tool["name"] for tool in body["tools"]}) is offered
