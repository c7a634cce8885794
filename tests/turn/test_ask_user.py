"""The model asks the user, and keeps a list of its steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glossator.core.events import Todo, TodoChanged, TodoState, ToolFinished
from glossator.core.question import Option, Question, QuestionAnswer
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn

_OPTIONS = [{"label": "v1", "detail": "the old one"}, {"label": "v2"}]


@pytest.mark.parametrize(
    ("answer", "told", "shown"),
    [
        (QuestionAnswer(("v2",)), 'The user chose: "v2".', "v2"),
        (QuestionAnswer(("v1", "v2")), 'The user chose: "v1"; "v2".', "v1; v2"),
        (QuestionAnswer(words="both"), "In the user's words: both", "both"),
        (QuestionAnswer(), "The user gave no answer.", ""),
    ],
)
async def test_the_users_answer_is_the_result(
    tmp_path: Path, answer: QuestionAnswer, told: str, shown: str
) -> None:
    call = ToolUse("AskUser", {"question": "Which?", "options": _OPTIONS, "several": True}, "a")
    async with stage(tmp_path, {}, [Turn(call), Turn(Text("Done."))]) as s:
        s.port.answers.append(answer)
        await s.ask("?")
        assert s.port.questions == [
            Question("Which?", (Option("v1", "the old one"), Option("v2")), True)
        ]
        assert s.results(1)["a"]["content"].startswith(told)
        assert [each.answer for each in s.port.of(ToolFinished)] == [shown]


async def test_steps_are_shown_when_they_change(tmp_path: Path) -> None:
    steps: list[dict[str, Any]] = [{"text": "Look", "state": "active"}, {"text": "Write"}]
    two_active = [{"text": "x", "state": "active"}, {"text": "y", "state": "active"}]
    script = [
        Turn(ToolUse("Todo", {"steps": steps}, "a")),
        Turn(ToolUse("Todo", {"steps": steps}, "b"), ToolUse("Todo", {"steps": two_active}, "c")),
        Turn(ToolUse("Todo", {"steps": []}, "d")),
        Turn(Text("Done.")),
    ]
    async with stage(tmp_path, {}, script) as s:
        await s.ask("?")
        assert s.port.of(TodoChanged) == [
            TodoChanged((Todo("Look", TodoState.ACTIVE), Todo("Write", TodoState.PENDING))),
            TodoChanged(()),
        ]
        session = s.app.sessions.loaded()[0]
        assert session.kept("todo") == [[["Look", "active"], ["Write", "pending"]], []]
        assert s.results(1)["a"]["content"] == "Noted: 1 pending, 1 active."
        assert "only one step can be active" in s.results(2)["c"]["content"]
        assert s.results(3)["d"]["content"] == "The list is empty now."


async def test_a_tick_needs_only_the_number_of_a_step(tmp_path: Path) -> None:
    steps = [{"text": "Look", "state": "active"}, {"text": "Write"}, {"text": "Check"}]
    script = [
        Turn(ToolUse("Todo", {"steps": steps})),
        Turn(ToolUse("Todo", {"done": [1], "active": 2})),
        Turn(ToolUse("Todo", {"active": 3})),
        Turn(ToolUse("Todo", {"done": [4]}, "wrong")),
        Turn(Text("Done.")),
    ]
    async with stage(tmp_path, {}, script) as s:
        await s.ask("?")
        assert [[step.state.value for step in each.steps] for each in s.port.of(TodoChanged)] == [
            ["active", "pending", "pending"],
            ["done", "active", "pending"],
            ["done", "pending", "active"],
        ]
        assert s.results(4)["wrong"]["content"].startswith("There is no step 4; the list has 3.")
