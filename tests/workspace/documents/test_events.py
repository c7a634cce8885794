"""What happens on disk reaches the index and the listeners, with the real watcher."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import threading
from collections.abc import AsyncIterator, Callable
from collections.abc import Set as AbstractSet
from pathlib import Path

import pytest
import pytest_asyncio

from glossator.core.errors import UsageError
from glossator.core.uri import to_uri
from glossator.workspace.documents.host import WorkspaceHost
from glossator.workspace.documents.overlays import DiskChanged, Opened, RootsChanged, Saved
from glossator.workspace.files.indexer import Indexer
from tests.patience import SECONDS
from tests.workspace.files.trees import host, scan, text, write_tree

FILES = {"a.txt": "a", "d/b.txt": "b", "d/e/c.log": "c", "build/x.o": "x"}


class Watched:
    """A running host, and what its listeners were told."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.host = host(root)
        self.told: set[str] = set()
        self._something = asyncio.Event()
        self.host.subscribe(self._listen)

    def _listen(self, paths: AbstractSet[str]) -> None:
        self.told |= {os.path.relpath(path, self.root) for path in paths}
        self._something.set()

    def listed(self) -> list[str]:
        return [entry.relative for entry in self.host.snapshot().files()]

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(SECONDS):
            while not holds():
                self._something.clear()
                await self._something.wait()

    async def until_listed(self, *expected: str) -> None:
        try:
            await self.until(lambda: self.listed() == sorted(expected))
        except TimeoutError:
            assert self.listed() == sorted(expected)


@pytest_asyncio.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    write_tree(tmp_path, FILES)
    watched = Watched(tmp_path)
    await watched.host.start()
    await watched.host.ready()
    await watched.until_listed(*FILES)
    watched.told.clear()
    yield watched
    await watched.host.close()


async def test_create_modify_delete(watched: Watched) -> None:
    path = watched.root / "d" / "new.txt"
    path.write_text("1")
    await watched.until_listed(*FILES, "d/new.txt")
    assert "d/new.txt" in watched.told
    before = watched.host.snapshot()
    watched.told.clear()
    path.write_text("longer")
    await watched.until(lambda: "d/new.txt" in watched.told)
    await watched.until(lambda: sizes(watched)["d/new.txt"] == 6)
    assert {entry.relative: entry.size for entry in before.files()}["d/new.txt"] == 1
    assert text(watched.host.snapshot(), "d/new.txt") == "longer"
    path.unlink()
    await watched.until_listed(*FILES)


def sizes(watched: Watched) -> dict[str, int]:
    return {entry.relative: entry.size for entry in watched.host.snapshot().files()}


async def test_a_save_by_renaming_over(watched: Watched) -> None:
    write_tree(watched.root, {"a.tmp": "saved"})
    (watched.root / "a.tmp").rename(watched.root / "a.txt")
    await watched.until(lambda: sizes(watched)["a.txt"] == 5)
    await watched.until_listed(*FILES)


async def test_a_folder_is_renamed(watched: Watched) -> None:
    (watched.root / "d").rename(watched.root / "moved")
    await watched.until_listed("a.txt", "build/x.o", "moved/b.txt", "moved/e/c.log")
    assert {"d/b.txt", "moved/b.txt"} <= watched.told


async def test_a_folder_is_copied_in(watched: Watched) -> None:
    source = watched.root.parent / f"{watched.root.name}-source"
    tree = {f"{first}/{second}/f{n}": "" for first in "abc" for second in "xyz" for n in range(20)}
    write_tree(source, tree)
    shutil.copytree(source, watched.root / "copy")
    await watched.until_listed(*FILES, *(f"copy/{path}" for path in tree))


async def test_a_folder_is_removed(watched: Watched) -> None:
    shutil.rmtree(watched.root / "d")
    await watched.until_listed("a.txt", "build/x.o")


