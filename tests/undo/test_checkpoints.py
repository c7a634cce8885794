"""Checkpoints: what a turn changed comes back byte for byte, and nobody's later work is lost."""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import shutil
import stat
import subprocess
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from glossator.core.errors import UsageError
from glossator.sessions.session import Session
from glossator.sessions.sessions import Sessions
from glossator.undo import baseline
from glossator.undo.baseline import BaselineCoverage, BaselineLimits
from glossator.undo.checkpoint_log import CheckpointStore
from glossator.undo.checkpoints import Checkpoints
from glossator.undo.file_states import Content, DiskFiles, NoFile, Restoration
from glossator.undo.taking_back import OnConflict, Undone
from tests.lsp.support.chance import seeded

ROUNDS = 12
LIMIT = 1_000  # bytes
Tree = dict[str, tuple[str, int, bytes]]


def tree(root: Path) -> Tree:
    """Everything below `root` but empty folders: kind, mode, bytes."""
    found: Tree = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if path.is_symlink():
            found[name] = ("link", 0, os.fsencode(os.readlink(path)))
        elif path.is_file():
            found[name] = ("file", stat.S_IMODE(path.stat().st_mode), path.read_bytes())
    return found


def differences(old: Tree, new: Tree) -> tuple[set[str], set[str]]:
    """The names of what is new or other in `new`, and of what is not in it."""
    return {name for name in new if new[name] != old.get(name)}, set(old) - set(new)


@dataclass
class Bench:
    root: Path
    store: CheckpointStore
    session: Session
    checkpoints: Checkpoints
    ignored: set[str] = field(default_factory=set)

    async def listed(self) -> list[str]:
        return [
            str(path)
            for path in self.root.rglob("*")
            if (path.is_symlink() or path.is_file())
            and self.ignored.isdisjoint(path.relative_to(self.root).parts)
        ]

    async def shell(self, turn: str, script: str) -> BaselineCoverage:
        async with self.checkpoints.around(turn, self.listed) as coverage:
            await asyncio.to_thread(
                subprocess.run, ["sh", "-ec", script], cwd=self.root, check=True
            )
        return coverage

    async def edit(self, turn: str, name: str, text: str) -> None:
        path = self.root / name
        assert await self.checkpoints.before(turn, [str(path)]) == ()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        await self.checkpoints.after(turn, {str(path): None})

    def names(self, paths: tuple[str, ...]) -> set[str]:
        return {os.path.relpath(path, self.root) for path in paths}

    def told(self, undone: Undone) -> tuple[set[str], set[str]]:
        return self.names(undone.restored), self.names(undone.removed)


def checkpoints_of(
    root: Path, store: CheckpointStore, session: Session, limits: BaselineLimits | None = None
) -> Checkpoints:
    files = DiskFiles(lambda: [str(root)])
    return Checkpoints(store, session, files, files, print, limits)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    root = tmp_path / "ws"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_bytes(b"a = 1\r\n")
    (root / "src" / "b.py").write_bytes(b"\xff\xfe\x00binary")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("src/a.py")
    store = CheckpointStore(tmp_path / "objects.db")
    sessions = Sessions(lambda: (str(root),), print, folder=tmp_path / "sessions")
    session = sessions.create()
    yield Bench(root, store, session, checkpoints_of(root, store, session))
    await store.close()


async def test_an_edit_and_a_new_file_are_taken_back_and_redone(bench: Bench) -> None:
    before = tree(bench.root)
    await bench.edit("t", "src/a.py", "a = 2\n")
    await bench.edit("t", "new/deep/c.py", "c\n")
    await bench.edit("t", "src/a.py", "a = 3\n")
    after = tree(bench.root)
    undone = await bench.checkpoints.undo_turn()
    assert bench.names(undone.restored) == {"src/a.py"}
    assert bench.names(undone.removed) == {"new/deep/c.py"}
    assert tree(bench.root) == before
    assert not (bench.root / "new").exists()
    assert undone.turn is not None
    await bench.checkpoints.undo_turn(undone.turn)
    assert tree(bench.root) == after
    await bench.checkpoints.undo_turn()  # the turn stands again
    assert tree(bench.root) == before


