"""The whole engine at work: whatever happens to the files, searches find what is there now."""

from __future__ import annotations

import mmap
import shutil
import time
from pathlib import Path
from random import Random

import pytest

from glossator.settings.model import WorkspaceSettings
from glossator.worker.client import Worker
from glossator.workspace.documents.host import Indexing, WorkspaceHost
from glossator.workspace.files import entries
from glossator.workspace.files.cache import RACY_NS
from glossator.workspace.files.disk import Stamp
from glossator.workspace.search.ripgrep import Request
from glossator.workspace.search.search import TextSearch

WORDS = "alpha bravo charlie delta echo foxtrot golf hotel".split()
ROUNDS = 25
STEPS = 50
SOON_NS = 50_000_000  # longer than any file system's tick, shorter than the usual two seconds


class Tree:
    """A root, and random things that happen in it."""

    def __init__(self, root: Path, random: Random) -> None:
        self.root = root
        self._random = random
        self._version = 0

    def step(self) -> None:
        files = [path for path in self.root.rglob("*") if path.is_file()]
        action = self._random.choice(("new", "new", "edit", "edit", "append", "replace", "move",
                                      "move folder", "remove", "remove folder"))  # fmt: skip
        if action == "new" or len(files) < 20:
            self._write(self._place())
            return
        file = self._random.choice(files)
        match action:
            case "edit":
                self._write(file)
            case "append":
                with file.open("a") as stream:
                    stream.write(self._text())
            case "replace":
                self._write(self.root / "new~")
                (self.root / "new~").replace(file)
            case "move":
                target = self._place()
                target.parent.mkdir(parents=True, exist_ok=True)
                file.replace(target)
            case "remove":
                file.unlink()
            case "move folder" if file.parent != self.root:
                self._version += 1
                file.parent.rename(self.root / f"moved{self._version}")
            case "remove folder" if file.parent != self.root and self._random.random() < 0.1:
                shutil.rmtree(file.parent)

    def holding(self, word: str) -> set[str]:
        return {
            path.relative_to(self.root).as_posix()
            for path in self.root.rglob("*")
            if path.is_file() and word in path.read_text()
        }

    def _place(self) -> Path:
        folder = self._random.choice(("", "one", "two", "one/deep"))
        return self.root / folder / f"{self._random.randrange(200)}.txt"

    def _write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self._text())

    def _text(self) -> str:
        self._version += 1
        return f"{self._random.choice(WORDS)} number{self._version}\n"


def found(host: WorkspaceHost, pattern: str) -> set[str]:
    search = TextSearch(host.snapshot(), Request(pattern))
    return {entry.relative for entry in search.files(search.by_path())}


@pytest.mark.parametrize("seed", [1, 2])
async def test_searches_find_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(entries, "RACY_NS", SOON_NS)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root, worker = tmp_path / "ws", Worker()
    root.mkdir()
    tree = Tree(root.resolve(), Random(seed))
    indexing = Indexing(worker, lambda _: None, lambda _: None, patience=0)
    host = WorkspaceHost((str(root),), WorkspaceSettings(), indexing)
    await host.start()
    indexed = 0
    for _ in range(ROUNDS):
        for _ in range(STEPS):
            tree.step()
        host.sweep("the test")
        await host.ready()
        for word in WORDS:
            assert found(host, word) == tree.holding(word), (seed, word)
        await host.index_manager.settle()
        indexed += host.status().index.text.in_memory
        for word in WORDS:
            assert found(host, word) == tree.holding(word), (seed, word)
    assert indexed > ROUNDS
    await host.close()
    await worker.close()


@pytest.mark.parametrize("on_disk", [False, True])
async def test_what_is_written_to_a_mapped_page_is_found_though_no_stamp_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, on_disk: bool
) -> None:
    if not on_disk:
        monkeypatch.setattr(entries, "RACY_NS", 0)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root, worker = tmp_path / "ws", Worker()
    root.mkdir()
    path = root / "0.txt"
    path.write_text("alpha\n")
    indexing = Indexing(worker, lambda _: None, lambda _: None, patience=0)
    host = WorkspaceHost((str(root),), WorkspaceSettings(), indexing)
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 6) as page:
        page[:] = b"bravo\n"  # the next write changes no stamp
        await host.start()
        await host.ready()
        await (host.index_manager.build() if on_disk else host.index_manager.settle())
        statistics = host.status().index.text
        indexed = statistics.documents if on_disk else statistics.in_memory
        assert (statistics.pending, indexed) == (0, 1)
        assert found(host, "bravo") == {"0.txt"}
        before = Stamp.of(path.stat())
        page[:] = b"delta\n"
        assert Stamp.of(path.stat()) == before
        assert found(host, "delta") == {"0.txt"}
        assert found(host, "bravo") == set()
        later = time.time_ns() + 2 * RACY_NS
        with monkeypatch.context() as patched:
            patched.setattr(time, "time_ns", lambda: later)
            assert found(host, "delta") == set(), "the limit that the documents state"
    await host.close()
    await worker.close()
