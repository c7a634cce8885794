"""A start takes up what a server that was killed left unfinished."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from glossator.commands.turns import RedoRequest, UndoRequest, redo_turn, undo_turn
from glossator.core.permission import Choice, PermissionAnswer
from glossator.edits.editor_files import EditorFiles
from glossator.sessions.sessions import sessions_folder
from glossator.undo.file_states import Restoration, Restored
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn
from tests.undo.test_checkpoints import tree

_AUTO = {"permissions": {"mode": "auto"}}
_FILES = {f"{number}.txt": "before\n" for number in range(9)}
_DONE = Turn(Text("Done."))


class Killed(BaseException):
    """The server is killed."""


async def cut_off(s: Stage, monkeypatch: pytest.MonkeyPatch) -> str:
    """Have a command run, and kill the server in its undo; the session."""
    s.port.permitted = [PermissionAnswer(Choice.ONCE)] * 9
    session_id = (await s.ask("Go.")).session_id
    restore = EditorFiles.restore

    async def some(self: EditorFiles, plan: Iterable[Restoration], limit: int) -> Restored:
        await restore(self, tuple(plan)[:4], limit)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(EditorFiles, "restore", some)
        with pytest.raises(Killed):
            await undo_turn(s.app, UndoRequest(session_id))
    return session_id


async def test_a_start_finishes_an_undo_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    command = "for each in *.txt; do echo after > $each; done; echo x > new.txt"
    script = [Turn(ToolUse("Bash", {"command": command})), _DONE]
    async with stage(root, _FILES, script, _AUTO) as s:
        before = tree(root)
        session_id = await cut_off(s, monkeypatch)
        assert tree(root) != before
    for head in sessions_folder().glob("*.head"):
        head.unlink()  # none is written by a server that is killed
    async with stage(root, {}, [], _AUTO) as s:
        await s.app.scanned()
        assert tree(root) == before
        (told,) = s.port.told
        assert "was cut off" in told
        assert "10 files are as they were before" in told
        again = await undo_turn(s.app, UndoRequest(session_id))
        assert (len(again.restored), again.removed, again.conflicts) == (9, ("new.txt",), ())
        assert tree(root) == before
        await redo_turn(s.app, RedoRequest(session_id))
        assert (root / "new.txt").exists()


async def test_a_start_removes_temporary_files_that_were_left_over(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    name = f".glossator-{'0' * 32}"
    files = {"a.txt": "a", f"sub/{name}": "", f"sub/.{name}": "", ".gitignore": ".*"}
    async with stage(root, files, [], _AUTO) as s:
        (s.app.memories._everywhere().path).mkdir(parents=True)
        left = s.app.memories._everywhere().path / ".MEMORY.md.0123abc_"
        left.touch()
    async with stage(root, {}, [], _AUTO) as s:
        await s.app.scanned()
        assert not left.exists()
        assert not (root / "sub" / name).exists()
        assert (root / "sub" / f".{name}").exists()
