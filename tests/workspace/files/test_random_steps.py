"""Ten thousand random steps on disk leave the index as a fresh walk would find it, stamps too.

A failure says with which seed it is replayed.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from glossator.settings.model import WorkspaceSettings
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.files.indexer import Indexer
from glossator.workspace.files.listing import FileIndex
from glossator.workspace.files.roots import Roots
from tests.lsp.support.chance import seeded
from tests.patience import SECONDS
from tests.workspace.files.trees import scan

NAMES = [*"abcdefgh", "x.log", "y.log", "build"]
RULES = ["a", "*.log", "!x.log", "build/", "/b", "d/", "c/e", "# nothing"]
STEPS = {
    "write": 30,
    "edit": 12,
    "edit in place": 6,
    "save by renaming": 8,
    "move": 6,
    "delete": 14,
    "mkdir": 10,
    "move folder": 4,
    "remove folder": 3,
    "ignore": 3,
    "exclude": 1,
    "link": 2,
    "check out": 0.5,
}


class Told(Indexer):
    """An index that is told of a share of all events, and sweeps when the test says so."""

    def __init__(self, root: Path, share: float, rnd: random.Random) -> None:
        self.something = asyncio.Event()
        self._share, self._rnd = share, rnd
        roots = Roots.of((str(root),))
        settings = WorkspaceSettings()
        super().__init__(
            FileIndex(), roots, settings, lambda *_: None, lambda _: self.something.set()
        )

    def hear(self, paths: frozenset[str]) -> None:
        super().hear(frozenset(path for path in paths if self._rnd.random() < self._share))

    def sweep(self, cause: str, wait: float | None = None) -> None:
        if wait is None:
            super().sweep(cause)


class Steps:
    """Random changes to a tree that stays small."""

    def __init__(self, root: Path, rnd: random.Random) -> None:
        self.root, self.rnd = root, rnd

    def take(self, count: int) -> None:
        """Change something `count` times."""
        for step in self.rnd.choices([*STEPS], [*STEPS.values()], k=count):
            self._take(step)

    def _take(self, step: str) -> None:
        folder = self._folder()
        new = os.path.join(folder, self.rnd.choice(NAMES))
        match step:
            case "write" | "mkdir" | "link" if not os.path.lexists(new):
                self._make(step, new)
            case "ignore" | "exclude":
                self._edit_rules(step, folder)
            case "check out":
                self._check_out(folder)
            case "move folder" | "remove folder" if folder != str(self.root):
                self._change_folder(step, folder)
            case _ if (old := self._file(folder)) is not None:
                self._change(step, old, new)

    def _make(self, step: str, new: str) -> None:
        match step:
            case "write":
                self._write(new)
            case "mkdir" if new.count(os.sep) < 12:
                os.mkdir(new)
            case "link":
                os.symlink(self.rnd.choice([str(self.root), "/", "nowhere"]), new)

    def _edit_rules(self, step: str, folder: str) -> None:
        path = Path(folder, self.rnd.choice([".gitignore", ".ignore"]))
        if step == "exclude":
            path = self.root / ".git" / "info" / "exclude"
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(self.rnd.sample(RULES, 2)))

    def _check_out(self, folder: str) -> None:
        for name in NAMES[:-1]:
            path = os.path.join(folder, name)
            if not os.path.isdir(path):
                self._write(path + ".lock")
                os.rename(path + ".lock", path)

    def _change_folder(self, step: str, folder: str) -> None:
        target = os.path.join(self._folder(), self.rnd.choice(NAMES))
        if step == "remove folder":
            shutil.rmtree(folder)
        elif not os.path.lexists(target) and not target.startswith(folder + os.sep):
            os.rename(folder, target)

    def _change(self, step: str, old: str, new: str) -> None:
        match step:
            case "edit":
                self._write(old)
            case "edit in place":
                before = os.stat(old)
                with open(old, "r+b") as file:
                    file.write(self.rnd.randbytes(1))
                os.utime(old, ns=(before.st_atime_ns, before.st_mtime_ns))
            case "save by renaming":
                self._write(old + "~")
                os.rename(old + "~", old)
            case "move" if not os.path.isdir(new):
                os.rename(old, new)
            case "delete":
                os.unlink(old)

    def _write(self, path: str) -> None:
        if not os.path.islink(path):
            Path(path).write_bytes(b"x" * self.rnd.randrange(9))

    def _folder(self) -> str:
        """A folder that can be reached without a link; shallow ones are more likely."""
        folder = str(self.root)
        while self.rnd.random() < 0.75:
            with os.scandir(folder) as entries:
                inner = [e.path for e in entries if e.is_dir(follow_symlinks=False)]
            inner = sorted(path for path in inner if not path.endswith(".git"))
            if not inner:
                break
            folder = self.rnd.choice(inner)
        return folder

    def _file(self, folder: str) -> str | None:
        with os.scandir(folder) as entries:
            files = sorted(e.path for e in entries if e.is_file(follow_symlinks=False))
        return self.rnd.choice(files) if files else None


def contents(indexer: Indexer) -> tuple[tuple[FileEntry, ...], dict[str, str]]:
    listing = indexer.index.freeze()
    return listing.files, dict(listing.skipped)


@asynccontextmanager
async def running(indexer: Told) -> AsyncIterator[None]:
    indexer.start()
    await indexer.ready()
    try:
        yield
    finally:
        await indexer.close()


async def settle(indexer: Told, root: Path) -> None:
    """Wait until the index is what a fresh walk finds."""
    expected = contents(scan(root))
    try:
        async with asyncio.timeout(SECONDS):
            while contents(indexer) != expected:
                indexer.something.clear()
                await indexer.something.wait()
    except TimeoutError:
        files, skipped = contents(indexer)
        missed, stale = set(expected[0]) - set(files), set(files) - set(expected[0])
        rules, old_rules = (
            expected[1].items() - skipped.items(),
            skipped.items() - expected[1].items(),
        )
        assert (missed, stale, rules, old_rules) == (set(), set(), set(), set())


def in_batches(count: int, rnd: random.Random) -> Iterable[int]:
    while count > 0:
        batch = rnd.choice([1, 1, 3, 10, 60])
        yield batch
        count -= batch


async def test_no_sweep_is_needed_where_every_event_arrives(tmp_path: Path) -> None:
    rnd = seeded()
    indexer, steps = Told(tmp_path, 1.0, rnd), Steps(tmp_path, random.Random(rnd.random()))
    async with running(indexer):
        for number, batch in enumerate(in_batches(5_000, rnd)):
            steps.take(batch)
            await asyncio.sleep(0)
            if number % 20 == 0:
                await settle(indexer, tmp_path)
                before = contents(indexer)
                indexer.hear(frozenset(indexer.index))  # nothing of it has changed
                await indexer.ready()
                assert contents(indexer) == before
        await settle(indexer, tmp_path)


async def test_a_sweep_finds_what_lost_events_told(tmp_path: Path) -> None:
    rnd = seeded()
    indexer, steps = Told(tmp_path, 0.6, rnd), Steps(tmp_path, random.Random(rnd.random()))
    async with running(indexer):
        for number, batch in enumerate(in_batches(5_000, rnd)):
            steps.take(batch)
            await asyncio.sleep(0)
            if number % 50 == 0:
                indexer.sweep("test")
                await indexer.ready()
                assert contents(indexer) == contents(scan(tmp_path))
        indexer.sweep("test")
        await indexer.ready()
        assert contents(indexer) == contents(scan(tmp_path))
        assert indexer.last_sweep is not None
        assert indexer.last_sweep.cause == "test"
