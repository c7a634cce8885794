"""What the user does to files while a turn or its undo is at them, on disk and in an editor."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from glossator.application.saving import is_on_disk
from glossator.core.edit import EditPlan, FileEdit
from glossator.core.errors import StoreUnavailable, UsageError
from glossator.edits.editor_files import EditorFiles
from glossator.undo.checkpoint_log import CheckpointStore
from glossator.undo.checkpoints import Checkpoints
from glossator.undo.file_states import DiskFiles, Restoration, Restored
from glossator.undo.taking_back import OnConflict, Undone
from glossator.undo.turn_log import CHECKPOINTS
from glossator.workspace.documents.overlays import Saved
from tests.stage import Recorder
from tests.workspaces import MakeWorkspace, Workspace

FILES = {"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n"}
SINCE = "was changed by somebody else since"
BETWEEN = "was changed by somebody else in between"
JUST_NOW = "was changed by somebody else just now"


class Overtaken(EditorFiles):
    """Lets the user do something between the look and the restoring, or while it goes on."""

    overtaking: Callable[[], object] = staticmethod(lambda: None)

    async def restore(self, plan: Iterable[Restoration], limit: int) -> Restored:
        self.overtaking()
        return await super().restore(plan, limit)


@dataclass
class Alone:
    """The file of a session that is the only one."""

    written_before: int = 0

    def live(self) -> None: ...

    async def kept_elsewhere(self, _name: str, _since: int) -> list[Any]:
        return []


@dataclass
class FullDisk:
    """A keeper whose disk is full when it is asked to keep one of the notes, by number."""

    full: set[int]
    notes: list[Any] = field(default_factory=list)
    asked: int = 0
    dropped: frozenset[str] = frozenset()
    journal: Alone = field(default_factory=Alone)

    def keep(self, _name: str, value: Any) -> None:
        self.asked += 1
        if self.asked in self.full:
            raise StoreUnavailable("The disk is full.")
        self.notes.append(value)

    def keep_surely(self, name: str, value: Any) -> None:
        self.keep(name, value)

    def kept(self, name: str) -> list[Any]:
        return list(self.notes) if name == CHECKPOINTS else []


@dataclass
class Bench:
    ws: Workspace
    port: Recorder
    store: CheckpointStore
    keeper: FullDisk
    files: Overtaken
    checkpoints: Checkpoints

    def path(self, name: str) -> str:
        return str(self.ws.root / name)

    async def listed(self) -> list[str]:
        return [str(path) for path in self.ws.root.iterdir()]

    def save(self, name: str, text: str) -> None:
        """The user has typed this into an open document, and saves it."""
        version = self.ws.snapshot.overlays[self.path(name)].version
        self.ws.edit(name, text, version + 1)
        self.ws.write(name, text)
        self.ws.host.apply(Saved(self.ws.uri(name)))

    async def edited(self, turn: str, name: str, text: str) -> None:
        """A tool writes a file."""
        await self.checkpoints.before(turn, [self.path(name)])
        self.ws.write(name, text)
        await self.checkpoints.after(turn, {self.path(name): text})

    def remove(self, name: str) -> None:
        (self.ws.root / name).unlink()
        self.ws.touched(name)

    def read(self, name: str) -> bytes:
        return (self.ws.root / name).read_bytes()

    def texts(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.ws.root.iterdir()}


@pytest.fixture
async def bench(workspace: MakeWorkspace, tmp_path: Path) -> AsyncIterator[Bench]:
    ws, port = await workspace(FILES), Recorder()
    store = CheckpointStore(tmp_path / "objects.db")
    disk, keeper = DiskFiles(lambda: [str(ws.root)]), FullDisk(set())
    files = Overtaken(ws.host, port, disk)
    checkpoints = Checkpoints(store, keeper, files, disk, port.tell)
    yield Bench(ws, port, store, keeper, files, checkpoints)
    await store.close()


def conflicts(undone: Undone) -> dict[str, str]:
    return {Path(each.path).name: each.reason for each in undone.conflicts}


def names(undone: Undone) -> set[str]:
    return {Path(path).name for path in (*undone.restored, *undone.removed)}


async def test_what_the_user_saved_while_a_command_ran_is_not_its_doing(bench: Bench) -> None:
    bench.ws.open("a.txt", "a\n")
    bench.ws.open("b.txt", "unsaved\n")
    async with bench.checkpoints.around("t", bench.listed):
        bench.ws.write("c.txt", "command\n")
        bench.save("a.txt", "mine\n")
        bench.ws.write("b.txt", "unsaved\n")
        bench.ws.host.apply(Saved(bench.ws.uri("b.txt")))
        bench.ws.close("b.txt")
    undone = await bench.checkpoints.undo_turn()
    assert (names(undone), undone.conflicts) == ({"c.txt"}, ())
    assert bench.texts() == {"a.txt": "mine\n", "b.txt": "unsaved\n", "c.txt": "c\n"}


async def test_what_the_user_moved_in_the_editor_while_a_command_ran_is_not_its_doing(
    bench: Bench,
) -> None:
    async with bench.checkpoints.around("t", bench.listed):
        bench.ws.write("c.txt", "command\n")
        os.rename(bench.path("a.txt"), bench.path("new.txt"))
        bench.remove("b.txt")
        bench.ws.host.moved([bench.path(name) for name in ("a.txt", "new.txt", "b.txt")])
    undone = await bench.checkpoints.undo_turn()
    assert (names(undone), undone.conflicts) == ({"c.txt"}, ())
    assert bench.texts() == {"new.txt": "a\n", "c.txt": "c\n"}


async def test_what_a_command_made_of_what_the_user_moved_is_a_conflict(bench: Bench) -> None:
    async with bench.checkpoints.around("t", bench.listed):
        os.rename(bench.path("a.txt"), bench.path("new.txt"))
        bench.remove("b.txt")
        bench.ws.host.moved([bench.path(name) for name in ("a.txt", "new.txt", "b.txt")])
        bench.ws.write("new.txt", "command\n")
        bench.ws.write("b.txt", "command\n")
    assert conflicts(await bench.checkpoints.undo_turn()).keys() == {"new.txt", "b.txt"}
    assert bench.texts() == {"new.txt": "command\n", "b.txt": "command\n", "c.txt": "c\n"}


async def test_what_was_saved_when_the_command_was_over_but_not_looked_at(bench: Bench) -> None:
    bench.ws.open("a.txt", "a\n")
    calls = 0

    async def listed() -> list[str]:
        nonlocal calls
        calls += 1
        if calls > 1:
            bench.save("a.txt", "mine\n")
        return await bench.listed()

    async with bench.checkpoints.around("t", listed):
        bench.ws.write("c.txt", "command\n")
    assert names(await bench.checkpoints.undo_turn()) == {"c.txt"}
    assert bench.texts()["a.txt"] == "mine\n"


async def test_what_a_command_made_of_what_the_user_saved_is_a_conflict(bench: Bench) -> None:
    bench.ws.open("a.txt", "a\n")
    async with bench.checkpoints.around("t", bench.listed):
        bench.save("a.txt", "mine\n")
        bench.ws.write("a.txt", "MINE\n")
        bench.ws.edit("a.txt", "MINE\n", 3)  # the editor shows what is on disk
    assert conflicts(await bench.checkpoints.undo_turn()) == {"a.txt": BETWEEN}
    assert bench.texts()["a.txt"] == "MINE\n"


async def test_what_is_typed_into_what_a_command_changes_is_a_conflict(bench: Bench) -> None:
    bench.ws.open("a.txt", "a\n")
    async with bench.checkpoints.around("t", bench.listed):
        bench.ws.edit("a.txt", "mine\n")
        bench.ws.write("a.txt", "command\n")
    assert conflicts(await bench.checkpoints.undo_turn()) == {"a.txt": SINCE}
    assert bench.texts()["a.txt"] == "command\n"


async def test_a_document_that_shows_what_a_command_wrote_is_no_conflict(bench: Bench) -> None:
    bench.ws.open("a.txt", "a\n")

    def apply(plan: EditPlan) -> None:
        (change,) = plan.files
        assert isinstance(change, FileEdit)
        bench.ws.edit("a.txt", change.result, 3)

    bench.port.applying = apply
    async with bench.checkpoints.around("t", bench.listed):
        bench.ws.write("a.txt", "command\n")
        bench.ws.edit("a.txt", "command\n")
    undone = await bench.checkpoints.undo_turn()
    assert (names(undone), undone.conflicts) == ({"a.txt"}, ())
    assert bench.ws.snapshot.overlays[bench.path("a.txt")].text == "a\n"


async def test_a_deleted_file_that_is_open_is_there_again(bench: Bench) -> None:
    """The editor does not tell in which encoding its text was."""
    bench.ws.write("a.txt", b"\xe9\n")
    bench.ws.open("a.txt", "\xe9\n")
    async with bench.checkpoints.around("t", bench.listed):
        bench.remove("a.txt")
    assert conflicts(await bench.checkpoints.undo_turn()) == {"a.txt": SINCE}
    undone = await bench.checkpoints.undo_turn(on_conflict=OnConflict.OVERWRITE)
    assert names(undone) == {"a.txt"}
    assert bench.read("a.txt") == b"\xe9\n"


async def test_an_edit_of_what_a_command_has_made_by_then(bench: Bench) -> None:
    async with bench.checkpoints.around("t", bench.listed):
        bench.ws.write("a.txt", "command\n")
        bench.ws.write("new.txt", "command\n")
        await bench.edited("t", "a.txt", "edited\n")
        await bench.edited("t", "new.txt", "edited\n")
    undone = await bench.checkpoints.undo_turn()
    assert (names(undone), undone.conflicts) == ({"a.txt", "new.txt"}, ())
    assert bench.texts() == FILES


async def test_of_two_commands_the_one_that_goes_on_is_still_looked_at(bench: Bench) -> None:
    async with bench.checkpoints.around("t", bench.listed):
        async with bench.checkpoints.around("t", bench.listed):
            pass
        bench.ws.write("a.txt", "command\n")
        await bench.edited("t", "a.txt", "edited\n")
    undone = await bench.checkpoints.undo_turn()
    assert (names(undone), undone.conflicts) == ({"a.txt"}, ())
    assert bench.texts() == FILES


async def test_what_the_user_has_put_back_already_is_no_conflict(bench: Bench) -> None:
    await bench.edited("t", "a.txt", "turn\n")
    await bench.edited("t", "b.txt", "turn\n")
    bench.ws.write("a.txt", "a\n")
    undone = await bench.checkpoints.undo_turn()
    assert (names(undone), undone.conflicts) == ({"b.txt"}, ())
    assert bench.texts() == FILES


async def test_a_turn_whose_job_went_on_can_be_undone_whatever_is_known_of_it(
    bench: Bench,
) -> None:
    await bench.edited("before", "a.txt", "turn\n")
    bench.checkpoints.job_began("t", "j1", "make watch")
    undone = await bench.checkpoints.undo_turn()
    assert (undone.jobs, undone.incomplete) == (("make watch",), True)
    assert bench.texts()["a.txt"] == "turn\n"


async def test_an_edit_that_the_editor_saves_by_itself_stays_the_turns(bench: Bench) -> None:
    bench.ws.open("a.txt", "a\n")
    await bench.checkpoints.before("t", [bench.path("a.txt")])
    bench.ws.edit("a.txt", "edited\n")
    await bench.checkpoints.after("t", {bench.path("a.txt"): "edited\n"})
    async with bench.checkpoints.around("t", bench.listed):
        bench.save("a.txt", "edited\n")
    bench.ws.close("a.txt")
    undone = await bench.checkpoints.undo_turn()
    assert (names(undone), undone.conflicts) == ({"a.txt"}, ())
    assert bench.texts() == FILES


async def test_what_is_saved_before_it_is_undone_stays(bench: Bench) -> None:
    for name in FILES:
        await bench.edited("t", name, "turn\n")
    bench.files.overtaking = lambda: bench.ws.write("b.txt", "mine\n")
    undone = await bench.checkpoints.undo_turn()
    assert (names(undone), conflicts(undone)) == ({"a.txt", "c.txt"}, {"b.txt": JUST_NOW})
    assert bench.texts() == {**FILES, "b.txt": "mine\n"}
    bench.files.overtaking = lambda: None
    redone = await bench.checkpoints.undo_turn(undone.turn)
    assert (names(redone), redone.conflicts) == ({"a.txt", "c.txt"}, ())
    assert bench.texts() == {"a.txt": "turn\n", "b.txt": "mine\n", "c.txt": "turn\n"}


async def test_what_is_not_there_as_expected_is_left_alone(bench: Bench) -> None:
    """Made again where the turn had deleted it; deleted, or made a folder, since."""
    async with bench.checkpoints.around("t", bench.listed):
        (bench.ws.root / "a.txt").unlink()
        bench.ws.write("b.txt", "command\n")
        bench.ws.write("c.txt", "command\n")
        bench.ws.write("new.txt", "command\n")

    def overtake() -> None:
        bench.ws.write("a.txt", "mine\n")
        (bench.ws.root / "b.txt").unlink()
        (bench.ws.root / "c.txt").unlink()
        bench.ws.write("c.txt/mine", "mine\n")
        bench.ws.write("new.txt", "mine\n")

    bench.files.overtaking = overtake
    undone = await bench.checkpoints.undo_turn()
    assert (undone.restored, undone.removed) == ((), ())
    assert conflicts(undone) == dict.fromkeys(("a.txt", "b.txt", "c.txt", "new.txt"), JUST_NOW)
    left = [path.name for path in bench.ws.root.rglob("*") if path.is_file()]
    assert sorted(left) == ["a.txt", "mine", "new.txt"]


async def test_what_is_typed_before_it_is_undone_stays(bench: Bench) -> None:
    bench.ws.open("a.txt", "a\n")
    await bench.checkpoints.before("t", [bench.path("a.txt")])
    bench.ws.edit("a.txt", "turn\n")
    await bench.checkpoints.after("t", {bench.path("a.txt"): "turn\n"})
    bench.files.overtaking = lambda: bench.ws.edit("a.txt", "mine\n", 3)
    undone = await bench.checkpoints.undo_turn()
    assert (names(undone), conflicts(undone)) == (set(), {"a.txt": JUST_NOW})
    assert bench.ws.snapshot.overlays[bench.path("a.txt")].text == "mine\n"


async def test_what_is_typed_while_the_editor_is_asked_stays(bench: Bench) -> None:
    bench.ws.open("a.txt", "a\n")
    await bench.checkpoints.before("t", [bench.path("a.txt")])
    bench.ws.edit("a.txt", "turn\n")
    await bench.checkpoints.after("t", {bench.path("a.txt"): "turn\n"})

    def refuse(_plan: EditPlan) -> str:
        bench.ws.edit("a.txt", "mine\n", 3)
        return "The document changed."

    bench.port.applying = refuse
    undone = await bench.checkpoints.undo_turn()
    assert (conflicts(undone), undone.failed) == ({"a.txt": JUST_NOW}, ())


async def test_an_undo_that_brings_nothing_back_takes_nothing_back(bench: Bench) -> None:
    await bench.edited("one", "a.txt", "one\n")
    await bench.edited("two", "b.txt", "two\n")
    bench.files.overtaking = lambda: bench.ws.write("b.txt", "mine\n")
    assert (await bench.checkpoints.undo_turn()).turn is None
    bench.files.overtaking = lambda: None
    assert conflicts(await bench.checkpoints.undo_turn()) == {"b.txt": SINCE}  # the same turn


async def test_an_undo_that_is_cut_off_is_carried_out(bench: Bench) -> None:
    await bench.edited("t", "a.txt", "turn\n")
    task = asyncio.current_task()
    assert task is not None
    bench.files.overtaking = task.cancel
    with pytest.raises(asyncio.CancelledError):
        await bench.checkpoints.undo_turn()
    task.uncancel()
    bench.files.overtaking = lambda: None
    with pytest.raises(UsageError, match="nothing to undo"):
        await bench.checkpoints.undo_turn()
    assert [turn.undoes for turn in bench.checkpoints.turns] == [(), ("t",)]
    assert bench.texts() == FILES


async def test_a_command_whose_start_cannot_be_kept_is_not_run_and_not_counted(
    bench: Bench,
) -> None:
    bench.keeper.full = {1}
    with pytest.raises(StoreUnavailable):
        async with bench.checkpoints.around("t", bench.listed):
            raise AssertionError("it ran")
    bench.ws.write("a.txt", "mine\n")
    async with bench.checkpoints.around("t", bench.listed):
        bench.ws.write("a.txt", "command\n")
    undone = await bench.checkpoints.undo_turn()
    assert (names(undone), undone.incomplete) == ({"a.txt"}, False)
    assert bench.texts()["a.txt"] == "mine\n"


async def test_a_command_whose_end_cannot_be_kept_is_known_to_this_server(bench: Bench) -> None:
    bench.keeper.full = {2}
    async with bench.checkpoints.around("t", bench.listed):
        bench.ws.write("a.txt", "command\n")
    assert "The disk is full." in bench.port.told[0]
    disk = DiskFiles(lambda: [str(bench.ws.root)])
    later = Checkpoints(bench.store, bench.keeper, bench.files, disk, print)
    assert (await later.undo_turn()).incomplete
    undone = await bench.checkpoints.undo_turn()
    assert (names(undone), undone.incomplete) == ({"a.txt"}, False)
    assert bench.texts() == FILES


async def test_a_command_whose_changes_cannot_be_looked_at_is_told_of(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(_work: object) -> None:
        raise StoreUnavailable("The disk is full.")

    async with bench.checkpoints.around("t", bench.listed):
        bench.ws.write("a.txt", "command\n")
        monkeypatch.setattr(bench.store, "run", full)
    (told,) = bench.port.told
    assert told == (
        "The disk is full. What a command changed is not kept, so undo will not restore it."
    )
    monkeypatch.undo()
    assert (await bench.checkpoints.undo_turn()).incomplete
    async with bench.checkpoints.around("u", bench.listed):
        bench.ws.write("b.txt", "command\n")
    assert names(await bench.checkpoints.undo_turn("u")) == {"b.txt"}


async def test_a_cancelled_command_stays_cancelled_whatever_fails_then(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    async def listed() -> list[str]:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise OSError("no such folder")
        return await bench.listed()

    with pytest.raises(asyncio.CancelledError):
        async with bench.checkpoints.around("t", listed):
            raise asyncio.CancelledError
    assert (await bench.checkpoints.undo_turn()).incomplete


async def test_a_server_killed_while_one_of_two_commands_ran(bench: Bench) -> None:
    async with bench.checkpoints.around("t", bench.listed):
        async with bench.checkpoints.around("t", bench.listed):
            pass
        disk = DiskFiles(lambda: [str(bench.ws.root)])
        later = Checkpoints(bench.store, bench.keeper, bench.files, disk, print)
        assert (await later.undo_turn()).incomplete
    assert not (await bench.checkpoints.undo_turn("t")).incomplete


async def test_texts_are_compared_in_the_encodings_that_are_declared(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    """In CP866, which looks like Latin-1."""
    old, new = "\u0434\u0430\n", "\u043d\u0435\n"
    ws = await workspace({"a.txt": old.encode("cp866")}, {"*.txt": "cp866"})
    store, path = CheckpointStore(tmp_path / "objects.db"), str(ws.root / "a.txt")
    disk = DiskFiles(lambda: [str(ws.root)], ws.host.encoding_of)
    files = EditorFiles(ws.host, Recorder(), disk)
    checkpoints = Checkpoints(store, FullDisk(set()), files, disk, lambda _: None)
    await checkpoints.before("t", [path])
    (ws.root / "a.txt").write_bytes(new.encode("cp866"))
    await checkpoints.after("t", {path: new})
    (delta,) = await checkpoints.deltas("t", sorted)
    assert (delta.before, delta.now) == (old, new)
    assert conflicts(await checkpoints.undo_turn()) == {}
    assert (ws.root / "a.txt").read_bytes() == old.encode("cp866")
    ws.open("a.txt", old)
    assert is_on_disk(ws.snapshot.overlays[path], disk)
    await store.close()
