"""Hooks in the terminal."""

from __future__ import annotations

from glossator.core.hook_answers import HookList
from glossator.core.wire import from_wire
from tests.cli.drawing import drawn

HOOK = {
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
    other = {"name": "stop", "command": "a\u202e", "source": "project", "state": "proposed"}
    hooks = [HOOK, {**HOOK, **other, "why": "Not run.", "path": "/ws/a.json"}]
    answer = from_wire(HookList, {"hooks": hooks, "problems": ["a.json was not read."]})
    seen = drawn(lambda renderer: renderer.answer(answer))
    words = " ".join(seen.split())
    assert "on beforeTool(Bash) check yours Runs before" in words
    assert "not run stop a\\u202e the project's Not run." in words
    assert "a.json was not read." in words


def test_where_there_is_none() -> None:
    answer = from_wire(HookList, {"hooks": [], "problems": []})
    assert "No hooks are set" in drawn(lambda renderer: renderer.answer(answer))