@pytest.mark.parametrize(
    "script",
    [
        "echo more >> src/a.py",
        "rm src/b.py; echo new > made.txt",
        "mv src lib",
        "chmod 600 run.sh",
        "ln -sfn src/b.py link; rm run.sh; ln -s src/a.py run.sh",
        "rm -r src; echo file > src",
        "rm run.sh; mkdir run.sh; echo x > run.sh/x",
        "rm link; cp src/a.py link",
        "rm -r ./*",
        "printf 'b = 1\\r\\n' > src/a.py; touch -d '2001-01-01' src/a.py",
        "cp -p src/a.py keep; mkdir -p x/y; mv keep x/y/z",
    ],
)
async def test_what_a_command_did_is_taken_back(bench: Bench, script: str) -> None:
    before = tree(bench.root)
    assert await bench.shell("t", script) == BaselineCoverage(4, 0)
    assert tree(bench.root) != before
    after = tree(bench.root)
    undone = await bench.checkpoints.undo_turn()
    assert (undone.conflicts, undone.failed, undone.incomplete) == ((), (), False)
    assert bench.told(undone) == differences(after, before)
    assert tree(bench.root) == before
    assert undone.turn is not None
    redone = await bench.checkpoints.undo_turn(undone.turn)
    assert bench.told(redone) == differences(before, after)
    assert tree(bench.root) == after


async def test_a_folder_that_is_moved_takes_its_old_files_with_it(bench: Bench) -> None:
    """Their status does not tell that they are new there."""
    before = tree(bench.root)
    clock = itertools.count(time.time_ns() + 10**12, 10**9)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(baseline, "time_ns", lambda: next(clock))
        await bench.shell("t", "mv src lib; mkdir src; echo new > src/a.py")
    await bench.checkpoints.undo_turn()
    assert tree(bench.root) == before


async def test_a_command_that_changes_nothing_leaves_nothing(bench: Bench) -> None:
    await bench.shell("t", "touch src/a.py; cat src/b.py > /dev/null")
    assert bench.checkpoints.turns == ()


async def test_a_failing_command_is_covered_too(bench: Bench) -> None:
    before = tree(bench.root)
    with pytest.raises(subprocess.CalledProcessError):
        await bench.shell("t", "rm src/a.py; false")
    await bench.checkpoints.undo_turn()
    assert tree(bench.root) == before


async def test_another_process_takes_back_what_this_one_did(bench: Bench) -> None:
    before = tree(bench.root)
    await bench.edit("one", "src/a.py", "a = 2\n")
    await bench.shell("two", "rm src/a.py; echo x > x")
    again = checkpoints_of(bench.root, bench.store, bench.session)
    assert [(t.turn, bench.names(t.paths)) for t in again.turns] == [
        ("one", {"src/a.py"}),
        ("two", {"src/a.py", "x"}),
    ]
    await again.restore_to("one")
    assert tree(bench.root) == before


async def test_later_work_of_the_user_is_not_overwritten(bench: Bench) -> None:
    before = tree(bench.root)
    await bench.edit("t", "src/a.py", "a = 2\n")
    await bench.edit("t", "run.sh", "other\n")
    (bench.root / "src" / "a.py").write_text("mine\n")
    mine = tree(bench.root)
    refused = await bench.checkpoints.undo_turn()
    assert refused.turn is None
    assert [(Path(p.path).name, p.reason) for p in refused.conflicts] == [
        ("a.py", "was changed by somebody else since")
    ]
    assert tree(bench.root) == mine
    left = await bench.checkpoints.undo_turn(on_conflict=OnConflict.LEAVE)
    assert bench.names(left.restored) == {"run.sh"}
    assert tree(bench.root) == {**before, "src/a.py": mine["src/a.py"]}
    forced = await bench.checkpoints.undo_turn("t", OnConflict.OVERWRITE)
    assert tree(bench.root) == before
    await bench.checkpoints.undo_turn(forced.turn)
    assert tree(bench.root)["src/a.py"] == mine["src/a.py"]


