"""A run that acts: what it may do in each mode, through whom, and that it can be taken back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glossator.core.edit import EditPlan
from glossator.core.errors import UsageError
from glossator.core.events import EditProposed, EditSettled
from glossator.core.permission import Choice, PermissionAnswer
from glossator.core.ports import Review
from glossator.service.compact import CompactRequest, compact_session
from glossator.service.undo import UndoRequest, undo_turn
from tests.stage import Stage, stage, write_to_disk
from tests.standin import Script, Text, ToolUse, Turn

_FILES = {"calc.py": "def add(a, b):\n    return a - b\n", "test.sh": "grep -q 'a + b' calc.py\n"}
_READ = ToolUse("Read", {"path": "calc.py"}, "read")
_EDIT = ToolUse("Edit", {"path": "calc.py", "old_text": "a - b", "new_text": "a + b"}, "edit")
_TEST = ToolUse("Bash", {"command": "sh test.sh"}, "test")
_FIX: Script = [Turn(_READ), Turn(_EDIT), Turn(_TEST), Turn(Text("Fixed."))]
_ONCE = PermissionAnswer(Choice.ONCE)


def permissions(mode: str, **rules: list[str]) -> dict[str, Any]:
    return {"permissions": {"mode": mode, **rules}}


def text(root: Path) -> str:
    return (root / "calc.py").read_text()


@pytest.mark.parametrize(
    ("mode", "asked", "fixed"),
    [("plan", [], False), ("ask", ["Edit", "Bash"], True), ("acceptEdits", ["Bash"], True)],
)
async def test_fixing_a_test_in_each_mode(
    tmp_path: Path, mode: str, asked: list[str], fixed: bool
) -> None:
    async with stage(tmp_path, _FILES, _FIX, permissions(mode)) as s:
        s.port.permitted = [_ONCE, _ONCE]
        await s.ask("Fix the test.")
        assert [request.tool for request in s.port.permissions] == asked
        assert ("a + b" in text(tmp_path)) is fixed
        if fixed:
            assert s.results(2)["edit"]["content"].startswith("Changed calc.py in 1 place (+1 -1")
            assert "[exit code 0]" in s.results(3)["test"]["content"]
        else:
            assert "Plan mode only reads" in s.results(2)["edit"]["content"]
            assert s.results(3)["test"]["is_error"]


async def test_in_auto_mode_the_sandbox_is_what_is_trusted(tmp_path: Path) -> None:
    async with stage(tmp_path, _FILES, _FIX, permissions("auto")) as s:
        confined = s.app.acting.shell.get((str(tmp_path),)).unconfined is None
        s.port.permitted = [_ONCE]
        await s.ask("Fix the test.")
        assert [request.tool for request in s.port.permissions] == ([] if confined else ["Bash"])
        assert "[exit code 0]" in s.results(3)["test"]["content"]


async def test_what_the_user_denies_is_told(tmp_path: Path) -> None:
    async with stage(tmp_path, _FILES, [Turn(_READ), Turn(_EDIT), Turn(Text("So be it."))]) as s:
        s.port.permitted = [PermissionAnswer(Choice.DENY, "not that file")]
        await s.ask("Fix it.")
        result = s.results(2)["edit"]
        assert result["is_error"]
        assert "not that file" in result["content"]
        (request,) = s.port.permissions
        assert "-a - b\n+a + b" in request.detail
        assert text(tmp_path) == _FILES["calc.py"]


async def test_a_permission_for_the_session_is_asked_once(tmp_path: Path) -> None:
    back = ToolUse("Edit", {"path": "calc.py", "old_text": "a + b", "new_text": "b + a"}, "back")
    script = [Turn(_READ), Turn(_EDIT), Turn(back), Turn(Text("Done."))]
    async with stage(tmp_path, _FILES, script) as s:
        s.port.permitted = [PermissionAnswer(Choice.SESSION)]
        await s.ask("Twice.")
        assert len(s.port.permissions) == 1
        assert "b + a" in text(tmp_path)


async def test_rules_come_before_the_mode(tmp_path: Path) -> None:
    settings = permissions("acceptEdits", deny=["Edit(calc.py)"], allow=["Bash(sh test.sh)"])
    async with stage(tmp_path, _FILES, _FIX, settings) as s:
        await s.ask("Fix it.")
        assert "permission rules do not allow this" in s.results(2)["edit"]["content"]
        assert text(tmp_path) == _FILES["calc.py"]


async def test_the_user_typed_meanwhile(tmp_path: Path) -> None:
    """The model read one text; the user's other change is kept, with no further model call."""
    script = [Turn(_READ), Turn(_EDIT), Turn(Text("Done."))]
    async with stage(tmp_path, _FILES, script, permissions("acceptEdits")) as s:

        def type_first(plan: EditPlan) -> str | None:
            if not typed:
                typed.append(plan)
                (tmp_path / "calc.py").write_text("# mine\n" + _FILES["calc.py"])
                s.touched("calc.py")
                return "the document changed"
            return write_to_disk(plan)

        typed: list[EditPlan] = []
        s.port.applying = type_first
        await s.ask("Fix it.")
        assert text(tmp_path) == "# mine\ndef add(a, b):\n    return a + b\n"
        assert len(s.api.requests) == 3