async def test_ignore_rules_are_edited(watched: Watched) -> None:
    ignore = watched.root / ".gitignore"
    ignore.write_text("build/\n*.log\n")
    await watched.until_listed(".gitignore", "a.txt", "d/b.txt")
    skipped = {item.rule: item.example for item in watched.host.snapshot().skipped}
    assert skipped == {".gitignore:1 build/": "build", ".gitignore:2 *.log": "d/e/c.log"}
    write_tree(watched.root, {"d/.ignore": "!*.log\n"})
    await watched.until_listed(".gitignore", "a.txt", "d/b.txt", "d/.ignore", "d/e/c.log")
    ignore.unlink()
    (watched.root / "d" / ".ignore").unlink()
    await watched.until_listed(*FILES)
    assert watched.host.snapshot().skipped == ()


async def test_git_is_watched_for_its_rules_alone(watched: Watched) -> None:
    write_tree(watched.root, {".git/HEAD": "ref", ".git/info/exclude": "*.log\n"})
    await watched.until_listed("a.txt", "build/x.o", "d/b.txt")
    watched.told.clear()
    write_tree(watched.root, {".git/config": "", ".git/noise": "", "last": ""})
    await watched.until(lambda: "last" in watched.told)
    assert not [path for path in watched.told if path.startswith(".git" + os.sep)]


async def test_a_flood_of_changes(watched: Watched) -> None:
    flood = {f"flood/{number}.txt": "" for number in range(3000)}
    write_tree(watched.root, flood)
    await watched.until_listed(*FILES, *flood)
    await watched.until(lambda: watched.host.snapshot().index_complete)


async def test_changes_during_the_first_scan_are_not_lost(tmp_path: Path) -> None:
    write_tree(tmp_path, {f"d{number}/f.txt": "" for number in range(300)})
    watched = Watched(tmp_path)
    await watched.host.start()
    assert not watched.host.snapshot().index_complete
    await asyncio.sleep(0)  # the watcher is on, the scan has begun
    write_tree(tmp_path, {"early.txt": "", "d7/early.txt": ""})
    (tmp_path / "d8" / "f.txt").unlink()
    await watched.host.ready()
    await watched.until(lambda: {"early.txt", "d7/early.txt"} <= set(watched.listed()))
    await watched.until(lambda: "d8/f.txt" not in watched.listed())
    await watched.until(lambda: watched.host.snapshot().index_complete)
    await watched.host.close()


async def test_saving_refreshes_the_index_at_once(watched: Watched) -> None:
    path = watched.root / "draft.txt"
    watched.host.apply(Opened(to_uri(str(path)), 1, "draft"))
    path.write_text("draft")
    watched.host.apply(Saved(to_uri(str(path))))
    assert sizes(watched)["draft.txt"] == 5
    assert str(path) in watched.host._indexer.index