async def test_work_between_two_changes_of_a_turn_is_noticed(bench: Bench) -> None:
    await bench.edit("t", "src/a.py", "a = 2\n")
    (bench.root / "src" / "a.py").write_text("a = 2\nmine\n")
    await bench.edit("t", "src/a.py", "a = 3\nmine\n")
    refused = await bench.checkpoints.undo_turn()
    assert [problem.reason for problem in refused.conflicts] == [
        "was changed by somebody else in between"
    ]


@pytest.mark.parametrize("how", ["edit", "shell"])
async def test_work_between_two_turns_is_noticed(bench: Bench, how: str) -> None:
    await bench.edit("one", "src/a.py", "a = 2\n")
    (bench.root / "src" / "a.py").write_text("mine\n")
    if how == "edit":
        await bench.edit("two", "src/a.py", "a = 3\n")
    else:
        await bench.shell("two", "echo 'a = 3' > src/a.py")
    assert len((await bench.checkpoints.restore_to("one")).conflicts) == 1
    await bench.checkpoints.undo_turn("two")
    assert (bench.root / "src" / "a.py").read_text() == "mine\n"


async def test_a_change_that_was_not_made_is_none(bench: Bench) -> None:
    path = bench.root / "src" / "a.py"
    await bench.checkpoints.before("t", [str(path)])
    await bench.checkpoints.after("t", {str(path): None})
    path.write_text("mine\n")
    assert bench.checkpoints.turns == ()
    assert (await bench.checkpoints.undo_turn("t")).restored == ()


async def test_nothing_to_undo(bench: Bench) -> None:
    with pytest.raises(UsageError, match="nothing to undo"):
        await bench.checkpoints.undo_turn()
    with pytest.raises(UsageError, match="list the turns"):
        await bench.checkpoints.restore_to("nonsense")
    await bench.shell("t", "echo x > made")
    await bench.checkpoints.undo_turn()
    with pytest.raises(UsageError, match="Every turn that changed a file is undone"):
        await bench.checkpoints.undo_turn()


async def test_a_server_killed_during_a_command_says_so(bench: Bench) -> None:
    async with bench.checkpoints.around("t", bench.listed):
        again = checkpoints_of(bench.root, bench.store, bench.session)
        undone = await again.undo_turn()
    assert (undone.restored, undone.incomplete) == ((), True)


async def test_a_server_killed_during_a_job_says_so(bench: Bench) -> None:
    """Also when a command beside it has ended."""
    async with bench.checkpoints.around("t", bench.listed):
        bench.checkpoints.job_began("t", "1", "make watch")
        await bench.shell("t", "true")
        undone = await checkpoints_of(bench.root, bench.store, bench.session).undo_turn()
    assert (undone.incomplete, undone.jobs) == (True, ("make watch",))


async def test_a_turn_that_changed_nothing_is_not_the_last(bench: Bench) -> None:
    await bench.edit("one", "src/a.py", "a = 2\n")
    await bench.edit("two", "src/a.py", "a = 2\n")
    undone = await bench.checkpoints.undo_turn()
    assert bench.names(undone.restored) == {"src/a.py"}
    assert (bench.root / "src" / "a.py").read_bytes() == b"a = 1\r\n"


async def test_commands_at_once_share_what_was_before(bench: Bench) -> None:
    before = tree(bench.root)
    async with bench.checkpoints.around("t", bench.listed):
        (bench.root / "src" / "a.py").write_text("one\n")
        await bench.shell("t", "echo two > src/a.py")
        (bench.root / "src" / "a.py").write_text("three\n")
    await bench.checkpoints.undo_turn()
    assert tree(bench.root) == before


async def test_what_lies_beyond_the_limits_is_told(bench: Bench) -> None:
    limits = BaselineLimits(file_bytes=100, bytes=1_000, files=10)
    (bench.root / "large").write_bytes(bytes(101))
    bench.checkpoints = checkpoints_of(bench.root, bench.store, bench.session, limits)
    assert await bench.shell("t", "echo x >> large; echo x >> run.sh") == BaselineCoverage(4, 1)
    (told,) = (await bench.checkpoints.undo_turn()).conflicts
    assert "at most 100 are kept" in told.reason
    undone = await bench.checkpoints.undo_turn(on_conflict=OnConflict.OVERWRITE)
    assert bench.names(undone.restored) == {"run.sh"}
    assert bench.names(tuple(problem.path for problem in undone.failed)) == {"large"}


