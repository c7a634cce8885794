"""Questions of the model: by a form where the client shows forms, else as a choice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from acp import schema

from tests.acp.editor import Conversation, conversation
from tests.standin import Text, ToolUse, Turn

DONE = Turn(Text("Done."))
OPTIONS = [{"label": "one", "detail": "The first"}, {"label": "two", "detail": ""}]


def asks(**more: Any) -> Turn:
    question = {"question": "Which?", "options": OPTIONS, **more}
    return Turn(ToolUse("AskUser", question, "toolu_q"))


def told(c: Conversation) -> str:
    return str(c.results(1)["toolu_q"]["content"])


@pytest.mark.parametrize(
    ("fills", "says", "not_said"),
    [
        ({"choice": "two"}, "two", "one"),
        ({"choice": "two", "words": " Only today. "}, "Only today.", "one"),
        ({"words": "Neither, please"}, "Neither, please", "two"),
        ({"choice": "three", "words": "", "other": 7}, "", "three"),
        ({"choice": ["one", "two"]}, "one", "two"),
        ({"choice": True, "words": 5}, "", "True"),
        (None, "", "two"),
    ],
)
async def test_a_form_is_answered(
    tmp_path: Path, fills: dict[str, Any] | None, says: str, not_said: str
) -> None:
    async with conversation(tmp_path, {}, [asks(), DONE], forms=True) as c:
        c.editor.fills = fills
        assert (await c.ask("Choose")).stop_reason == "end_turn"
        ((message, form),) = c.editor.forms
        assert message == "Which?"
        assert form.session_id == c.session_id
        assert form.tool_call_id == "toolu_q"
        assert c.editor.asked == []
        assert says in told(c)
        assert not_said not in told(c)


async def test_several_are_chosen(tmp_path: Path) -> None:
    async with conversation(tmp_path, {}, [asks(several=True), DONE], forms=True) as c:
        c.editor.fills = {"choice": ["two", "one", "two"]}
        await c.ask("Choose")
        assert "two" in told(c)
        assert "one" in told(c)


async def test_what_allows_something_is_no_form(tmp_path: Path) -> None:
    """Trust and permissions are asked by the request that every client has."""
    run = Turn(ToolUse("Bash", {"command": "rm a.py"}, "toolu_b"))
    async with conversation(tmp_path, {"a.py": ""}, [run, DONE], forms=True) as c:
        c.editor.choose = lambda _, options: options[-1].option_id
        c.editor.fills = {"choice": "Trust", "words": "yes"}
        await c.ask("Tidy up")
        assert c.editor.asked
        assert c.editor.forms == []
        assert (tmp_path / "a.py").exists()


async def test_without_forms_it_is_a_choice(tmp_path: Path) -> None:
    async with conversation(tmp_path, {}, [asks(), DONE]) as c:
        c.editor.choose = lambda _, options: options[1].option_id
        await c.ask("Choose")
        ((call, options),) = c.editor.asked
        assert isinstance(call, schema.ToolCallUpdate)
        assert [each.name for each in options] == ["one", "two"]
        assert "two" in told(c)