async def test_roots_join_and_leave(
    watched: Watched, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    write_tree(other, {"o.txt": "o"})
    watched.host.apply(RootsChanged((str(other),), ()))
    assert not watched.host.snapshot().index_complete
    await watched.host.ready()
    name = watched.root.name
    assert watched.listed() == sorted([f"{name}/{path}" for path in FILES] + ["other0/o.txt"])
    (other / "more.txt").write_text("")
    await watched.until(lambda: "other0/more.txt" in watched.listed())
    watched.host.apply(RootsChanged((), (str(watched.root),)))
    await watched.host.ready()
    assert watched.listed() == ["more.txt", "o.txt"]
    assert watched.host.status().watcher == "inotify: 1 folders"


async def test_a_listener_leaves(watched: Watched) -> None:
    told: list[AbstractSet[str]] = []
    unsubscribe = watched.host.subscribe(told.append)
    paths = [str(watched.root / path) for path in ("a.txt", "d/b.txt")]
    watched.host.apply(DiskChanged(frozenset(paths)))
    assert told == []  # nothing changed there
    write_tree(watched.root, {"a.txt": "changed"})
    watched.host.apply(DiskChanged(frozenset(paths)))
    unsubscribe()
    unsubscribe()
    write_tree(watched.root, {"d/b.txt": "changed"})
    watched.host.apply(DiskChanged(frozenset(paths)))
    assert told == [frozenset(paths[:1])]


async def test_the_watcher_tells_why_it_is_off(tmp_path: Path) -> None:
    missing = host(tmp_path / "missing")
    await missing.start()
    await missing.ready()
    status = missing.status()
    assert status.watcher.startswith("off: ")
    assert [item.rule for item in status.skipped] == ["unreadable"]
    await missing.close()


async def test_close_leaves_no_task_behind(tmp_path: Path) -> None:
    write_tree(tmp_path, {f"d{number}/f.txt": "" for number in range(300)})
    tasks = asyncio.all_tasks()
    for wait in (False, True):
        workspace = host(tmp_path)
        await workspace.start()
        await workspace.start()
        if wait:
            await workspace.ready()
        await workspace.close()
        await workspace.close()
        assert asyncio.all_tasks() == tasks
        assert not [thread for thread in threading.enumerate() if "glossator" in thread.name]
        assert workspace.status().watcher == "off: closed"


async def test_a_cancelled_event_loop_does_not_wait_for_the_scan(tmp_path: Path) -> None:
    write_tree(tmp_path, {f"d{number}/f.txt": "" for number in range(300)})
    workspace = host(tmp_path)
    await workspace.start()
    await asyncio.sleep(0)
    tasks = {task for task in asyncio.all_tasks() if task.get_name().startswith("glossator")}
    assert tasks
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    assert not workspace.snapshot().index_complete
    assert not [thread for thread in threading.enumerate() if "glossator" in thread.name]


async def test_ready_needs_start(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="start"):
        await host(tmp_path).ready()


def test_no_thread_outlives_the_event_loop(tmp_path: Path) -> None:
    async def run() -> WorkspaceHost:
        workspace = host(tmp_path)
        await workspace.start()
        await workspace.ready()
        await workspace.close()
        return workspace

    threads = set(threading.enumerate())
    asyncio.run(run())
    for thread in set(threading.enumerate()) - threads:
        thread.join(SECONDS)
    assert set(threading.enumerate()) <= threads


@pytest.mark.parametrize("seed", range(4))
async def test_random_changes_leave_the_index_as_a_fresh_scan(watched: Watched, seed: int) -> None:
    rnd = random.Random(seed)
    for _ in range(20):
        for _ in range(rnd.choice([1, 5, 40])):
            change_something(watched.root, rnd)
        await asyncio.sleep(0)
    await watched.until(lambda: contents(watched.host._indexer) == contents(scan(watched.root)))


def contents(indexer: Indexer) -> tuple[object, object]:
    listing = indexer.index.freeze()
    return listing.files, dict(listing.skipped)


def change_something(root: Path, rnd: random.Random) -> None:
    folders = [root, *(path for path in root.rglob("*") if path.is_dir())]
    files = [path for path in root.rglob("*") if path.is_file()]
    folder, name = rnd.choice(folders), rnd.choice("abcdef")
    match rnd.choice(["write", "write", "write", "mkdir", "ignore", "remove", "move", "rmtree"]):
        case "write" if not (folder / f"{name}.txt").is_dir():
            (folder / f"{name}.txt").write_text("x" * rnd.randint(0, 9))
        case "mkdir":
            (folder / name).mkdir(exist_ok=True)
        case "ignore":
            (folder / ".gitignore").write_text("\n".join(rnd.sample("ab!cdef/", 3)))
        case "remove" if files:
            rnd.choice(files).unlink()
        case "move" if folder != root and not (root / name).exists():
            folder.rename(root / name)
        case "rmtree" if folder != root:
            shutil.rmtree(folder)
