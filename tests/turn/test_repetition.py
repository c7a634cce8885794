"""What changed since makes a call new; true circles are warned of once, and then ended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glossator.core.permission import Choice, PermissionAnswer
from tests.sandboxed import SANDBOXED
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn
from tests.turn.test_loop import FILES

AUTO = {"permissions": {"mode": "auto"}}
DONE = Turn(Text("Done."))
RUN = ToolUse("Bash", {"command": "python3 main.py"})


def edit(n: int) -> ToolUse:
    old, new = f"hello{'!' * n} ", f"hello{'!' * (n + 1)} "
    return ToolUse("Edit", {"path": "app.py", "old_text": old, "new_text": new})


def results(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for part in body["messages"][-1]["content"] if part["type"] == "tool_result"]


def is_last(body: dict[str, Any]) -> bool:
    """Whether the model is asked for its last word."""
    return "This run is ending" in body["messages"][-1]["content"][-1].get("text", "")


@SANDBOXED
@pytest.mark.parametrize("together", [False, True])
async def test_editing_and_testing_goes_on_to_its_end(tmp_path: Path, *, together: bool) -> None:
    work = [(edit(n), RUN) for n in range(6)]
    calls = work if together else [(call,) for pair in work for call in pair]
    script = [Turn(ToolUse("Read", {"path": "app.py"})), *(Turn(*each) for each in calls), DONE]
    async with stage(tmp_path, FILES, script, AUTO) as s:
        answer = await s.ask("Make it louder, and test it.")
        assert (answer.stop, answer.text) == ("answered", "Done.")
        told = [each for request in s.api.requests[2:] for each in results(request.body)]
        assert len(told) == 12
        assert not any(each.get("is_error") for each in told), told
        assert "hello!!!!!! you" in told[-1]["content"]


@SANDBOXED
async def test_a_job_is_looked_at_until_it_ends(tmp_path: Path) -> None:
    command = "while [ ! -e go ]; do sleep 0.05; done"
    begin = ToolUse("Bash", {"command": command, "background": True})
    look = ToolUse("Bash", {"job": "1"})
    go = ToolUse("Bash", {"command": "touch go"})
    end = ToolUse("Bash", {"job": "1", "timeout_seconds": 30})
    script = [Turn(begin), *[Turn(look)] * 8, Turn(go), Turn(end), DONE]
    async with stage(tmp_path, FILES, script, AUTO) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)]
        assert (await s.ask("?")).stop == "answered"
        looks = [results(request.body)[0]["content"] for request in s.api.requests[2:10]]
        assert {look.splitlines()[-1] for look in looks} == {"[still running]"}
        assert "[exit code 0]" in results(s.sent(11))[0]["content"]


async def test_what_changes_on_disk_or_in_the_editor_makes_a_call_new(tmp_path: Path) -> None:
    """Each request comes with another text on the disk."""

    def script(_body: dict[str, Any]) -> Turn:
        n = len(s.api.requests)
        (tmp_path / "app.py").write_text(f"number = {n}\n")
        s.touched("app.py")
        return Turn(ToolUse("Read", {"path": "app.py"})) if n < 8 else DONE

    async with stage(tmp_path, FILES, script) as s:
        assert (await s.ask("?")).stop == "answered"
        assert "number = 7" in results(s.sent(7))[0]["content"]


TOGGLE = [
    ToolUse("Edit", {"path": "app.py", "old_text": "hello", "new_text": "hi"}),
    ToolUse("Edit", {"path": "app.py", "old_text": "hi", "new_text": "hello"}),
]
STEP = ToolUse("Bash", {"command": "echo >> steps.txt"})


@SANDBOXED
@pytest.mark.parametrize(
    "work",
    [
        pytest.param([(TOGGLE[n % 2], RUN) for n in range(8)], id="to and fro"),
        pytest.param([(STEP, ToolUse("Read", {"path": "main.py"}))] * 8, id="a silent command"),
    ],
)
async def test_what_the_model_changes_makes_a_call_new(
    tmp_path: Path, work: list[tuple[ToolUse, ToolUse]]
) -> None:
    """Also if the change is told in the same words each time, or not at all."""
    script = [Turn(ToolUse("Read", {"path": "app.py"})), *(Turn(c) for pair in work for c in pair)]
    async with stage(tmp_path, FILES, [*script, DONE], AUTO) as s:
        await s.app.ready()
        assert (await s.ask("?")).stop == "answered"
        told = [each for request in s.api.requests[2:] for each in results(request.body)]
        assert len(told) == 16
        assert not any(each.get("is_error") for each in told), told


@SANDBOXED
async def test_commands_may_wait_for_a_job(tmp_path: Path) -> None:
    """What only reads may not: it would show nothing else."""
    begin = ToolUse(
        "Bash", {"command": "while [ ! -e go ]; do sleep 0.05; done", "background": True}
    )
    look, go = ToolUse("Bash", {"command": "ls"}), ToolUse("Bash", {"command": "touch go"})
    read = ToolUse("Read", {"path": "app.py"})
    script = [Turn(begin), *[Turn(look)] * 8, *[Turn(read)] * 3, Turn(go), DONE]
    async with stage(tmp_path, FILES, script, AUTO) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)]
        assert (await s.ask("?")).stop == "answered"
        looks = [results(request.body)[0] for request in s.api.requests[2:10]]
        assert not any(look.get("is_error") for look in looks), looks
        assert "Not run" in results(s.sent(12))[0]["content"]


CIRCLES = {
    "reading": [ToolUse("Read", {"path": "app.py"})],
    "commands": [ToolUse("Bash", {"command": "ls"}), ToolUse("Bash", {"command": "cat app.py"})],
    "a command and a look": [
        ToolUse("Bash", {"command": "python3 -B main.py"}),
        ToolUse("Grep", {"pattern": "greet"}),
    ],
    "a command that says something else": [ToolUse("Bash", {"command": "date +%N"})],
    "an edit that fails": [edit(3), ToolUse("Bash", {"command": "python3 -B main.py"})],
}


@pytest.mark.parametrize("circle", CIRCLES)
async def test_a_circle_is_warned_of_and_then_ended(tmp_path: Path, circle: str) -> None:
    turns = 0

    def script(body: dict[str, Any]) -> Turn:
        nonlocal turns
        turns += 1
        calls = CIRCLES[circle]
        return DONE if is_last(body) else Turn(calls[turns % len(calls)])

    async with stage(tmp_path, FILES, script, AUTO) as s:
        await s.app.ready()
        answer = await s.ask("?")
        assert (answer.stop, answer.text) == ("repetition", "Done.")
        told = [each["content"] for r in s.api.requests[1:] for each in results(r.body)]
        told, (warned, ended) = told[:-2], told[-2:]
        assert warned.startswith("Not run again: the same call was made 3 times, and nothing")
        assert "the next repetition ends the run" in warned
        assert ended.startswith("Not run: the same call was made 3 times")
        assert not any("Not run" in each for each in told)
        assert turns <= 3 * len(CIRCLES[circle]) + 2


async def test_after_the_warning_it_may_go_on_otherwise(tmp_path: Path) -> None:
    read, other = ToolUse("Read", {"path": "app.py"}), ToolUse("Read", {"path": "main.py"})
    script = [*[Turn(read)] * 2, Turn(read, other), Turn(ToolUse("Glob", {"pattern": "*"})), DONE]
    async with stage(tmp_path, FILES, script) as s:
        await s.app.ready()
        assert (await s.ask("?")).stop == "answered"
        first, second = results(s.sent(3))
        assert first["is_error"]
        assert "from app import greet" in second["content"], "the others of the reply are run"
