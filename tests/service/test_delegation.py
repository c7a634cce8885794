"""Sub-agents: what they are given, what they may do, and what the conversation gets of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from glossator.core.events import AgentFinished, AgentProgress, AgentStarted, ToolFinished
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn

FILES = {
    "app.py": "def greet(name):\n    return f'Hello {name}'\n",
    "shop.py": "def price(net):\n    return net * 2\n",
}
FAST = "claude-haiku-5-5"
Body = dict[str, Any]


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def replies(body: Body) -> int:
    """How many replies a request holds."""
    return sum(message["role"] == "assistant" for message in body["messages"])


def last_words(body: Body) -> str:
    """The texts of the last message."""
    return "\n".join(b["text"] for b in body["messages"][-1]["content"] if b["type"] == "text")


def is_explore(body: Body) -> bool:
    return bool(body["model"] == FAST)


def is_fork(body: Body) -> bool:
    texts = (b.get("text", "") for m in body["messages"] for b in m["content"])
    return any(text.startswith("You are a fork") for text in texts)


class Players:
    """Scripts by who asks: the conversation, explores by their task, forks by theirs."""

    def __init__(self, main: list[Turn], **others: list[Turn]) -> None:
        self.main, self.others = main, others
        self.asked: dict[str, list[Body]] = {}

    def __call__(self, body: Body) -> Turn:
        who = self.who(body)
        turns = self.main if who == "main" else self.others[who]
        self.asked.setdefault(who, []).append(body)
        return turns[len(self.asked[who]) - 1]

    def who(self, body: Body) -> str:
        if not is_explore(body) and not is_fork(body):
            return "main"
        told = json.dumps(body["messages"])
        return next(name for name in self.others if f"TASK {name}" in told)


def explore(name: str, **more: Any) -> ToolUse:
    return ToolUse("Explore", {"task": f"TASK {name}", **more})


def fork(name: str) -> ToolUse:
    return ToolUse("Fork", {"task": f"TASK {name}"})


READ = ToolUse("Read", {"path": "app.py"})
FOUND = "- It greets by name. [cite: doc, app.py, L1-L2]\n\n## Open\n\n- Who calls it."
ANSWER = Turn(Text("It greets [cite: doc, app.py, L2]."))


def told(s: Stage, body: Body) -> list[Body]:
    """The results in the last message of a request."""
    return [part for part in body["messages"][-1]["content"] if part["type"] == "tool_result"]


async def test_only_the_report_comes_back_and_may_be_cited(tmp_path: Path) -> None:
    players = Players([Turn(explore("a")), ANSWER], a=[Turn(READ), Turn(Text(FOUND))])
    async with stage(tmp_path / "ws", FILES, players) as s:
        answer = await s.ask("What does it do?")
        assert [each.status for each in answer.citations] == ["verified"]
        (result,) = told(s, players.asked["main"][1])
        assert result["content"] == (
            "- It greets by name. [cite: doc, app.py, L1-L2]\n\nOpen:\n\n- Who calls it.\n\n"
            'Searched: Read path="app.py" (2 lines)'
        )
        (started,) = s.port.of(AgentStarted)
        (progress,) = s.port.of(AgentProgress)
        (finished,) = s.port.of(AgentFinished)
        (tool,) = s.port.of(ToolFinished)
        assert (started.name, started.task, started.model) == ("Explore", "TASK a", FAST)
        assert started.call_id == tool.call_id
        assert (progress.tool, progress.detail) == ("Read", 'path="app.py"')
        assert {each.agent_id for each in (progress, finished)} == {started.agent_id}
        assert (finished.partial, finished.error, finished.tool_calls) == ("", False, 1)
        assert [each.status for each in finished.citations] == ["verified"]
        assert tool.summary == "1 finding"
