"""A run in plan mode ends with a plan, which is started in a mode, changed, or left."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.commands.ask import StartPlanRequest, start_plan
from glossator.commands.sessions import ResumeSessionRequest, resume_session
from glossator.commands.turns import RetryRequest, retry
from glossator.core.errors import UsageError
from glossator.core.events import RunFinished, RunStarted, Todo, TodoChanged, TodoState
from glossator.core.permission import Mode
from glossator.core.plan_text import plan_of, steps_of
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn

_FILES = {"calc.py": "a - b\n"}
_READ = ToolUse("Read", {"path": "calc.py"}, "read")
_EDIT = ToolUse("Edit", {"path": "calc.py", "old_text": "a - b", "new_text": "a + b"}, "edit")
_RUN = ToolUse("Bash", {"command": "touch made"}, "run")
_PLANNED = Turn(Text("It subtracts.\n\n## Plan\n\n1. Add in `calc.py`."))
_PLAN = {"permissions": {"mode": "plan"}}


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.mark.parametrize(
    ("answer", "planned"),
    [
        ("## Plan\n\n1. Do.", True),
        ("Found it.\n\n### Implementation plan\n- Do.", True),
        ("**Plan:**\n1. Do.", True),
        ("# The Plan", True),
        ("## Proposed implementation plan", True),
        ("## 2. Plan for the parser", True),
        ("**Plan**:\n1. Do.", True),
        ("**Plan:** add it.", True),
        ("## Why there is no plan", False),
        ("## How to plan", False),
        ("It plans nothing.", False),
        ("**Plan mode** only reads files. Nothing else.", False),
        ("## Plan mode\n\nIt only reads.", False),
        ("Its README begins:\n\n```md\n## Plan\n```", False),
        ("## Planets\n\nMars.", False),
        ("The `## Plan` section is missing.", False),
    ],
)
def test_what_is_a_plan(answer: str, planned: bool) -> None:
    assert bool(plan_of(answer)) is planned


async def test_a_plan_is_started_in_the_mode_that_was_chosen(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    script = [Turn(_READ), _PLANNED, Turn(_EDIT), Turn(Text("Done."))]
    async with stage(root, _FILES, script, _PLAN) as s:
        planned = await s.ask("Fix it.")
        assert planned.stop == "planned"
        assert s.port.of(RunFinished)[-1].stop == "planned"
        done = await start_plan(s.app, StartPlanRequest(planned.session_id, Mode.ACCEPT_EDITS))
        assert (done.stop, done.session_id) == ("answered", planned.session_id)
        assert s.app.acting.modes.of(planned.session_id) is Mode.ACCEPT_EDITS
        assert s.app.acting.modes.of() is Mode.PLAN
        assert (root / "calc.py").read_text() == "a + b\n"
        mode, question = s.sent(2)["messages"][-1]["content"]
        assert mode["text"].startswith("Mode: acceptEdits.")
        assert (
            question["text"]
            == s.port.of(RunStarted)[-1].question
            == "I accept the plan. Carry it out."
        )
        assert s.port.of(RunStarted)[-1].shown == "Start the plan"


async def test_asked_again_it_is_shown_as_what_was_done(tmp_path: Path) -> None:
    script = [Turn(_READ), _PLANNED, Turn(Text("Done.")), Turn(Text("Done.")), Turn(Text("Yes."))]
    async with stage(tmp_path / "ws", _FILES, script, _PLAN) as s:
        session = (await s.ask("Fix it.")).session_id
        await start_plan(s.app, StartPlanRequest(session, Mode.ACCEPT_EDITS))
        await retry(s.app, RetryRequest(session))
        await retry(s.app, RetryRequest(session, question="Is it fixed?"))
        shown = [each.shown for each in s.port.of(RunStarted)]
        assert shown == ["", "Start the plan", "Start the plan", ""]


_LONG = Turn(
    Text("""It subtracts.

## Plan

1. Add in `calc.py`. [cite: doc, calc.py, L1-L1]
   - not a step of its own
2. **Check** that it [adds](src/calc.py).

