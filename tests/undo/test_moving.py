"""Move in a whole run: who is asked, what is known and found afterwards, and taking it back."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.turns import UndoRequest, undo_turn
from glossator.core.edit import FileRename
from glossator.core.events import EditProposed, Notice
from glossator.core.permission import Choice, PermissionAnswer
from glossator.core.ports import Review
from tests.stage import Stage, stage
from tests.standin import Script, Text, ToolUse, Turn

_FILES = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "app/main.py": "import calc\n",
    "app/deep/util.py": "kingfisher = 1\n",
}
_READ = ToolUse("Read", {"path": "calc.py"}, "read")
_MOVE = ToolUse("Move", {"path": "calc.py", "new_path": "lib/sums.py"}, "move")
_FOLDER = ToolUse("Move", {"path": "app", "new_path": "src/app"}, "move")
_DONE = Turn(Text("Done."))
_EDITS: dict[str, Any] = {"permissions": {"mode": "acceptEdits"}}


def tree(root: Path) -> dict[str, tuple[int, bytes]]:
    """The mode and the bytes of every file, by relative path."""
    return {
        str(path.relative_to(root)): (stat.S_IMODE(path.stat().st_mode), path.read_bytes())
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def folders(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_dir()}


async def undo(s: Stage, session: str, turn: str | None = None) -> str | None:
    undone = await undo_turn(s.app, UndoRequest(session, turn))
    assert (undone.conflicts, undone.failed) == ((), ())
    return undone.turn


async def test_what_was_read_is_edited_under_the_new_path(tmp_path: Path) -> None:
    edit = {"path": "lib/sums.py", "old_text": "a - b", "new_text": "a + b"}
    old = {"path": "calc.py", "old_text": "a - b", "new_text": "a + b"}
    script: Script = [
        Turn(_READ),
        Turn(_MOVE, ToolUse("Edit", edit, "edit"), ToolUse("Edit", old, "old")),
        Turn(ToolUse("Grep", {"pattern": "return"}, "grep")),
        _DONE,
    ]
    async with stage(tmp_path, _FILES, script, _EDITS) as s:
        answer = await s.ask("Move it.")
        results = s.results(2)
        assert results["move"]["content"] == (
            "Moved calc.py to lib/sums.py. References to the old path change only if the editor"
            " updated them: Grep for it."
        )
        assert results["edit"]["content"].startswith("Changed lib/sums.py in 1 place (+1 -1 lines)")
        assert "calc.py does not exist" in results["old"]["content"]
        assert s.results(3)["grep"]["content"] == "lib/sums.py"
        assert s.port.permissions == []
        await undo(s, answer.session_id)
        assert tree(tmp_path) == {
            name: (0o644, text.encode()) for name, text in sorted(_FILES.items())
        }
        assert folders(tmp_path) == {"app", "app/deep"}


@pytest.mark.parametrize("call", [_MOVE, _FOLDER])
async def test_taken_back_byte_for_byte_and_again(tmp_path: Path, call: ToolUse) -> None:
    find = ToolUse("Glob", {"pattern": "**/*"}, "glob")
    async with stage(tmp_path, _FILES, [Turn(call), Turn(find), _DONE], _EDITS) as s:
        (tmp_path / "calc.py").chmod(0o640)
        (tmp_path / "app/deep/util.py").chmod(0o755)
        (tmp_path / "app/logo").write_bytes(b"\0\1\xff")
        (tmp_path / "app/.gitignore").write_text("secret\n")
        (tmp_path / "app/secret").write_text("ignored\n")
        before, made = tree(tmp_path), folders(tmp_path)
        answer = await s.ask("Move it.")
        after = tree(tmp_path)
        old, new = call.input["path"], call.input["new_path"]
        assert after == {name.replace(old, new, 1): held for name, held in before.items()}
        listed = s.results(2)["glob"]["content"].splitlines()
        assert set(listed) == {name for name in after if not name.endswith("secret")}
        turn = await undo(s, answer.session_id)
        assert (tree(tmp_path), folders(tmp_path)) == (before, made)
        await undo(s, answer.session_id, turn)
        assert tree(tmp_path) == after


@pytest.mark.parametrize(
    ("mode", "asked"), [("plan", 0), ("ask", 1), ("acceptEdits", 0), ("auto", 0)]
)
async def test_each_mode(tmp_path: Path, mode: str, asked: int) -> None:
    async with stage(tmp_path, _FILES, [Turn(_MOVE), _DONE], {"permissions": {"mode": mode}}) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)]
        await s.ask("Move it.")
        assert len(s.port.permissions) == asked
        if asked:
            assert s.port.permissions[0].title == "Move calc.py to lib/sums.py?"
            assert s.port.permissions[0].detail == "calc.py\n→ lib/sums.py"
            assert s.port.permissions[0].suggestions == ("Edit(/calc.py)", "Edit(/lib/**)")
        assert (tmp_path / "lib/sums.py").exists() is (mode != "plan")


@pytest.mark.parametrize(
    ("path", "new_path", "reason"),
    [
        ("calc.py", ".vscode/settings.json", "editors may run"),
        ("app/CLAUDE.md", "notes.md", "every later session"),
        ("app", "src", "every later session"),  # which holds it
        ("app/deep", "app/.github/workflows", "repository's secrets"),
    ],
)
async def test_a_protected_end_asks_in_every_mode(
    tmp_path: Path, path: str, new_path: str, reason: str
) -> None:
    move = ToolUse("Move", {"path": path, "new_path": new_path}, "move")
    settings = {"permissions": {"mode": "auto", "allow": ["*"]}}
    files = _FILES | {"app/CLAUDE.md": "x\n"}
    async with stage(tmp_path, files, [Turn(move), _DONE], settings) as s:
        before = tree(tmp_path)
        await s.ask("Move it.")
        (request,) = s.port.permissions
        assert reason in " ".join(request.reasons)
        assert request.suggestions == ()
        assert "The user refused this" in s.results(1)["move"]["content"]
        assert tree(tmp_path) == before


async def test_of_many_protected_paths_a_few_are_named(tmp_path: Path) -> None:
    files = {f"a/.vscode/{number}": "x" for number in range(9)}
    move = ToolUse("Move", {"path": "a", "new_path": "b"}, "move")
    async with stage(tmp_path, files, [Turn(move), _DONE], {"permissions": {"mode": "auto"}}) as s:
        await s.ask("Move it.")
        (request,) = s.port.permissions
        assert len(request.reasons) == 6
        assert request.reasons[5] == "13 more protected paths would change."


@pytest.mark.parametrize("rule", ["Read(.env)", "Read(/app/.env)", "Edit(.env)", "Read(/b/**)"])
@pytest.mark.parametrize("verb", ["deny", "ask"])
@pytest.mark.parametrize(("path", "new_path"), [("app/.env", "b/plain.txt"), ("app", "b")])
async def test_rules_about_either_end_hold(
    tmp_path: Path, rule: str, verb: str, path: str, new_path: str
) -> None:
    """Under another path it could be read."""
    move = ToolUse("Move", {"path": path, "new_path": new_path}, "move")
    settings = {"permissions": {"mode": "auto", "allow": ["*"], verb: [rule]}}
    files = _FILES | {"app/.env": "KEY=kingfisher\n", "app/.gitignore": ".env\n"}
    async with stage(tmp_path, files, [Turn(move), _DONE], settings) as s:
        before = tree(tmp_path)
        await s.ask("Move it.")
        assert len(s.port.permissions) == (verb == "ask")
        assert s.results(1)["move"]["is_error"]
        assert tree(tmp_path) == before


async def test_an_answer_for_the_session_covers_both_ends(tmp_path: Path) -> None:
    back = ToolUse("Move", {"path": "src/app", "new_path": "src/deep/app"}, "back")
    async with stage(tmp_path, _FILES, [Turn(_FOLDER), Turn(back), _DONE]) as s:
        s.port.permitted = [PermissionAnswer(Choice.SESSION)]
        await s.ask("Move it, and again.")
        (request,) = s.port.permissions
        assert request.suggestions == ("Edit(/app)", "Edit(/src/**)")
        assert (tmp_path / "src/deep/app/deep/util.py").exists()


@pytest.mark.parametrize("accepted", [True, False])
async def test_a_review_shows_it_as_a_part(tmp_path: Path, accepted: bool) -> None:
    settings = _EDITS | {"edits": {"review": "propose"}}
    async with stage(tmp_path, _FILES, [Turn(_FOLDER), _DONE], settings) as s:
        before = tree(tmp_path)
        s.port.reviewed = lambda plan: Review(
            tuple(hunk.id for hunk in plan.hunks if accepted), "" if accepted else "app stays"
        )
        await s.ask("Move it.")
        (proposed,) = s.port.of(EditProposed)
        (hunk,) = proposed.plan.hunks
        assert (hunk.kind, hunk.before, hunk.after) == (
            "rename",
            f"{tmp_path}/app\n",
            f"{tmp_path}/src/app\n",
        )
        told = s.results(1)["move"]["content"]
        if accepted:
            assert told.startswith("Moved app to src/app with 2 files.")
        else:
            assert "The user rejected this edit" in told
            assert "The user says: app stays" in told
            assert tree(tmp_path) == before


async def test_what_came_to_be_there_meanwhile_stays(tmp_path: Path) -> None:
    settings = _EDITS | {"edits": {"review": "propose"}}
    async with stage(tmp_path, _FILES, [Turn(_MOVE), _DONE], settings) as s:

        def reviewed(plan: Any) -> Review:
            (tmp_path / "lib").mkdir()
            (tmp_path / "lib/sums.py").write_text("theirs\n")
            return Review(tuple(hunk.id for hunk in plan.hunks))

        s.port.reviewed = reviewed
        await s.ask("Move it.")
        assert "now exists.\nChoose another path." in s.results(1)["move"]["content"]
        assert (tmp_path / "lib/sums.py").read_text() == "theirs\n"
        assert (tmp_path / "calc.py").read_text() == _FILES["calc.py"]


async def test_an_editor_that_does_not_do_it(tmp_path: Path) -> None:
    async with stage(tmp_path, _FILES, [Turn(_READ), Turn(_MOVE), _DONE], _EDITS) as s:
        s.port.applying = lambda _: "the editor cannot rename files"
        await s.ask("Move it.")
        told = s.results(2)["move"]
        assert told["is_error"]
        assert "Nothing was changed: the editor cannot rename files." in told["content"]
        assert (tmp_path / "calc.py").exists()


async def test_the_user_is_told_what_cannot_be_taken_back(tmp_path: Path) -> None:
    move = ToolUse("Move", {"path": "big", "new_path": "bigger"}, "move")
    async with stage(tmp_path, _FILES, [Turn(move), _DONE], _EDITS) as s:
        (tmp_path / "big").write_bytes(bytes(6_000_000))
        await s.ask("Move it.")
        (notice,) = s.port.of(Notice)
        assert "so undo will not restore it" in notice.message
        assert (tmp_path / "bigger").stat().st_size == 6_000_000


async def test_the_plan_names_every_file(tmp_path: Path) -> None:
    async with stage(tmp_path, _FILES, [Turn(_FOLDER), _DONE], _EDITS) as s:
        await s.ask("Move it.")
        ((change,),) = (proposed.plan.files for proposed in s.port.of(EditProposed))
        assert isinstance(change, FileRename)
        names = ("deep/util.py", "main.py")
        both = (str(tmp_path / "app"), str(tmp_path / "src/app"))
        assert change.files == tuple(os.path.join(folder, n) for folder in both for n in names)
