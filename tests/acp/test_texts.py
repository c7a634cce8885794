"""What is typed in a client and not saved: read, edited, and never overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest
from acp import schema

from tests.acp.editor import conversation
from tests.standin import Text, ToolUse, Turn

REST = "\n\nname = 'a'\nplace = 'b'\n"
DISK, TYPED = f"retries = 3\n{REST}", f"retries = 5  # typed\n{REST}"
FILES = {"a.py": DISK, "b.py": "x = 1\n"}
READ = Turn(ToolUse("Read", {"path": "a.py"}, "toolu_r"))
AGAIN = Turn(ToolUse("Read", {"path": "a.py"}, "toolu_a"))
DONE = Turn(Text("Done."))


def edit(old: str, new: str) -> Turn:
    return Turn(ToolUse("Edit", {"path": "a.py", "old_text": old, "new_text": new}, "toolu_e"))


async def test_unsaved_text_is_read(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, [READ, DONE]) as c:
        c.editor.buffers[f"{tmp_path}/a.py"] = TYPED
        await c.ask("How many retries?")
        assert "retries = 5  # typed" in c.results(1)["toolu_r"]["content"]


async def test_what_is_saved_meanwhile_is_read_from_disk_again(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, [READ, DONE, AGAIN, DONE]) as c:
        path = tmp_path / "a.py"
        c.editor.buffers[str(path)] = TYPED
        await c.ask("How many retries?")
        del c.editor.buffers[str(path)]
        path.write_text("retries = 7\n")
        await c.ask("And now?")
        assert "retries = 7" in c.results(3)["toolu_a"]["content"]


async def test_an_outdated_buffer_is_no_typing(tmp_path: Path) -> None:
    """The disk changed, and the client still answers with what was there before."""
    async with conversation(tmp_path, FILES, [READ, DONE, AGAIN, DONE]) as c:
        await c.ask("How many retries?")
        c.editor.buffers[f"{tmp_path}/a.py"] = DISK
        (tmp_path / "a.py").write_text("retries = 9\n")
        await c.ask("And now?")
        assert "retries = 9" in c.results(3)["toolu_a"]["content"]


async def test_an_edit_keeps_what_is_typed_elsewhere(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, [READ, edit("5", "6"), DONE]) as c:
        c.editor.buffers[f"{tmp_path}/a.py"] = TYPED
        await c.ask("One more")
        assert (tmp_path / "a.py").read_text() == f"retries = 6  # typed\n{REST}"


async def test_what_is_typed_while_the_user_is_asked_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    async with conversation(tmp_path, FILES, [READ, edit("3", "4"), DONE]) as c:

        def typing(_: schema.ToolCallUpdate, options: list[schema.PermissionOption]) -> str | None:
            c.editor.buffers[str(path)] = f"{DISK}timeout = 1\n"
            return options[0].option_id

        c.editor.choose = typing
        await c.ask("One more")
        assert path.read_text() == f"retries = 4\n{REST}timeout = 1\n"


@pytest.mark.parametrize("fs", [True, False])
async def test_a_new_file_and_an_undo(tmp_path: Path, fs: bool) -> None:
    write = Turn(ToolUse("Write", {"path": "new/c.py", "content": "c = 1\n"}, "toolu_w"))
    async with conversation(tmp_path, FILES, [write, DONE], fs=fs) as c:
        await c.ask("A new one")
        assert (tmp_path / "new/c.py").read_text() == "c = 1\n"
        assert c.editor.written == []  # some clients make no folders
        await c.ask("/undo")
        assert not (tmp_path / "new/c.py").exists()
        assert "new/c.py" in c.editor.text


async def test_a_file_that_the_client_holds_unsaved_is_not_moved(tmp_path: Path) -> None:
    move = Turn(ToolUse("Move", {"path": "a.py", "new_path": "z.py"}, "toolu_m"))
    async with conversation(tmp_path, FILES, [READ, move, DONE]) as c:
        c.editor.buffers[f"{tmp_path}/a.py"] = TYPED
        await c.ask("Rename it")
        assert (tmp_path / "a.py").read_text() == DISK
        assert "not saved" in c.results(2)["toolu_m"]["content"]
