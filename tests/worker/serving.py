"""A listing, a text index, its manager and a worker over one tree, as a server holds them.

Run as a program, it indexes the tree it is given, says "built", and goes on until it is killed.
"""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from glossator.settings.model import WorkspaceSettings
from glossator.worker.client import Worker
from glossator.worker.jobs import JobProgress
from glossator.workspace.files.entries import FileEntry, Files
from glossator.workspace.files.roots import Roots
from glossator.workspace.index.index import TextIndex
from glossator.workspace.index.manager import TextIndexManager
from glossator.workspace.index.merge_policy import Hooks
from glossator.workspace.index.required import analyse

WORDS = ("needle", "common", "absent", "number7")


class Serving:
    def __init__(self, root: Path, **settings: Any) -> None:
        self.root = root
        self._listed: dict[str, FileEntry] = {}
        self.index = TextIndex(self._listed.get)
        self.worker = Worker(first_wait=0.01, longest_wait=0.05)
        self.notices: list[str] = []
        self.progress: list[JobProgress | None] = []
        self.on_progress: Callable[[], None] = lambda: None
        self.changes = 0
        self.manager = TextIndexManager(
            self.index,
            Roots((str(root),)),
            WorkspaceSettings.model_validate(settings),
            self.worker,
            Hooks(self._changed, self.notices.append, self._progressed),
        )

    async def start(self) -> None:
        self.manager.start()
        self.look_again()

    async def close(self) -> None:
        await self.manager.close()
        await self.worker.close()

    def look_again(self) -> None:
        """List the tree and tell what changed, as the host would."""
        now = {entry.path: entry for entry in list_files(self.root)}
        changed = {path: entry for path, entry in now.items() if self._listed.get(path) != entry}
        gone = self._listed.keys() - now.keys()
        self._listed.clear()
        self._listed.update(now)
        self.index.changed(Files.of(changed.values()), gone)
        self.manager.listing_changed(complete=True)

    def candidates(self, word: str) -> set[str]:
        found = self.index.freeze().candidates(analyse(word).query)
        return {candidate.entry.relative for candidate in found}

    def assert_right(self) -> None:
        """No file that holds a word is missed, and none that is indexed is a wrong candidate."""
        pending = {entry.relative for entry in self.index.pending().values()}
        texts = {e.relative: Path(e.path).read_bytes() for e in list_files(self.root)}
        for word in WORDS:
            holding = {name for name, text in texts.items() if word.encode() in text.lower()}
            assert holding <= self.candidates(word), word
            assert self.candidates(word) - pending <= holding, word

    def assert_missing_nothing(self) -> None:
        texts = {e.relative: Path(e.path).read_bytes() for e in list_files(self.root)}
        for word in WORDS:
            holding = {name for name, text in texts.items() if word.encode() in text.lower()}
            assert holding <= self.candidates(word), word

    def _changed(self) -> None:
        self.changes += 1

    def _progressed(self, progress: JobProgress | None) -> None:
        self.progress.append(progress)
        self.on_progress()


def list_files(root: Path) -> list[FileEntry]:
    found = []
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            if stat.S_ISREG(status.st_mode):
                found.append(
                    FileEntry(
                        path,
                        os.path.relpath(path, root),
                        status.st_size,
                        status.st_mtime_ns,
                        status.st_ctime_ns,
                        status.st_ino,
                    )
                )
    return found


async def main() -> None:
    serving = Serving(Path(sys.argv[1]))
    await serving.start()
    print("started", flush=True)  # noqa: T201 - read by the test
    await serving.manager.build()
    print("built", flush=True)  # noqa: T201
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
