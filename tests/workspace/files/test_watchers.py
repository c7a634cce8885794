"""Each way of watching: what it says of itself, what it watches, and what happens when it fails."""

from __future__ import annotations

import asyncio
import math
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from glossator.settings.model import WorkspaceSettings
from glossator.workspace.files import indexer
from glossator.workspace.files.indexer import Indexer
from glossator.workspace.files.listing import FileIndex
from glossator.workspace.files.rescan import Suspension, SweepSlot, interval
from glossator.workspace.files.roots import Roots
from glossator.workspace.files.watch_inotify import InotifyWatcher
from tests.exhaustion import no_descriptor_left
from tests.patience import SECONDS, until
from tests.workspace.files.trees import as_plain_user, write_tree

QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")
MAX_QUEUED = int(QUEUE.read_text()) if QUEUE.exists() else 0
inotify = pytest.mark.skipif(sys.platform != "linux", reason="inotify exists on Linux only")


class Watched:
    """A running index, and the means to wait for what happens to it."""

    def __init__(self, root: Path, kind: str) -> None:
        self._something = asyncio.Event()
        settings = WorkspaceSettings.model_validate({"watcher": kind})
        roots = Roots.of((str(root),))
        self.index = Indexer(
            FileIndex(), roots, settings, lambda *_: None, lambda _: self._something.set()
        )

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
async def test_what_is_above_the_root_is_moved_and_made_again(tmp_path: Path) -> None:
    base = tmp_path / "far" / "near"
    write_tree(base / "root", {"old": "", "d/f": ""})
    async with watching(base / "root", "inotify") as watched:
        base.parent.rename(tmp_path / "elsewhere")
        await watched.until(lambda: watched.listed() == [])
        await watched.index.ready()
        assert watched.index.watching.startswith("off: ")
        (tmp_path / "elsewhere" / "near" / "root" / "d" / "g").touch()
        (tmp_path / "elsewhere").rename(base.parent)
        await watched.until(lambda: watched.listed() == ["d/f", "d/g", "old"])
        await watched.index.ready()
        (base / "root" / "more").touch()
        await watched.until(lambda: "more" in watched.listed())
        shutil.rmtree(base.parent)
        await watched.until(lambda: watched.listed() == [])
        write_tree(base / "root", {"new": ""})
        await watched.until(lambda: watched.listed() == ["new"])
        await watched.index.ready()
        (base / "root" / "newer").touch()
        await watched.until(lambda: watched.listed() == ["new", "newer"])
        assert watched.index.watching == "inotify: 1 folders"


async def test_a_root_that_is_another_folder_now_is_noticed_without_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "_TICK_SECONDS", 0.05)
    write_tree(tmp_path, {"p/root/old": "", "q/root/new": ""})
    async with watching(tmp_path / "p" / "root", "off") as watched:
        (tmp_path / "p").rename(tmp_path / "away")
        await watched.until(lambda: watched.listed() == [])
        (tmp_path / "q").rename(tmp_path / "p")
        await watched.until(lambda: watched.listed() == ["new"])
        await watched.index.ready()
        last = watched.index.last_sweep
        assert last is not None
        assert last.cause == "a workspace folder was replaced"


@inotify
def test_events_are_not_relied_on_while_a_root_is_not_watched(tmp_path: Path) -> None:
    roots = Roots((str(tmp_path / "here"), str(tmp_path / "gone")))
    (tmp_path / "here").mkdir()
    watcher = InotifyWatcher(roots, lambda _: None, lambda _: None)
    watcher.renew()
    watcher.enter(roots.paths[0], set())
    missing = f" (not all: {roots.paths[1]} is not there)"
    assert (watcher.reliable, watcher.status) == (False, f"inotify: 1 folders{missing}")
    (tmp_path / "gone").mkdir()
    watcher.enter(roots.paths[1], set())
    assert (watcher.reliable, watcher.status) == (True, "inotify: 2 folders")
    watcher.stop()


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
    slot.done(1.0, 300)
    slot.ask("git", 1.0)
    assert 15 < slot.seconds_left() <= 20
    assert not slot.urgent
    slot.ask("asked")
    assert (slot.seconds_left(), slot.urgent) == (0.0, True)
    assert slot.take() == "asked"
    assert (slot.seconds_left(), slot.urgent) == (math.inf, False)
    slot.done(1.0, 300)
    assert 299 < slot.seconds_left() <= 300


@pytest.mark.parametrize(
    ("asked", "seconds", "watched", "expected"),
    [
        (300, 0.5, True, 300),
        (300, 3.0, True, 600),
        (300, 60.0, True, 3_600),
        (7_200, 60.0, True, 7_200),
        (300, 3.0, False, 30),
        (10, 3.0, False, 10),
    ],
)
def test_a_long_sweep_is_made_rarely_where_nothing_is_missed(
    asked: float, seconds: float, watched: bool, expected: float
) -> None:
    assert interval(asked, seconds, watched=watched) == expected


def test_sleep_is_noticed_once() -> None:
    asleep = iter([5.0, 5.0, 65.0, 65.0])
    suspension = Suspension(lambda: next(asleep))
    assert [suspension.ended() for _ in range(3)] == [False, True, False]


async def test_a_sweep_without_descriptors_forgets_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.py").write_text("x = 1\n")
    async with watching(tmp_path, "off") as watched:
        with no_descriptor_left():
            watched.index.sweep("a test")
            watched.index.refresh([str(tmp_path / "sub")])
            await until(lambda: "is looked at again" in caplog.text)
            assert watched.listed() == ["sub/a.py"]
        (tmp_path / "sub" / "b.py").write_text("x = 2\n")
        await watched.index.ready()
        await watched.until(lambda: watched.listed() == ["sub/a.py", "sub/b.py"])
