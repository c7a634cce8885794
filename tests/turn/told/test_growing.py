"""All that comes into a conversation while it goes on: what was sent stays, to the byte."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.adoptions import AdoptMcpServerRequest, adopt_mcp_server
from glossator.commands.sessions import CompactRequest, compact_session
from glossator.core.attached import EditorState
from glossator.core.question import QuestionAnswer
from glossator.core.uri import to_uri
from tests.customizations.files import described
from tests.mcp.hubs import odd
from tests.memory.remembering import by_hand
from tests.sandboxed import SANDBOXED
from tests.sessions.compaction.compacting import MUSING, is_asked_for_a_summary, summary_turn
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn
from tests.turn.test_hooking import specific
from tests.turn.test_prefix import texts_of
from tests.turn.told.test_git_mentions import repository
from tests.turn.told.test_opening import LAW
from tests.turn.told.test_recall import MONEY, TESTS, chosen, is_recall, late

__all__ = ["chosen"]  # a fixture

FILES = {
    "AGENTS.md": "Use tabs.\n",
    "deep/AGENTS.md": "Deep: use blanks.\n",
    "deep/er/a.py": "a = 1\n",
    "other/CLAUDE.md": "Other: use no blanks.\n",
    "other/b.py": "b = 1\n",
    ".claude/skills/pdf/SKILL.md": described("pdf", "Reads PDF.", "Open it, page by page."),
    ".claude/agents/law.md": LAW,
}
HOOKS = {
    "sessionStart": [{"command": 'grep -o \'"source": "[a-z]*"\''}],
    "promptSubmit": [{"command": specific(additionalContext="Ada is on call.")}],
    "afterTool": [{"command": specific(additionalContext="Linted.")}],
}
SETTINGS: dict[str, Any] = {"hooks": HOOKS, "permissions": {"allow": ["mcp__late", "Skill"]}}

MAIN = [
    Turn(ToolUse("Read", {"path": "deep/er/a.py"})),
    Turn(MUSING, ToolUse("Skill", {"name": "pdf"})),
    Turn(MUSING, Text("With make check.")),
    Turn(ToolUse("McpCall", {"tool": "mcp__late__echo", "arguments": {}})),
    Turn(Text("It is fine.")),
    Turn(Text("So it is.")),
    Turn(ToolUse("Read", {"path": "other/b.py"})),
    Turn(Text("Read.")),
]
ARRIVES = {  # in which request each thing stands first
    '"source": "startup"': 0,
    "Ada is on call.": 0,
    "- pdf: Reads PDF.": 0,
    "- law: Knows the law.": 0,
    "Not pytest alone.": 0,
    "Never floats.": 1,
    "Deep: use blanks.": 1,
    "Linted.": 1,
    "Open it, page by page.": 2,
    "+old = 2": 3,
    "The server late has 18 tools": 3,
    "From the MCP server late.": 4,
    "Active: deep/er/a.py": 5,
    "Other: use no blanks.": 7,
    '"source": "resume"': 8,
}


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with memories about it, and a server that it proposes."""
    root = tmp_path / "ws"
    repository(root)
    by_hand(root, "tests.md", TESTS)
    by_hand("", "money.md", MONEY)
    servers = {"mcpServers": {"late": odd(tmp_path / "notes")}}
    (root / ".mcp.json").write_text(json.dumps(servers), "utf-8")
    return root


@SANDBOXED
async def test_a_conversation_only_grows(root: Path, chosen: asyncio.Event) -> None:
    """Over hooks, recall, instructions, git, a skill, a server, the editor, a compaction, a resume.

    A compaction begins the messages again, with the same system prompt and tools.
    """
    play = late(chosen, *MAIN)

    def script(body: Mapping[str, Any]) -> Turn:
        return summary_turn() if is_asked_for_a_summary(dict(body)) else play(body)

    async with stage(root, FILES, script, SETTINGS) as s:
        session = (await s.ask("How do I run the tests?")).session_id
        s.port.answers = [QuestionAnswer(("Adopt it",))]
        await adopt_mcp_server(s.app, AdoptMcpServerRequest("late"))
        await s.ask("Review @git:diff", session_id=session)
        s.app.editor_state = EditorState(to_uri(str(root / "deep/er/a.py")))
        await s.ask("And this?", session_id=session)
        await compact_session(s.app, CompactRequest(session))
        await s.ask("Read the other", session_id=session)
        bodies = main_bodies(s)
    async with stage(root, FILES, play_again, SETTINGS) as s:
        await s.ask("Where were we?", session_id=session)
        bodies += main_bodies(s)
    (compaction,) = [n for n, body in enumerate(bodies) if is_asked_for_a_summary(body)]
    prompts = {texts_of(body)[:2] for body in bodies}
    assert len(prompts) == 1
    for part in (bodies[: compaction + 1], bodies[compaction + 1 :]):
        for before, after in pairwise(texts_of(body)[2] for body in part):
            assert after.startswith(before)
    del bodies[compaction]
    assert {text: first_with(text, bodies) for text in ARRIVES} == ARRIVES


def play_again(body: Mapping[str, Any]) -> Turn:
    """The second server's model."""
    return Turn(Text("none" if is_recall(body) else "At the other."))


def main_bodies(s: Stage) -> list[dict[str, Any]]:
    """The requests of the conversation, also for its summary."""
    return [each.body for each in s.api.requests if not is_recall(each.body)]


def first_with(text: str, bodies: list[dict[str, Any]]) -> int | None:
    """The number of the first request in whose messages a text stands."""
    said = [str(body["messages"]) for body in bodies]
    return next((number for number, each in enumerate(said) if text in each), None)
