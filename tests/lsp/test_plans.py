"""An editor that knows nothing of ours shows a plan, then asks whether to start it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp.support.desk import PLAIN, acting, pressing
from tests.lsp.test_reviewing import answer
from tests.standin import Text, ToolUse, Turn
from tests.turn.plan.planned import ANSWER, FILES, FOUR, QUESTION, Cast, cites, unclear

_SHOW, _MESSAGE = "window/showMessageRequest", "window/showMessage"
_PLAN = [
    Turn(ToolUse("Read", {"path": "calc.py"}, "read")),
    Turn(Text("## Plan\n\n1. Add in `calc.py`.")),
]
_EDIT = ToolUse("Edit", {"path": "calc.py", "old_text": "a - b", "new_text": "a + b"}, "edit")


@pytest.fixture(autouse=True)
def _calc(tmp_path: Path) -> None:
    (tmp_path / "calc.py").write_text("a - b\n")


async def test_it_is_started_in_the_mode_of_a_button(tmp_path: Path) -> None:
    script = [*_PLAN, Turn(_EDIT), Turn(Text("Done."))]
    async with acting(tmp_path, script, PLAIN, mode="plan", events=False) as a:
        uri = a.desk.open(tmp_path / "calc.py")
        a.editor.answers[_SHOW] = pressing("Start in Accept edits")
        command = a.ask()
        shown = await a.editor.told(_MESSAGE, "Answer: ")
        assert (await a.editor.result(command))["stop"] == "planned"
        await a.editor.until(
            lambda message: (
                message.get("method") == _MESSAGE and message["params"] != shown["params"]
            )
        )
        assert a.desk.texts[uri] == "a + b\n"
        first, sure = ([each["title"] for each in box["actions"]] for box in a.editor.sent(_SHOW))
        assert first == [
            "No, leave it",
            "Start in Ask…",
            "Start in Accept edits…",
            "Start in Auto…",
        ]
        assert sure == ["No, leave it", "Start in Accept edits", "Back to the question"]


async def test_it_is_left(tmp_path: Path) -> None:
    async with acting(tmp_path, _PLAN, PLAIN, mode="plan", events=False) as a:
        command = a.ask()
        await answer(a, _SHOW, {"result": None})
        assert (await a.editor.result(command))["stop"] == "planned"
        status = await a.editor.result(a.editor.command("glossator.status"))
        assert (status["mode"], status["runs"]) == ("plan", [])


async def test_a_client_with_events_offers_it_itself(tmp_path: Path) -> None:
    async with acting(tmp_path, _PLAN, PLAIN, mode="plan") as a:
        assert (await a.asked())["stop"] == "planned"
        assert a.editor.sent(_SHOW) == []


async def test_the_tasks_of_a_hard_question_and_what_is_meant_by_it(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    tasks = {
        "fetch have?": cites("client.py"),
        "save have?": cites("store.py"),
        "in common": cites("client.py"),
        "run?": cites("shell.py"),
    }
    what = unclear("Which limits?", "Of time", "Of number")
    cast = Cast(ANSWER, decomposer=(what, FOUR), tasks=tasks)
    async with acting(tmp_path, cast, PLAIN, events=False) as a:
        arguments = {"question": QUESTION, "plan": "plan"}
        command = a.editor.command("glossator.ask", arguments, token="bar")
        params = await answer(a, _SHOW, {"result": {"title": "Of number"}})
        assert "Which limits?" in params["message"]
        labels = [each["title"] for each in params["actions"]]
        assert labels == [
            "No answer",
            "Of time",
            "Of number",
        ]
        await a.editor.result(command)
        assert a.editor.sent("glossator/event") == []
        values = [each["value"] for each in a.editor.sent("$/progress")]
        said = [each["message"] for each in values if "message" in each]
        for words in (
            "Asking you… Which limits?",
            "0 of 4 tasks done",
            "Writing the answer… · 4 of 4 tasks done",
        ):
            assert words in said, said
        last = (
            "What do the limits of fetch and save have in common?"  # begins when two tasks are done
        )
        ends = (f"{last} · 2 of 4 tasks done", f"{last} · 3 of 4 tasks done")
        assert any(each.endswith(ends) for each in said), said  # others may be at work beside it
