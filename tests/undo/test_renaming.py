"""Rename in a whole run: one question to the user, one edit over all files, taken back as one."""

from __future__ import annotations

from pathlib import Path

from glossator.commands.turns import UndoRequest, undo_turn
from glossator.core.code import CodeAnswer, CodeEdit, CodeKind, CodeQuestion
from glossator.core.permission import Choice, PermissionAnswer
from glossator.core.uri import to_uri
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn

_FILES = {
    "press.py": "def press(depth):\n    return depth\n",
    **{f"use{n:02}.py": f"from press import press\n\nprint(press({n}))\n" for n in range(30)},
}
_RENAME = Turn(ToolUse("Rename", {"name": "press", "new_name": "squeeze"}, "rename"))
_DONE = Turn(Text("Done."))


def _told(root: Path, question: CodeQuestion) -> CodeAnswer | None:
    """What a language server says of `press`: it is defined once, and used twice in 30 files."""
    if question.kind is not CodeKind.RENAME:
        return None
    edits = [_edit(root / "press.py", 0, 4)]
    for number in range(30):
        path = root / f"use{number:02}.py"
        edits += [_edit(path, 0, 18), _edit(path, 2, 6)]
    return CodeAnswer("VS Code", edits=tuple(edits))


def _edit(path: Path, line: int, start: int) -> CodeEdit:
    return CodeEdit(to_uri(str(path)), line, start, line, start + len("press"), "squeeze")


def _texts(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(root.glob("*.py"))}


async def test_one_question_one_edit_one_undo(tmp_path: Path) -> None:
    script = [_RENAME, _DONE]
    async with stage(tmp_path, _FILES, script, coded=lambda asked: _told(tmp_path, asked)) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)]
        answer = await s.ask("Call it squeeze.")
        (asked,) = s.port.permissions
        assert asked.title == "Rename press to squeeze in 31 files?"
        assert asked.plan is not None
        assert len(asked.plan.hunks) == 61
        result = s.results(1)["rename"]["content"]
        assert result.startswith("Renamed press to squeeze on 61 lines of 31 files.\npress.py: 1\n")
        texts = _texts(tmp_path)
        assert texts["use07.py"] == "from press import squeeze\n\nprint(squeeze(7))\n"
        assert not any("press(" in text for text in texts.values())
        undone = await undo_turn(s.app, UndoRequest(answer.session_id))
        assert (undone.conflicts, undone.failed) == ((), ())
        assert _texts(tmp_path) == _FILES


async def test_a_refused_rename_changes_nothing(tmp_path: Path) -> None:
    """And a protected file among the others is asked about, whatever the mode."""
    files = {**_FILES, ".vscode/tasks.py": "from press import press\n"}
    edit = _edit(tmp_path / ".vscode/tasks.py", 0, 18)

    def told(question: CodeQuestion) -> CodeAnswer | None:
        answer = _told(tmp_path, question)
        return answer and CodeAnswer("VS Code", edits=(*answer.edits, edit))

    settings = {"permissions": {"mode": "acceptEdits"}}
    async with stage(tmp_path, files, [_RENAME, _DONE], settings, coded=told) as s:
        await s.ask("Call it squeeze.")
        (asked,) = s.port.permissions
        assert any(".vscode/tasks.py" in reason for reason in asked.reasons), asked.reasons
        assert s.results(1)["rename"]["is_error"]
        assert _texts(tmp_path) == _FILES


async def test_without_language_servers_there_is_no_rename(tmp_path: Path) -> None:
    async with stage(tmp_path, _FILES, [_DONE]) as s:
        await s.ask("?")
        tools = {tool["name"]: tool for tool in s.sent(0)["tools"]}
        assert "Rename" not in tools
        modes = tools["Symbols"]["input_schema"]["properties"]["mode"]["enum"]
        assert "implementations" not in modes
