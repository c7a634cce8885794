"""Each way of watching: what it says of itself, what it watches, and what happens when it fails."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from glossator.settings.model import WorkspaceSettings
from glossator.workspace.indexer import Indexer
from glossator.workspace.roots import Roots
from glossator.workspace.sweep import Suspension, SweepSlot
from tests.workspace.trees import as_plain_user, write_tree

SECONDS = 10
QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")
MAX_QUEUED = int(QUEUE.read_text()) if QUEUE.exists() else 0
inotify = pytest.mark.skipif(sys.platform != "linux", reason="inotify exists on Linux only")


class Watched:
    """A running index, and the means to wait for what happens to it."""

    def __init__(self, root: Path, kind: str) -> None:
        self._something = asyncio.Event()
        settings = WorkspaceSettings.model_validate({"watcher": kind})
        roots = Roots.of((str(root),))
        self.index = Indexer(roots, settings, lambda _: None, lambda _: self._something.set())

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(SECONDS):
            while not holds():
                self._something.clear()
                await self._something.wait()

    def listed(self) -> list[str]:
        return [entry.relative for entry in self.index.index.freeze().files]


@asynccontextmanager
async def watching(root: Path, kind: str) -> AsyncIterator[Watched]:
    watched = Watched(root, kind)
    watched.index.start()
    await watched.index.ready()
    try:
        yield watched
    finally:
        await watched.index.close()
    assert watched.index.watching == "off: closed"


@inotify
async def test_only_listed_folders_are_watched(tmp_path: Path) -> None:
    write_tree(tmp_path, {".gitignore": "out/\n", "a/b/f": "", "out/x/y/f": "", ".git/HEAD": ""})
    async with watching(tmp_path, "inotify") as watched:
        assert watched.index.watching == "inotify: 4 folders"  # the root, a, a/b and .git
        write_tree(tmp_path, {"c/f": "", ".gitignore": "a/\n"})
        await watched.until(lambda: watched.listed() == [".gitignore", "c/f", "out/x/y/f"])
        await watched.until(lambda: watched.index.complete)
        assert watched.index.watching == "inotify: 6 folders"


@pytest.mark.parametrize("kind", [pytest.param("inotify", marks=inotify), "watchfiles"])
async def test_files_in_a_new_tree_are_found(tmp_path: Path, kind: str) -> None:
    tree = {f"{first}/{second}/{n}": "" for first in "ab" for second in "xy" for n in range(30)}
    async with watching(tmp_path, kind) as watched:
        assert watched.index.watching.startswith(kind)
        write_tree(tmp_path, tree)
        await watched.until(lambda: watched.listed() == sorted(tree))


@inotify
async def test_the_root_is_replaced(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_tree(root, {"old": ""})
    async with watching(root, "inotify") as watched:
        root.rename(tmp_path / "moved")
        await watched.until(lambda: watched.listed() == [])
        assert watched.index.watching.startswith("off: ")
        write_tree(root, {"new": ""})
        await watched.until(lambda: watched.listed() == ["new"])
        assert watched.index.watching == "inotify: 1 folders"


@inotify
async def test_a_folder_that_may_be_read_again() -> None:
    with as_plain_user() as root:
        write_tree(root, {"d/f": ""})
        (root / "d").chmod(0)
        async with watching(root, "inotify") as watched:
            assert watched.listed() == []
            (root / "d").chmod(0o700)
            await watched.until(lambda: watched.listed() == ["d/f"])


async def test_without_a_watcher_a_sweep_finds_changes(tmp_path: Path) -> None:
    async with watching(tmp_path, "off") as watched:
        assert watched.index.watching == "off: the setting workspace.watcher says so"
        write_tree(tmp_path, {"f": ""})
        watched.index.sweep("asked")
        await watched.index.ready()
        assert watched.listed() == ["f"]
        last = watched.index.last_sweep
        assert last is not None
        assert (last.cause, last.differences) == ("asked", 1)


@inotify
async def test_an_overflow_is_followed_by_a_sweep(tmp_path: Path) -> None:
    write_tree(tmp_path, {"f": ""})
    async with watching(tmp_path, "inotify") as watched:
        paths = [str(tmp_path / name) for name in "ab"]
        for number in range(MAX_QUEUED + 10):  # nobody reads the events meanwhile
            os.close(os.open(paths[number % 2], os.O_CREAT | os.O_WRONLY))
        (tmp_path / "last").write_text("")
        await watched.until(lambda: watched.listed() == ["a", "b", "f", "last"])
        await watched.index.ready()
        last = watched.index.last_sweep
        assert last is not None
        assert last.cause == "the system's queue of file events ran over"


def test_a_sweep_that_can_wait_leaves_time_after_the_last() -> None:
    slot = SweepSlot(300)
    assert 299 < slot.seconds_left() <= 300
    slot.done(1.0)
    slot.ask("git", 1.0)
    assert 15 < slot.seconds_left() <= 20
    assert not slot.urgent
    slot.ask("asked")
    assert (slot.seconds_left(), slot.urgent) == (0.0, True)
    assert slot.take(300) == "asked"
    assert not slot.urgent
    assert slot.seconds_left() > 299


def test_sleep_is_noticed_once() -> None:
    asleep = iter([5.0, 5.0, 65.0, 65.0])
    suspension = Suspension(lambda: next(asleep))
    assert [suspension.ended() for _ in range(3)] == [False, True, False]
