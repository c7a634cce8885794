"""What others do while a command runs is theirs, or is shown as a conflict before it goes."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from glossator.sessions.sessions import Sessions
from glossator.undo.checkpoint_log import CheckpointStore
from glossator.undo.taking_back import OnConflict, Undone
from tests.undo.test_checkpoints import Bench, checkpoints_of

IN_BETWEEN = "was changed by somebody else in between"
PERHAPS = "may have been changed by somebody else while a command ran"


@dataclass
class Two:
    """Two sessions of different servers in one workspace."""

    root: Path
    mine: Bench
    theirs: Bench

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text)

    def tick(self) -> None:
        """Until the times of files, which lag a little behind the clock, are past this moment."""
        begun, probe = time.time_ns(), self.root.parent / "probe"
        while True:
            probe.write_text("")
            if probe.stat().st_ctime_ns >= begun:
                return

    def texts(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.root.iterdir()}


@pytest.fixture
async def two(tmp_path: Path) -> AsyncIterator[Two]:
    root = tmp_path / "ws"
    root.mkdir()
    for name in "abc":
        (root / f"{name}.txt").write_text(f"{name}\n")
    benches = []
    store = CheckpointStore(tmp_path / "objects.db")
    for _ in range(2):
        sessions = Sessions(lambda: (str(root),), print, folder=tmp_path / "sessions")
        session = sessions.create("One")
        benches.append(Bench(root, store, session, checkpoints_of(root, store, session)))
    yield Two(root, *benches)
    await store.close()


def conflicts(undone: Undone) -> dict[str, str]:
    return {Path(each.path).name: each.reason for each in undone.conflicts}


async def test_what_another_session_edits_during_a_command_stays(two: Two) -> None:
    async with two.mine.checkpoints.around("t", two.mine.listed):
        await two.theirs.edit("u", "b.txt", "theirs\n")
        await two.theirs.edit("u", "b.txt", "theirs again\n")
        await two.theirs.edit("u", "new.txt", "theirs\n")
        two.write("a.txt", "command\n")
    assert two.mine.names(two.mine.checkpoints.turns[0].paths) == {"a.txt"}
    undone = await two.mine.checkpoints.undo_turn()
    assert (two.mine.told(undone), undone.conflicts) == (({"a.txt"}, set()), ())
    assert two.texts() == {
        "a.txt": "a\n",
        "b.txt": "theirs again\n",
        "c.txt": "c\n",
        "new.txt": "theirs\n",
    }
    await two.theirs.checkpoints.undo_turn()
    assert two.texts() == {"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n"}


async def test_what_another_session_takes_back_during_a_command_stays(two: Two) -> None:
    await two.theirs.edit("u", "b.txt", "theirs\n")
    async with two.mine.checkpoints.around("t", two.mine.listed):
        await two.theirs.checkpoints.undo_turn()
        two.write("a.txt", "command\n")
    await two.mine.checkpoints.undo_turn()
    assert two.texts()["b.txt"] == "b\n"


@pytest.mark.parametrize("first", ["mine", "theirs"])
async def test_what_both_changed_is_a_conflict(two: Two, first: str) -> None:
    async with two.mine.checkpoints.around("t", two.mine.listed):
        if first == "mine":
            two.write("b.txt", "command\n")
        await two.theirs.edit("u", "b.txt", "theirs\n")
        if first == "theirs":
            two.write("b.txt", "command\n")
    assert conflicts(await two.mine.checkpoints.undo_turn()) == {"b.txt": IN_BETWEEN}
    await two.mine.checkpoints.undo_turn(on_conflict=OnConflict.OVERWRITE)
    assert two.texts()["b.txt"] == "b\n"


async def test_what_another_session_is_at_is_a_conflict(two: Two) -> None:
    async with two.mine.checkpoints.around("t", two.mine.listed):
        await two.theirs.checkpoints.before("u", [str(two.root / "b.txt")])
        two.write("b.txt", "theirs, not noted yet\n")
    assert conflicts(await two.mine.checkpoints.undo_turn()) == {"b.txt": IN_BETWEEN}


async def test_what_changed_while_two_commands_ran_is_a_conflict_of_both(two: Two) -> None:
    mine = two.mine.checkpoints.around("t", two.mine.listed)
    async with two.theirs.checkpoints.around("u", two.theirs.listed):
        async with mine:
            two.write("b.txt", "whose?\n")
        assert conflicts(await two.mine.checkpoints.undo_turn()) == {}
        await two.mine.checkpoints.redo_turn()
    for bench in (two.mine, two.theirs):
        assert conflicts(await bench.checkpoints.undo_turn()).keys() == {"b.txt"}
    assert two.texts()["b.txt"] == "whose?\n"


async def test_commands_that_took_turns_are_told_apart(two: Two) -> None:
    async with two.mine.checkpoints.around("t", two.mine.listed):
        async with two.theirs.checkpoints.around("u", two.theirs.listed):
            two.write("b.txt", "theirs\n")
        two.write("a.txt", "mine\n")
    assert conflicts(await two.mine.checkpoints.undo_turn()) == {"b.txt": PERHAPS}
    left = await two.mine.checkpoints.undo_turn(on_conflict=OnConflict.LEAVE)
    assert two.mine.told(left) == ({"a.txt"}, set())


async def test_what_changes_while_a_command_rests_is_not_its_doing(two: Two) -> None:
    def rests(path: str, _changed: int) -> bool:
        return Path(path).name in ("b.txt", "new.txt")

    async with two.mine.checkpoints.around("t", two.mine.listed, rests):
        two.tick()
        two.write("b.txt", "somebody's\n")
        two.write("new.txt", "somebody's\n")
        (two.root / "a.txt").unlink()
        (two.root / "folder").mkdir()
        os.rename(two.root / "c.txt", two.root / "folder" / "c.txt")
    undone = await two.mine.checkpoints.undo_turn()
    assert two.mine.told(undone) == ({"a.txt", "c.txt"}, {"folder/c.txt"})
    assert two.texts() == {
        "a.txt": "a\n",
        "b.txt": "somebody's\n",
        "c.txt": "c\n",
        "new.txt": "somebody's\n",
    }


def theirs_rest(path: str, _changed: int) -> bool:
    """The command rests whenever something below `theirs`, or there, changes."""
    return "theirs" in Path(path).parts


@pytest.fixture
def folders(two: Two) -> Path:
    for name in ("theirs/x.txt", "theirs/y.txt", "mine/x.txt", "mine/y.txt"):
        (two.root / name).parent.mkdir(exist_ok=True)
        two.write(name, f"{name}\n")
    return two.root


async def test_what_is_renamed_while_a_command_rests_is_not_its_doing(
    two: Two, folders: Path
) -> None:
    async with two.mine.checkpoints.around("t", two.mine.listed, theirs_rest):
        two.tick()
        for folder in ("theirs", "mine"):
            os.rename(folders / folder / "x.txt", folders / folder / "new.txt")
    undone = await two.mine.checkpoints.undo_turn()
    assert (two.mine.told(undone), undone.conflicts) == (({"mine/x.txt"}, {"mine/new.txt"}), ())
    assert (folders / "theirs" / "new.txt").read_text() == "theirs/x.txt\n"


async def test_what_may_be_deleted_by_somebody_else_is_a_conflict(two: Two, folders: Path) -> None:
    async with two.mine.checkpoints.around("t", two.mine.listed, theirs_rest):
        two.tick()
        (folders / "theirs" / "x.txt").unlink()
        (folders / "mine" / "x.txt").unlink()
    assert conflicts(await two.mine.checkpoints.undo_turn()) == {"x.txt": PERHAPS}
    undone = await two.mine.checkpoints.undo_turn(on_conflict=OnConflict.LEAVE)
    assert two.mine.told(undone) == ({"mine/x.txt"}, set())
    assert not (folders / "theirs" / "x.txt").exists()


async def test_a_folder_that_may_be_moved_by_somebody_else_is_a_conflict(
    two: Two, folders: Path
) -> None:
    (folders / "theirs" / "old").mkdir()
    two.write("theirs/old/f.txt", "f\n")
    async with two.mine.checkpoints.around("t", two.mine.listed, theirs_rest):
        two.tick()
        os.rename(folders / "theirs" / "old", folders / "theirs" / "new")
    undone = await two.mine.checkpoints.undo_turn()
    assert {each.reason for each in undone.conflicts} == {PERHAPS}
    assert two.mine.names(tuple(each.path for each in undone.conflicts)) == {
        "theirs/old/f.txt",
        "theirs/new/f.txt",
    }


async def test_what_a_tool_of_the_turn_deletes_while_its_job_rests_is_undone(
    two: Two, folders: Path
) -> None:
    path = folders / "theirs" / "x.txt"
    async with two.mine.checkpoints.around("t", two.mine.listed, theirs_rest):
        two.tick()
        await two.mine.checkpoints.before("t", [str(path)])
        path.unlink()
        await two.mine.checkpoints.after("t", {str(path): None})
    undone = await two.mine.checkpoints.undo_turn()
    assert (two.mine.told(undone), undone.conflicts) == (({"theirs/x.txt"}, set()), ())


async def test_the_files_of_a_folder_that_a_command_moved_are_its_doing(two: Two) -> None:
    """Their times do not change."""
    (two.root / "old").mkdir()
    (two.root / "old" / "f.txt").write_text("f\n")
    async with two.mine.checkpoints.around("t", two.mine.listed, theirs_rest):
        two.tick()
        os.rename(two.root / "old", two.root / "new")
    undone = await two.mine.checkpoints.undo_turn()
    assert two.mine.told(undone) == ({"old/f.txt"}, {"new/f.txt"})