async def test_what_was_only_hidden_is_not_deleted(bench: Bench) -> None:
    (bench.root / "node_modules").mkdir()
    (bench.root / "node_modules" / "x.js").write_text("x")
    (bench.root / ".gitignore").write_text("node_modules\n")
    bench.ignored = {"node_modules"}
    async with bench.checkpoints.around("t", bench.listed):
        (bench.root / ".gitignore").unlink()
        os.utime(bench.root / "node_modules" / "x.js")
        bench.ignored = set()
    await bench.checkpoints.undo_turn(on_conflict=OnConflict.OVERWRITE)
    assert (bench.root / "node_modules" / "x.js").read_text() == "x"
    assert (bench.root / ".gitignore").read_text() == "node_modules\n"


async def test_what_made_room_cannot_come_back(bench: Bench, tmp_path: Path) -> None:
    small = CheckpointStore(tmp_path / "small.db", 200_000)
    checkpoints = checkpoints_of(bench.root, small, bench.session)
    bench.checkpoints = checkpoints
    await bench.edit("one", "src/a.py", "a = 2\n")
    for number in range(30):
        (bench.root / "noise").write_bytes(os.urandom(20_000))
        await bench.shell(f"n{number}", "echo more >> noise")
    undone = await checkpoints.undo_turn("one")
    assert [problem.reason for problem in undone.failed] == [
        "had to make room for newer checkpoints, or was damaged on disk"
    ]
    assert (bench.root / "src" / "a.py").read_text() == "a = 2\n"
    await small.close()


async def test_restoring_follows_no_link_out(bench: Bench, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("theirs\n")
    await bench.shell("t", "rm src/a.py src/b.py; rmdir src")
    (bench.root / "src").symlink_to(outside)
    undone = await bench.checkpoints.undo_turn(on_conflict=OnConflict.OVERWRITE)
    assert len(undone.failed) == 2
    assert (outside / "a.py").read_text() == "theirs\n"
    assert os.listdir(outside) == ["a.py"]


@pytest.mark.parametrize("path", ["/etc/hostname", "..", "../x", "src/../../x", "."])
async def test_nothing_outside_the_workspace_is_touched(bench: Bench, path: str) -> None:
    target = os.path.join(bench.root, path)
    files = DiskFiles(lambda: [str(bench.root)])
    done = await files.restore([Restoration(target, Content(b"x", 0o600), NoFile())], LIMIT)
    assert (list(done.failed), done.left, done.changed) == ([target], {}, [])


async def test_random_turns_are_taken_back_one_by_one(bench: Bench) -> None:
    chance = seeded()
    states = []
    for number in range(ROUNDS):
        states.append(tree(bench.root))
        change_at_random(bench.root, chance, number)
        shutil.copytree(bench.root, bench.root.parent / "next", symlinks=True)
        restore_tree(bench.root, states[-1])
        await bench.shell(f"t{number}", "rm -rf ./* && cp -a ../next/. .")
        shutil.rmtree(bench.root.parent / "next")
    for number in reversed(range(ROUNDS)):
        if any(changes.turn == f"t{number}" for changes in bench.checkpoints.turns):
            undone = await bench.checkpoints.undo_turn(f"t{number}")
            assert (undone.conflicts, undone.failed) == ((), ())
        assert tree(bench.root) == states[number]


def change_at_random(root: Path, chance: random.Random, number: int) -> None:
    for _ in range(chance.randrange(1, 6)):
        files = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()]
        match chance.randrange(4):
            case 0 if files:
                chance.choice(files).unlink()
            case 1 if files:
                chance.choice(files).write_bytes(chance.randbytes(chance.randrange(50)))
            case 2 if files:
                chance.choice(files).chmod(chance.choice([0o600, 0o644, 0o755]))
            case _:
                path = root / chance.choice("abc") / chance.choice("def") / f"f{number}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(chance.randbytes(20))


def restore_tree(root: Path, wanted: Tree) -> None:
    shutil.rmtree(root)
    root.mkdir()
    for name, (kind, mode, data) in wanted.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "link":
            path.symlink_to(os.fsdecode(data))
        else:
            path.write_bytes(data)
            path.chmod(mode)
