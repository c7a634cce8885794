"""A run that acts: what it may do in each mode, through whom, and that it can be taken back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glossator.commands.sessions import CompactRequest, compact_session
from glossator.commands.turns import UndoRequest, undo_turn
from glossator.core.errors import UsageError
from glossator.core.permission import Choice, PermissionAnswer
from glossator.core.uri import to_uri
from glossator.turn.told.attachments import Attachment
from tests.stage import stage
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
        assert request.detail.endswith("\n-    return a - b\n+    return a + b\n")
        assert text(tmp_path) == _FILES["calc.py"]


async def test_what_the_user_attached_need_not_be_read_again(tmp_path: Path) -> None:
    script = [Turn(_EDIT), Turn(Text("Fixed."))]
    async with stage(tmp_path, _FILES, script, permissions("acceptEdits")) as s:
        file = Attachment(to_uri(str(tmp_path / "calc.py")), 2, 2)
        await s.ask("Fix it.", attachments=(file,))
        assert "is_error" not in s.results(1)["edit"]
        assert "a + b" in text(tmp_path)


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


async def test_what_follows_an_edit_in_a_reply_sees_it(tmp_path: Path) -> None:
    after = ToolUse("Read", {"path": "calc.py", "offset": 1, "limit": 2}, "after")
    script = [Turn(_READ), Turn(_EDIT, after), Turn(Text("Done."))]
    async with stage(tmp_path, _FILES, script, permissions("acceptEdits")) as s:
        await s.ask("Fix it.")
        assert "a + b" in s.results(2)["after"]["content"]


async def test_a_session_at_work_is_left_alone(tmp_path: Path) -> None:
    async with stage(tmp_path, _FILES, [Turn(Text("Hello."))]) as s:
        session_id = (await s.ask("Hello")).session_id
        async with s.app.runs.claim(session_id):
            for request in (
                s.ask("And now?", session_id=session_id),
                undo_turn(s.app, UndoRequest(session_id)),
                compact_session(s.app, CompactRequest(session_id)),
            ):
                with pytest.raises(UsageError):
                    await request


async def test_nothing_is_done_that_could_not_be_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "state/glossator/checkpoints.db").mkdir(parents=True)
    root = tmp_path / "ws"
    script = [Turn(_READ), Turn(_EDIT), Turn(_TEST), Turn(Text("So be it."))]
    async with stage(root, _FILES, script, permissions("acceptEdits", allow=["Bash"])) as s:
        s.port.permitted = [_ONCE]
        await s.ask("Fix it.")
        for result in (s.results(2)["edit"], s.results(3)["test"]):
            assert result["is_error"]
            assert result["content"].startswith("Nothing was done, as it could not be undone: ")
            assert "checkpoints.db cannot be used" in result["content"]
        assert text(root) == _FILES["calc.py"]


async def test_an_edit_of_another_session_is_no_commands_doing(tmp_path: Path) -> None:
    script = [Turn(Text("Hello.")), Turn(_READ), Turn(_EDIT), Turn(Text("Fixed."))]
    async with stage(tmp_path, _FILES, script, permissions("acceptEdits")) as s:

        async def listed() -> list[str]:
            return [entry.path for entry in s.app.host.snapshot().listing.files]

        one = (await s.ask("Hello")).session_id
        await s.app.ready()
        checkpoints = s.app.acting.of(await s.app.sessions.open(one)).checkpoints
        async with checkpoints.around("command", listed):
            other = (await s.ask("Fix it.")).session_id
        with pytest.raises(UsageError, match="nothing to undo"):
            await undo_turn(s.app, UndoRequest(one))
        assert "a + b" in text(tmp_path)
        assert (await undo_turn(s.app, UndoRequest(other))).restored == ("calc.py",)
        assert text(tmp_path) == _FILES["calc.py"]