async def test_an_overlapping_change_is_told_with_its_text(tmp_path: Path) -> None:
    script = [Turn(_READ), Turn(_EDIT), Turn(Text("Done."))]
    async with stage(tmp_path, _FILES, script, permissions("acceptEdits")) as s:

        def type_over(_plan: EditPlan) -> str | None:
            (tmp_path / "calc.py").write_text("def add(a, b):\n    return a * b\n")
            s.touched("calc.py")
            return "the document changed"

        s.port.applying = type_over
        await s.ask("Fix it.")
        result = s.results(2)["edit"]
        assert result["is_error"]
        assert "return a * b" in result["content"]
        assert "return a * b" in text(tmp_path)


async def test_one_of_three_parts_is_rejected(tmp_path: Path) -> None:
    lines = [f"line {n}" for n in range(1, 31)]
    files = {"calc.py": "\n".join(lines) + "\n"}
    steps = [{"old_text": f"line {n}\n", "new_text": f"LINE {n}\n"} for n in (5, 15, 25)]
    edit = ToolUse("MultiEdit", {"path": "calc.py", "edits": steps}, "edit")
    script = [Turn(_READ), Turn(edit), Turn(Text("Done."))]
    async with stage(tmp_path, files, script, {"edits": {"review": "propose"}}) as s:
        s.port.reviewed = lambda plan: Review(
            tuple(hunk.id for hunk in plan.hunks if hunk.first_line != 15), "15 is right"
        )
        await s.ask("Shout.")
        assert s.port.permissions == []
        changed = text(tmp_path)
        assert ("LINE 5\n" in changed, "LINE 15" in changed, "LINE 25" in changed) == (
            True,
            False,
            True,
        )
        result = s.results(2)["edit"]["content"]
        assert "rejected 1 of 3 changes (line 15)" in result
        assert "15 is right" in result
        (proposed,), (settled,) = s.port.of(EditProposed), s.port.of(EditSettled)
        assert len(proposed.plan.hunks) == 3
        assert (settled.plan_id, settled.applied) == (proposed.plan.id, True)


async def test_what_follows_an_edit_in_a_reply_sees_it(tmp_path: Path) -> None:
    after = ToolUse("Read", {"path": "calc.py", "offset": 1, "limit": 2}, "after")
    script = [Turn(_READ), Turn(_EDIT, after), Turn(Text("Done."))]
    async with stage(tmp_path, _FILES, script, permissions("acceptEdits")) as s:
        await s.ask("Fix it.")
        assert "a + b" in s.results(2)["after"]["content"]


async def test_a_session_at_work_is_left_alone(tmp_path: Path) -> None:
    async with stage(tmp_path, _FILES, [Turn(Text("Hello."))]) as s:
        session_id = (await s.ask("Hello")).session_id
        with s.app.runs.claim(session_id):
            for request in (
                s.ask("And now?", session_id=session_id),
                undo_turn(s.app, UndoRequest(session_id)),
                compact_session(s.app, CompactRequest(session_id)),
            ):
                with pytest.raises(UsageError):
                    await request


async def test_a_turn_is_undone(tmp_path: Path) -> None:
    script = [
        Turn(_READ),
        Turn(_EDIT, ToolUse("Write", {"path": "new.txt", "content": "new\n"}, "write")),
        Turn(ToolUse("Bash", {"command": "rm test.sh; echo x > made.txt"}, "rm")),
        Turn(Text("Done.")),
    ]
    async with stage(tmp_path, _FILES, script, permissions("acceptEdits")) as s:
        s.port.permitted = [_ONCE]
        before = tree(s)
        answer = await s.ask("Do much.")
        assert "[exit code 0]" in s.results(3)["rm"]["content"]
        after = tree(s)
        assert after.keys() == {"calc.py", "new.txt", "made.txt"}
        checkpoints = s.app.acting.of(await s.app.sessions.open(answer.session_id)).checkpoints
        undone = await checkpoints.undo_turn()
        assert (undone.conflicts, undone.failed) == ((), ())
        assert tree(s) == before
        await checkpoints.undo_turn(undone.turn)
        assert tree(s) == after


def tree(s: Stage) -> dict[str, tuple[bytes, int]]:
    files = (path for path in s.root.rglob("*") if path.is_file())
    return {
        str(path.relative_to(s.root)): (path.read_bytes(), path.stat().st_mode) for path in files
    }
