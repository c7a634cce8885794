"""Move: what it refuses, and that what was read of a file stays known under its new path."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from glossator.core.span import Span
from glossator.edits import move_tool as move
from glossator.edits.move_tool import MoveArgs
from glossator.tools.reads import ReadState
from tests.tools.hands import Hands, call
from tests.workspaces import MakeWorkspace


@pytest.mark.parametrize(
    ("path", "new_path", "says"),
    [
        ("nothing.py", "b.py", "nothing.py does not exist.\nUse Glob to find its path."),
        ("a.py/x", "b.py", "a.py/x does not exist.\nUse Glob"),
        ("a.py", "other.py", "other.py already exists, and Move replaces nothing."),
        ("a.py", "a.py", "a.py already exists"),
        ("a.py", "unsaved.py", "unsaved.py already exists"),
        ("a.py", "dangling", "dangling already exists"),
        ("a.py", "dir", "dir is a folder.\nGive the whole new path, such as dir/a.py."),
        ("a.py", "new/", "new/ is a folder.\nGive the whole new path, such as new/a.py."),
        ("a.py", "other.py/x", "other.py is not a folder."),
        ("a.py", "../b.py", "../b.py is outside the workspace"),
        ("a.py", "/etc/b.py", "/etc/b.py is outside the workspace"),
        ("a.py", "out/b.py", "out/b.py is outside the workspace"),
        ("../x", "b.py", "../x is outside the workspace"),
        ("out", "b.py", "out is outside the workspace"),
        (".", "b", ". is a workspace folder"),
        ("dir", "dir/inner", "dir/inner is inside dir itself."),
        ("link.py", "b.py", "link.py is a link.\nUse `mv` in Bash"),
        ("unsaved.py", "b.py", "was never saved, so no file is there yet.\nAsk the user to save"),
        ("pipe", "b", "pipe is neither a file nor a folder."),
        ("links", "b", "links holds links or the like"),
        ("empty", "b", "empty holds no files"),
        ("many", "b", "many holds more than 3 files or 100 MB.\nMove it in parts."),
    ],
)
async def test_refusals(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch, path: str, new_path: str, says: str
) -> None:
    monkeypatch.setattr(move, "_MAX_FILES", 3)
    files = {"a.py": "x\n", "other.py": "y\n", "dir/z.py": "z\n", "links/a": "a"}
    ws = await workspace(files | {f"many/{number}/x": "x" for number in range(4)})
    (ws.root / "empty/inner").mkdir(parents=True)
    (ws.root / "links/b").symlink_to("a")
    (ws.root / "link.py").symlink_to("a.py")
    (ws.root / "dangling").symlink_to("nowhere")
    (ws.root / "out").symlink_to("/etc")
    os.mkfifo(ws.root / "pipe")
    ws.open("unsaved.py", "typed\n")
    hands = Hands(ws)
    result = await call(ws, "Move", hands, path=path, new_path=new_path)
    assert result.error
    assert result.text.startswith("Nothing was moved: ")
    assert says in result.text
    assert hands.plans == []


async def test_where_files_can_only_be_read(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "x\n"})
    result = await ws.call("Move", path="a.py", new_path="b.py")
    assert "There is no tool Move" in result.text


async def test_a_folder_reaches_what_is_in_it_at_both_ends(workspace: MakeWorkspace) -> None:
    ws = await workspace({"dir/a": "", "dir/deep/.env": "", "x": ""})
    reached = MoveArgs(path="dir", new_path="new/dir").reached(ws.snapshot)
    names = ("dir", "new/dir", "dir/a", "dir/deep/.env", "new/dir/a", "new/dir/deep/.env")
    assert reached == tuple(str(ws.root / name) for name in names)
    file = MoveArgs(path="x", new_path="y").reached(ws.snapshot)
    assert file == (str(ws.root / "x"), str(ws.root / "y"))


async def test_what_was_shown_is_known_under_the_new_path(workspace: MakeWorkspace) -> None:
    ws = await workspace({"dir/a.py": "1\n2\n3\n", "dir2/b.py": "x\n"})
    await call(ws, "Read", path="dir/a.py", limit=2)
    await call(ws, "Read", path="dir2/b.py")
    ws.reads.moved(str(ws.root / "dir"), str(ws.root / "new"))
    (other, known) = ws.reads.documents()
    assert (known.path, known.uri) == (str(ws.root / "new/a.py"), ws.uri("new/a.py"))
    assert ws.reads.lines(known) == {1, 2}
    assert ws.reads.covers(Span(known.uri, known.sha256, 1, 2))
    assert ws.reads.last(str(ws.root / "dir/a.py")) is None
    assert other.path == str(ws.root / "dir2/b.py")


def test_nothing_was_shown(tmp_path: Path) -> None:
    reads = ReadState()
    reads.moved(str(tmp_path / "a"), str(tmp_path / "b"))
    assert reads.documents() == ()
