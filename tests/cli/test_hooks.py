"""Hooks in the terminal."""

from __future__ import annotations

from glossator.core.wire import from_wire
from glossator.hooks.answers import HookList
from tests.cli.drawing import drawn

HOOK = {
    "id": "612d38e7",
    "name": "beforeTool",
    "matcher": "Bash",
    "command": "check",
    "timeout": 30.0,
    "source": "user",
    "state": "on",
    "why": "",
    "description": "Runs before calls of Bash",
    "path": "",
    "uri": "",
}


def test_how_they_are_listed() -> None:
    other = {
        "id": "28d8b0f8",
        "name": "stop",
        "command": "a\u202e",
        "source": "project",
        "state": "proposed",
    }
    hooks = [HOOK, {**HOOK, **other, "why": "Adopt it.", "path": "/ws/a.json"}]
    answer = from_wire(HookList, {"hooks": hooks, "problems": ["a.json was not read."]})
    seen = drawn(lambda renderer: renderer.answer(answer))
    words = " ".join(seen.split())
    assert words.startswith("on 612d38e7 beforeTool(Bash) check yours: Runs")
    assert "not adopted 28d8b0f8 stop a\\u202e the" in words
    assert "a.json was not read." in words


def test_where_there_is_none() -> None:
    answer = from_wire(HookList, {"hooks": [], "problems": []})
    assert "No hooks are set" in drawn(lambda renderer: renderer.answer(answer))
