"""A workspace whose index of chunks is kept, in this process or in one that a test can kill.

Run as a program, it indexes the folder it is given, says how many files it read, and goes on.
"""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Sequence
from typing import Any

from glossator.retrieval.retriever import Found, Hit, Retriever
from glossator.settings.model import WorkspaceSettings
from glossator.worker.client import Worker
from glossator.worker.jobs import JobProgress
from glossator.workspace.documents.host import Indexing, WorkspaceHost
from glossator.workspace.documents.snapshot import WorkspaceSnapshot
from glossator.workspace.files import state_folder
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.files.roots import Roots

EVERYTHING = 1_000  # hits


class Kept:
    """A scanned workspace with a retriever that keeps an index."""

    def __init__(self, *roots: str, silence: float = 30.0, **settings: Any) -> None:
        """A worker that is silent for so many seconds is ended."""
        checked = WorkspaceSettings.model_validate(settings)
        self.worker = Worker(
            first_wait=0.01,
            longest_wait=0.05,
            patience=silence,
            saved=lambda: state_folder.troubles_file(Roots(roots)),
        )
        indexing = Indexing(self.worker, lambda _: None, lambda _: None, patience=math.inf)
        self.host = WorkspaceHost(roots, checked, indexing)
        self.notices: list[str] = []
        self.progress: list[JobProgress | None] = []
        self.retriever = Retriever(
            self.host, self.worker, checked, self.progress.append, 0.0, self.notices.append
        )
        self.index = self.retriever.index

    async def start(self, *, settle: bool = True) -> None:
        await self.host.start()
        await self.host.ready()
        self.retriever.start()
        if settle:
            await self.index.settle()

    async def close(self) -> None:
        await self.retriever.close()
        await self.host.close()
        await self.worker.close()

    @property
    def snapshot(self) -> WorkspaceSnapshot:
        return self.host.snapshot()

    async def search(self, question: str, only: Sequence[FileEntry] | None = None) -> Found:
        return await self.retriever.search(self.snapshot, question, EVERYTHING, only)

    async def paths(self, question: str) -> list[str]:
        """The files that are found, best first."""
        found = await self.search(question)
        return list(dict.fromkeys(self.name(hit) for hit in found.hits))

    def name(self, hit: Hit) -> str:
        return self.snapshot.relative(hit.document.path)


async def main() -> None:
    kept = Kept(*sys.argv[1:])
    await kept.start(settle=False)
    print("started", flush=True)  # noqa: T201 - read by the test
    await kept.index.settle()
    print("built", flush=True)  # noqa: T201
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