```
1. no step
```
""")
)
_STEPS = (
    Todo("Add in calc.py.", TodoState.PENDING),
    Todo("Check that it adds.", TodoState.PENDING),
)


async def test_the_steps_of_a_plan_become_the_list_of_steps(tmp_path: Path) -> None:
    script = [Turn(_READ), _LONG, Turn(_EDIT), Turn(Text("Done."))]
    async with stage(tmp_path / "ws", _FILES, script, _PLAN) as s:
        planned = await s.ask("Fix it.")
        await start_plan(s.app, StartPlanRequest(planned.session_id, Mode.ACCEPT_EDITS))
        assert s.port.of(TodoChanged)[0].steps == _STEPS
        question = s.port.of(RunStarted)[-1].question
        assert question == (
            "I accept the plan. Carry it out."
            " Its steps are on your Todo list now: mark them there by their numbers."
        )
        (session,) = s.app.sessions.loaded()
        assert session.todo.steps == _STEPS


async def test_a_plan_is_started_as_the_user_changed_it(tmp_path: Path) -> None:
    script = [Turn(_READ), _LONG, Turn(_EDIT), Turn(Text("Done."))]
    async with stage(tmp_path / "ws", _FILES, script, _PLAN) as s:
        planned = await s.ask("Fix it.")
        mine = "## Plan\n\n- Add.\n- Write a test."
        request = StartPlanRequest(planned.session_id, Mode.ACCEPT_EDITS, plan=mine)
        await start_plan(s.app, request)
        (*_, question) = s.sent(2)["messages"][-1]["content"]
        assert question["text"].startswith(f"I accept the plan as I changed it:\n\n{mine}\n\n")
        assert [step.text for step in s.port.of(TodoChanged)[0].steps] == ["Add.", "Write a test."]


async def test_a_started_plan_that_is_retried_has_its_steps_again(tmp_path: Path) -> None:
    script = [Turn(_READ), _LONG, Turn(Text("Not yet.")), Turn(_EDIT), Turn(Text("Done."))]
    async with stage(tmp_path / "ws", _FILES, script, _PLAN) as s:
        planned = await s.ask("Fix it.")
        request = StartPlanRequest(planned.session_id, Mode.ACCEPT_EDITS)
        await start_plan(s.app, request)
        await retry(s.app, RetryRequest(planned.session_id))
        assert [each.steps for each in s.port.of(TodoChanged)] == [_STEPS, _STEPS]


@pytest.mark.parametrize(
    ("answer", "plan"),
    [
        ("## Plan\n\n1. Do.\n\n## Risks\n\n- None.", "## Plan\n\n1. Do."),
        ("# Plan\n\n## One\n\n1. Do.\n\n# Notes", "# Plan\n\n## One\n\n1. Do."),
        ("**Plan:**\n1. Do. [cite: doc, a.py, L1-L2]", "**Plan:**\n1. Do. (`a.py:1-2`)"),
        ("No.", ""),
    ],
)
def test_the_text_of_a_plan(answer: str, plan: str) -> None:
    assert plan_of(answer) == plan


def test_the_words_of_steps() -> None:
    plan = "1. Add .env to .gitignore.\n2. Run it (`a.py:3`), then stop.\n   - below"
    assert [step.text for step in steps_of(plan)] == [
        "Add .env to .gitignore.",
        "Run it, then stop.",
    ]


async def test_only_plan_mode_plans(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", _FILES, [_PLANNED]) as s:
        assert (await s.ask("Fix it.")).stop == "answered"


async def test_a_question_in_plan_mode_is_answered(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", _FILES, [Turn(Text("It subtracts."))], _PLAN) as s:
        assert (await s.ask("What does it do?")).stop == "answered"


async def test_a_plan_outlives_its_server(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, _FILES, [Turn(_READ), _PLANNED], _PLAN) as s:
        session_id = (await s.ask("Fix it.")).session_id
    again = ToolUse("Read", {"path": "calc.py"}, "again")
    async with stage(root, {}, [Turn(again), Turn(_EDIT), Turn(Text("Done."))]) as s:
        shown = await resume_session(s.app, ResumeSessionRequest(session_id))
        assert shown.events[-1].event == RunFinished("planned")
        await start_plan(s.app, StartPlanRequest(session_id, Mode.AUTO))
        assert (root / "calc.py").read_text() == "a + b\n"


async def test_a_plan_is_not_started_in_plan_mode(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", _FILES, [_PLANNED], _PLAN) as s:
        session_id = (await s.ask("Fix it.")).session_id
        with pytest.raises(UsageError, match="start in ask, acceptEdits or auto"):
            await start_plan(s.app, StartPlanRequest(session_id, Mode.PLAN))


async def test_a_plan_gives_no_trust(tmp_path: Path) -> None:
    """Where the editor trusts nothing it is not started; elsewhere a command asks for trust."""
    root = tmp_path / "ws"
    async with stage(root, _FILES, [_PLANNED], _PLAN, trusted=False) as s:
        session_id = (await s.ask("Fix it.")).session_id
        with pytest.raises(UsageError, match="not trusted"):
            await start_plan(s.app, StartPlanRequest(session_id, Mode.AUTO))
        assert s.app.acting.modes.of(session_id) is Mode.PLAN
    async with stage(root, {}, [Turn(_RUN), Turn(Text("Not done."))], trusted=None) as s:
        await start_plan(s.app, StartPlanRequest(session_id, Mode.AUTO))
        assert "it is not marked as trusted" in s.results(1)["run"]["content"]
        assert not (root / "made").exists()


async def test_a_session_at_work_keeps_its_mode(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", _FILES, [_PLANNED], _PLAN) as s:
        session_id = (await s.ask("Fix it.")).session_id
        async with s.app.runs.claim(session_id):
            with pytest.raises(UsageError, match="answering"):
                await start_plan(s.app, StartPlanRequest(session_id, Mode.AUTO))
        assert s.app.acting.modes.of(session_id) is Mode.PLAN
