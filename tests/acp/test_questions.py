"""Questions of the model: by a form where the client shows forms, else as a choice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from acp import schema

from glossator.acp.port import answer_of
from glossator.core.question import Option, Question, QuestionAnswer
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
    ("fills", "chosen", "words"),
    [
        ({"choice": "two"}, ("two",), ""),
        ({"choice": "two", "words": " Only today. "}, ("two",), "Only today."),
        ({"words": "Neither, please"}, (), "Neither, please"),
        ({"choice": "three", "words": "", "other": 7}, (), ""),
        ({"choice": ["one", "two"]}, ("one",), ""),
        ({"choice": True, "words": 5}, (), ""),
    ],
)
def test_a_form_is_answered(fills: dict[str, Any], chosen: tuple[str, ...], words: str) -> None:
    question = Question("Which?", (Option("one", "The first"), Option("two")))
    filled = schema.AcceptElicitationResponse(action="accept", content=fills)
    assert answer_of(question, filled) == QuestionAnswer(chosen, words)
    declined = schema.DeclineElicitationResponse(action="decline")
    assert answer_of(question, declined) == QuestionAnswer()


async def test_several_are_chosen_in_a_form(tmp_path: Path) -> None:
    async with conversation(tmp_path, {}, [asks(several=True), DONE], forms=True) as c:
        c.editor.fills = {"choice": ["two", "one", "two"]}
        assert (await c.ask("Choose")).stop_reason == "end_turn"
        ((message, form),) = c.editor.forms
        assert message == "Which?"
        assert (form.session_id, form.tool_call_id) == (c.session_id, "toolu_q")
        assert c.editor.asked == []
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
