"""A server is killed in the middle of a command or an undo; the next one takes up what is left."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from glossator.sessions.session import Session
from glossator.sessions.sessions import Sessions
from glossator.undo.checkpoint_log import CheckpointStore
from glossator.undo.checkpoints import Checkpoints
from glossator.undo.file_states import DiskFiles, Restoration, Restored
from glossator.undo.taking_back import OnConflict, Undone
from tests.undo.test_checkpoints import Bench, bench, checkpoints_of, tree

__all__ = ["bench"]
MANY = 120


class Killed(BaseException):
    """The server is killed."""


class Stopping(DiskFiles):
    """Restores some files, and then the server is killed."""

    def __init__(self, root: Path, count: int) -> None:
        super().__init__(lambda: [str(root)])
        self._count = count

    async def restore(self, plan: Iterable[Restoration], limit: int) -> Restored:
        await super().restore(tuple(plan)[: self._count], limit)
        raise Killed


async def resumed(bench: Bench, ago: float = 0) -> Session:
    """The session as the next server finds it, so many seconds after something was written."""
    later = bench.root.parent / "later"
    shutil.copytree(bench.root.parent / "sessions", later)
    (log,) = later.glob("*.log")
    os.utime(log, (time.time() - ago,) * 2)
    return await Sessions(lambda: (str(bench.root),), print, folder=later).open(bench.session.id)


async def taken_up(checkpoints: Checkpoints, bench: Bench) -> list[tuple[Undone, int]]:
    return [each async for each in checkpoints.take_up(bench.listed)]


@pytest.mark.parametrize("count", [0, 1, 60, MANY + 2])
async def test_an_undo_that_was_cut_off_is_finished(bench: Bench, count: int) -> None:
    before = tree(bench.root)
    makes = f"for n in $(seq {MANY}); do mkdir -p new/$n; echo x > new/$n/f; done"
    await bench.shell("t", f"{makes}; echo more >> src/a.py; rm run.sh")
    after = tree(bench.root)
    files = Stopping(bench.root, count)
    killed = Checkpoints(bench.store, bench.session, files, files, print)
    with pytest.raises(Killed):
        await killed.undo_turn()
    again = checkpoints_of(bench.root, bench.store, bench.session)
    ((finished, left),) = await taken_up(again, bench)
    assert tree(bench.root) == before
    assert not (bench.root / "new").exists()
    assert (len(finished.restored), len(finished.removed), left) == (2, MANY, 0)
    assert await taken_up(again, bench) == []
    later = checkpoints_of(bench.root, bench.store, bench.session)
    assert await later.undo_turn() == finished  # who undoes again meant that
    assert tree(bench.root) == before
    await later.redo_turn()
    assert tree(bench.root) == after
    await later.undo_turn()
    assert tree(bench.root) == before


async def test_what_changed_since_an_undo_was_cut_off_stays(bench: Bench) -> None:
    await bench.edit("t", "src/a.py", "a = 2\n")
    await bench.edit("t", "run.sh", "other\n")
    files = Stopping(bench.root, 0)
    with pytest.raises(Killed):
        await Checkpoints(bench.store, bench.session, files, files, print).undo_turn()
    (bench.root / "run.sh").write_text("mine\n")
    again = checkpoints_of(bench.root, bench.store, bench.session)
    ((finished, left),) = await taken_up(again, bench)
    assert (bench.told(finished), left) == (({"src/a.py"}, set()), 1)
    assert (bench.root / "run.sh").read_text() == "mine\n"


async def test_what_a_command_did_that_was_cut_off_is_undone(bench: Bench) -> None:
    before = tree(bench.root)
    async with bench.checkpoints.around("t", bench.listed):
        bench.checkpoints.job_began("t", "1", "make watch")
        (bench.root / "src" / "a.py").unlink()
        (bench.root / "made").write_text("x")
        os.rename(bench.root / "run.sh", bench.root / "src" / "run.sh")
        again = checkpoints_of(bench.root, bench.store, await resumed(bench))
        assert await taken_up(again, bench) == []
        undone = await again.undo_turn()
        assert (undone.conflicts, undone.incomplete, undone.jobs) == ((), False, ())
        assert bench.told(undone) == ({"src/a.py", "run.sh"}, {"made", "src/run.sh"})
        assert tree(bench.root) == before


async def test_what_changed_when_no_server_watched_is_a_conflict(bench: Bench) -> None:
    async with bench.checkpoints.around("t", bench.listed):
        (bench.root / "made").write_text("x")
        session = await resumed(bench, ago=3600)
        again = checkpoints_of(bench.root, bench.store, session)
        await taken_up(again, bench)
        refused = await again.undo_turn()
        assert bench.names(tuple(each.path for each in refused.conflicts)) == {"made"}
        undone = await again.undo_turn(on_conflict=OnConflict.OVERWRITE)
        assert bench.told(undone) == (set(), {"made"})


async def test_what_was_kept_for_a_command_that_was_cut_off_may_be_gone(
    bench: Bench, tmp_path: Path
) -> None:
    async with bench.checkpoints.around("t", bench.listed):
        (bench.root / "made").write_text("x")
        store = CheckpointStore(tmp_path / "another.db")
        again = checkpoints_of(bench.root, store, bench.session)
        await taken_up(again, bench)
        assert (await again.undo_turn()).incomplete
        await store.close()
