"""Conversations with sub-agents: who asks the stand-in is told by the task, which each repeats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from glossator.core.events import ToolFinished
from tests.stage import Stage
from tests.standin import Text, ToolUse, Turn

FILES = {
    "app.py": "def greet(name):\n    return f'Hello {name}'\n",
    "shop.py": "def price(net):\n    return net * 2\n",
    "notes.md": "# Notes\n\nNothing is sold on Sundays.\n",
}
FAST, MAIN = "claude-haiku-5-5", "claude-sonnet-5-5"
FORK_OPENING = "You are a fork"

Body = dict[str, Any]


class Players:
    """A script for each who asks: the conversation, and its sub-agents by the name of their task.

    `asked` are the requests of each, in order. Told of citations that failed, each keeps to what it
    has said; that is not one of them.
    """

    def __init__(self, main: list[Turn], **others: list[Turn]) -> None:
        self.scripts = {"main": main, **others}
        self.asked: dict[str, list[Body]] = {name: [] for name in self.scripts}

    def __call__(self, body: Body) -> Turn:
        who = self._who(body)
        if not is_correction(body):
            self.asked[who].append(body)
        return self.scripts[who][len(self.asked[who]) - 1]

    def _who(self, body: Body) -> str:
        texts = [
            [block["text"] for block in message["content"] if block["type"] == "text"]
            for message in body["messages"]
        ]
        if body["model"] == FAST:
            task = texts[0][-1]
        else:
            every = (text for part in texts for text in part)
            task = next((text for text in every if text.startswith(FORK_OPENING)), "main")
        return next((name for name in self.scripts if f"TASK {name}" in task), "main")


def is_correction(body: Body) -> bool:
    """Whether the model is told of citations that failed."""
    return any(
        block.get("text", "").startswith("Citations of your answer do not hold")
        for block in body["messages"][-1]["content"]
    )


def explore(name: str, **more: Any) -> ToolUse:
    return ToolUse("Explore", {"task": f"TASK {name}", **more}, id=f"toolu_{name}")


def fork(name: str) -> ToolUse:
    return ToolUse("Fork", {"task": f"TASK {name}"}, id=f"toolu_{name}")


def read(path: str) -> ToolUse:
    return ToolUse("Read", {"path": path})


def report(path: str, words: str = "It is there.") -> Turn:
    return Turn(Text(f"- {words} [cite: doc, {path}, L1-L2]"))


def results(body: Body) -> dict[str, Body]:
    """The tool results in the last message of a request, by tool call id."""
    content = body["messages"][-1]["content"]
    return {part["tool_use_id"]: part for part in content if part["type"] == "tool_result"}


def summaries(s: Stage) -> dict[str, str]:
    """What people read of each tool call, by its id."""
    found: list[ToolFinished] = s.port.of(ToolFinished)
    return {event.call_id: event.summary for event in found}


def size(value: object) -> int:
    """Bytes of JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def contents(root: Path) -> dict[str, bytes]:
    """Every file of a workspace."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
