"""The server's side of the symbol jobs: which texts may hold a name, nearest first, and asking.

The text index names the candidates, open documents mask their files, and the worker process parses.
While the worker is away, little is done instead, in a thread, and the answer says so.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from glossator.core.document import Document
from glossator.settings.model import WorkspaceSettings
from glossator.workspace.index import Listing
from glossator.workspace.snapshot import WorkspaceSnapshot
from glossator.workspace.symbols.candidates import ANYWHERE, Place, candidates, open_texts
from glossator.workspace.symbols.find import (
    Definition,
    FindDefinitions,
    FindUses,
    Found,
    Limits,
    Use,
)
from glossator.workspace.symbols.imports import Import
from glossator.workspace.symbols.languages import CODE, language_of
from glossator.workspace.symbols.names import Name
from glossator.workspace.symbols.single import ImportsOf, OutlineOf
from glossator.workspace.symbols.sources import Library, OpenText, Source
from glossator.workspace.symbols.symbol import Symbol
from glossator.workspace.symbols.table import MatchNames, Stamp
from glossator.workspace.worker.client import Phase, Worker
from glossator.workspace.worker.jobs import Job, Progress

DEFINITIONS = Limits(texts=2_000, hits=200, seconds=10.0)
USES = Limits(texts=1_000, hits=400, seconds=10.0)
ALL_USES = frozenset({"definition", "call", "import", "reference"})
CALLS = frozenset({"call"})

_MOST_SOURCES = 100_000  # that are read for one name
_FEW_SOURCES = 20  # while the worker is away
_KEPT_SHARE = 8  # outlines get one part in so many of the room for indexes

H = TypeVar("H")
R = TypeVar("R")


class SymbolFinder:
    """Finds symbols; for the event-loop thread. Raises `WorkerGone` and `JobFailed`."""

    def __init__(self, worker: Worker, settings: WorkspaceSettings) -> None:
        self._worker = worker
        self._max_file_bytes = settings.max_file_bytes
        self._kept_bytes = settings.index_bytes // _KEPT_SHARE if settings.index else 0
        self._listing: Listing | None = None  # the last whose symbols were matched
        self._number = 0

    async def outline(self, snapshot: WorkspaceSnapshot, document: Document) -> tuple[Symbol, ...]:
        """The symbols of a document in their order."""
        text = OpenText(document.path, document.text)
        return await self._run(OutlineOf(self._library(snapshot), text))

    async def imports(self, snapshot: WorkspaceSnapshot, document: Document) -> tuple[Import, ...]:
        """What a document imports."""
        text = OpenText(document.path, document.text)
        return await self._run(ImportsOf(self._library(snapshot), text))

    async def definitions(
        self,
        snapshot: WorkspaceSnapshot,
        name: Name,
        place: Place = ANYWHERE,
        limits: Limits = DEFINITIONS,
    ) -> Found[Definition]:
        """Where symbols of this name are defined."""

        def job(library: Library, sources: tuple[Source, ...]) -> FindDefinitions:
            return FindDefinitions(library, sources, name, limits)

        return await self._search(snapshot, name, place, job)

    async def uses(
        self,
        snapshot: WorkspaceSnapshot,
        name: Name,
        kinds: frozenset[str] = ALL_USES,
        place: Place = ANYWHERE,
        limits: Limits = USES,
    ) -> Found[Use]:
        """Where this name is used in one of the ways `kinds`."""

        def job(library: Library, sources: tuple[Source, ...]) -> FindUses:
            return FindUses(library, sources, name, limits, kinds)

        return await self._search(snapshot, name, place, job)

    async def matching(
        self,
        snapshot: WorkspaceSnapshot,
        query: str,
        limit: int,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> tuple[Definition, ...]:
        """The symbols whose names hold the letters of `query` in order, best first.

        The first time, every file is read and parsed, which may take minutes. Raises `WorkerGone`
        and `JobFailed`.
        """
        if snapshot.listing is not self._listing:
            self._listing, self._number = snapshot.listing, self._number + 1
        number = self._number
        texts = tuple(open_texts(snapshot))
        job = MatchNames(self._library(snapshot), number, None, texts, query, limit)
        found = await self._worker.run(job)
        if found is None:
            listed = await asyncio.to_thread(_stamps, snapshot)
            found = await self._worker.run(replace(job, listed=listed), on_progress)
        return () if found is None else found

    async def _search(
        self,
        snapshot: WorkspaceSnapshot,
        name: Name,
        place: Place,
        job: Callable[[Library, tuple[Source, ...]], Job[Found[H]]],
    ) -> Found[H]:
        sources = await asyncio.to_thread(candidates, snapshot, name, place)
        away = self._away()
        taken = sources[: _FEW_SOURCES if away else _MOST_SOURCES]
        found = await self._run(job(self._library(snapshot), taken))
        coverage = replace(
            found.coverage,
            candidates=len(sources),
            unread=found.coverage.unread + len(sources) - len(taken),
            worker_away=away,
        )
        return replace(found, coverage=coverage)

    async def _run(self, job: Job[R]) -> R:
        return await (_in_thread(job) if self._away() else self._worker.run(job))

    def _away(self) -> bool:
        return self._worker.state.phase is Phase.BACKING_OFF

    def _library(self, snapshot: WorkspaceSnapshot) -> Library:
        # SQLite is the worker's: in a thread of the server nothing is kept
        kept_bytes = 0 if self._away() else self._kept_bytes
        return Library(snapshot.roots, self._max_file_bytes, kept_bytes)


async def _in_thread(job: Job[R]) -> R:
    """Do a small job in this process; cancelling the await makes it stop at the next slice."""
    cancelled = threading.Event()

    def work() -> R:
        slices = job.run()
        try:
            while not cancelled.is_set():
                next(slices)
        except StopIteration as end:
            result: R = end.value
            return result
        finally:
            slices.close()
        raise asyncio.CancelledError

    try:
        return await asyncio.to_thread(work)
    finally:
        cancelled.set()


def _stamps(snapshot: WorkspaceSnapshot) -> dict[str, Stamp]:
    """The listed files of code."""
    return {
        entry.path: (entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode)
        for entry in snapshot.listing.files
        if language_of(entry.path) in CODE
    }
