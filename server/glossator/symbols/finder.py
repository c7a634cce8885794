"""The server's side of the symbol jobs: which texts may hold a name, and running the job.

The text index gives the candidates, open documents mask their files, and the worker process parses.
Without a worker a thread of this process does a little of it, and the result says so: parsing holds
the GIL, so this process parses only small texts (docs/decisions/0014).
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

from glossator.core.document import Document
from glossator.core.file_kinds import CODE, language_of
from glossator.core.span import Statement
from glossator.settings import WorkspaceSettings
from glossator.store import BlobStatistics
from glossator.symbols.candidates import ANYWHERE, SearchScope, candidates, open_texts
from glossator.symbols.find import (
    Definition,
    FindDefinitions,
    FindUses,
    Limits,
    Name,
    SymbolHits,
    Use,
)
from glossator.symbols.imports import Import
from glossator.symbols.jobs import (
    CallsOf,
    ImportsOf,
    IsName,
    OutlineOf,
    StatementsIn,
)
from glossator.symbols.sources import Library, statistics
from glossator.symbols.symbol import NearSymbol, Symbol
from glossator.symbols.table import FileStamp, FindNear, MatchKnown, MatchNames, ReadNames, pieces
from glossator.worker import (
    Job,
    JobFailed,
    JobProgress,
    Worker,
    WorkerGone,
    WorkerPhase,
    run_here,
)
from glossator.workspace import Listing, WorkspaceSnapshot

logger = logging.getLogger(__name__)

DEFINITIONS = Limits(texts=2_000, hits=200, seconds=10.0)
USES = Limits(texts=1_000, hits=400, seconds=10.0)
ALL_USES = frozenset({"definition", "call", "import", "reference"})
CALLS = frozenset({"call"})

_MAX_SOURCES = 100_000  # texts read for one name
_FEW_SOURCES = 20  # without a worker
_SMALL_TEXT = (
    30_000  # characters, parsed in less than 10 ms; no larger text is parsed in this process
)
_DISK_FRACTION = 8  # outlines take at most this fraction of the disk space for indexes

H = TypeVar("H")
R = TypeVar("R")


class SymbolFinder:
    """Finds symbols; for the event-loop thread. Raises `WorkerGone` and `JobFailed`."""

    def __init__(self, worker: Worker, settings: WorkspaceSettings) -> None:
        self._worker = worker
        self._max_file_bytes = settings.max_file_bytes
        self._kept_bytes = settings.index_bytes // _DISK_FRACTION if settings.index else 0
        self._listing: Listing | None = None  # the last whose symbols were matched
        self._number = 0
        self._reading: asyncio.Task[None] | None = None
        self._asked: tuple[object, asyncio.Task[tuple[tuple[Definition, ...], bool]]] | None = None

    async def outline(
        self,
        snapshot: WorkspaceSnapshot,
        document: Document,
        *,
        name: str | None = None,
        name_line: int | None = None,
    ) -> tuple[Symbol, ...]:
        """The symbols of a document in order: all, or those with a name, or with it on a line."""
        job = partial(OutlineOf, name=name, name_line=name_line)
        return await self._on_one(snapshot, document, job)

    async def imports(self, snapshot: WorkspaceSnapshot, document: Document) -> tuple[Import, ...]:
        """What a document imports."""
        return await self._on_one(snapshot, document, ImportsOf)

    async def is_name(self, snapshot: WorkspaceSnapshot, document: Document, offset: int) -> bool:
        """Whether an identifier of code stands at a character offset; also true if unknown."""
        return await self._on_one(snapshot, document, partial(IsName, offset=offset))

    async def calls(
        self, snapshot: WorkspaceSnapshot, document: Document, first_line: int, last_line: int
    ) -> tuple[tuple[str, int], ...]:
        """What these lines (1-based, inclusive) call: names with their lines, in their order."""
        job = partial(CallsOf, first_line=first_line, last_line=last_line)
        return await self._on_one(snapshot, document, job)

    async def statements(
        self, snapshot: WorkspaceSnapshot, document: Document, first_line: int, last_line: int
    ) -> tuple[Statement, ...]:
        """The statements that touch these lines (1-based, inclusive); none without a grammar."""
        job = partial(StatementsIn, first_line=first_line, last_line=last_line)
        return await self._on_one(snapshot, document, job)

    async def definitions(
        self,
        snapshot: WorkspaceSnapshot,
        name: Name,
        scope: SearchScope = ANYWHERE,
        limits: Limits = DEFINITIONS,
    ) -> SymbolHits[Definition]:
        """Where symbols of this name are defined."""
        job = partial(FindDefinitions, name=name, limits=limits)
        return await self._search(snapshot, name, scope, job)

    async def uses(
        self,
        snapshot: WorkspaceSnapshot,
        name: Name,
        kinds: frozenset[str] = ALL_USES,
        scope: SearchScope = ANYWHERE,
        limits: Limits = USES,
    ) -> SymbolHits[Use]:
        """Where this name is used in one of the ways `kinds`."""
        job = partial(FindUses, name=name, limits=limits, kinds=kinds)
        return await self._search(snapshot, name, scope, job)

    async def near(
        self,
        snapshot: WorkspaceSnapshot,
        name: Name,
        hides: Callable[[str], bool] | None,
        limit: int,
        seconds: float,
    ) -> tuple[NearSymbol, ...]:
        """Symbols with nearly this name, as many as are found in so many seconds.

        None without a worker.
        """
        if self._worker.state.phase is WorkerPhase.BACKING_OFF:
            return ()
        scope = SearchScope(languages=CODE, hides=hides)
        paths = await asyncio.to_thread(candidates, snapshot, pieces(name.last), scope)
        library = self._library(snapshot, open_texts(snapshot))
        return await self._worker.run(FindNear(library, paths, name.last, limit, seconds))

    async def matching(
        self,
        snapshot: WorkspaceSnapshot,
        query: str,
        limit: int,
        on_progress: Callable[[JobProgress], None] | None = None,
    ) -> tuple[Definition, ...]:
        """The symbols whose names hold the letters of `query` in order, best first.

        The first time, every file is read and parsed, which may take minutes. Raises `WorkerGone`
        and `JobFailed`.
        """
        match = await self._match(snapshot, query, limit)
        while (found := await self._worker.run(match)) is None:
            await self._read_names(snapshot, match.number, on_progress)
        return found

    async def known(
        self, snapshot: WorkspaceSnapshot, query: str, limit: int
    ) -> tuple[tuple[Definition, ...], bool]:
        """Like `matching`, for the files read so far; and whether these are all.

        Reading of the other files begins in the background.
        """
        match = await self._match(snapshot, query, limit)
        found, whole = await self._worker.run(MatchKnown(match))
        if not whole and self._reading is None:
            self._reading = asyncio.create_task(self._read_ahead(snapshot, match.number))
        return found, whole

    async def known_soon(
        self, snapshot: WorkspaceSnapshot, query: str, limit: int, seconds: float
    ) -> tuple[tuple[Definition, ...], bool]:
        """Like `known`, if it takes at most so many seconds; for calls at every typed letter.

        Otherwise nothing; the next call with the same query gets the result. Does not raise.
        """
        wanted = snapshot.revision, query, limit
        if self._asked is None or self._asked[0] != wanted:
            if self._asked is not None:
                self._asked[1].cancel()
            self._asked = wanted, asyncio.create_task(self._known(snapshot, query, limit))
        asked = self._asked[1]
        await asyncio.wait({asked}, timeout=seconds)
        if asked.cancelled() or not asked.done():
            return (), False
        found, whole = asked.result()
        if not whole and self._asked[1] is asked:
            self._asked = None  # more is known the next time
        return found, whole

    async def statistics(self, snapshot: WorkspaceSnapshot) -> BlobStatistics | None:
        """Figures of the outlines on disk; None if there are none, or they cannot be read."""
        return await asyncio.to_thread(statistics, snapshot.folders)

    async def _known(
        self, snapshot: WorkspaceSnapshot, query: str, limit: int
    ) -> tuple[tuple[Definition, ...], bool]:
        try:
            return await self.known(snapshot, query, limit)
        except (WorkerGone, JobFailed) as failure:
            logger.warning("No symbols to choose from: %s", failure)
            return (), False

    async def _match(self, snapshot: WorkspaceSnapshot, query: str, limit: int) -> MatchNames:
        if snapshot.listing is not self._listing:
            self._listing, self._number = snapshot.listing, self._number + 1
        number = self._number
        unstamped = await asyncio.to_thread(_unstamped, snapshot)
        library = self._library(snapshot, open_texts(snapshot))
        return MatchNames(library, number, unstamped, query, limit)

    async def _read_names(
        self,
        snapshot: WorkspaceSnapshot,
        number: int,
        on_progress: Callable[[JobProgress], None] | None = None,
    ) -> None:
        listed = await asyncio.to_thread(_stamps, snapshot)
        names = ReadNames(self._library(snapshot, {}), number, listed)
        await self._worker.run(names, on_progress)

    async def _read_ahead(self, snapshot: WorkspaceSnapshot, number: int) -> None:
        try:
            await self._read_names(snapshot, number)
        except (WorkerGone, JobFailed) as failure:  # the next call tries again
            logger.warning("Names were not read ahead: %s", failure)
        finally:
            self._reading = None

    async def _search(
        self,
        snapshot: WorkspaceSnapshot,
        name: Name,
        scope: SearchScope,
        job: Callable[[Library, tuple[str, ...]], Job[SymbolHits[H]]],
    ) -> SymbolHits[H]:
        paths = await asyncio.to_thread(candidates, snapshot, re.escape(name.last), scope)
        texts = await asyncio.to_thread(open_texts, snapshot, name.last)
        worker = self._worker.state
        away = worker.phase is WorkerPhase.BACKING_OFF
        taken = paths[: _FEW_SOURCES if away else _MAX_SOURCES]
        if away:
            few = job(self._little_library(snapshot, texts), taken)
            found = await run_here(few, self._worker.troubles)
        else:
            found = await self._worker.run(job(self._library(snapshot, texts), taken))
        coverage = replace(
            found.coverage,
            candidates=len(paths),
            unread=found.coverage.unread + len(paths) - len(taken),
            worker_away=away,
            why_away=worker.how,
        )
        return replace(found, coverage=coverage)

    async def _on_one(
        self,
        snapshot: WorkspaceSnapshot,
        document: Document,
        job: Callable[[Library, str, str], Job[R]],
    ) -> R:
        """The result of a job on one document; a small one does not wait for the worker."""
        ready = self._worker.state.phase is WorkerPhase.READY
        if not ready and len(document.text) <= _SMALL_TEXT:
            small = job(self._little_library(snapshot, {}), document.path, document.text)
            return await run_here(small, self._worker.troubles)
        return await self._worker.run(
            job(self._library(snapshot, {}), document.path, document.text)
        )

    def _library(self, snapshot: WorkspaceSnapshot, texts: Mapping[str, str]) -> Library:
        kept = self._kept_bytes
        return Library.of(snapshot.folders, self._max_file_bytes, kept, texts)

    def _little_library(self, snapshot: WorkspaceSnapshot, texts: Mapping[str, str]) -> Library:
        """A library for this process, which stores no outlines: only the worker opens SQLite."""
        return Library.of(snapshot.folders, self._max_file_bytes, 0, texts, _SMALL_TEXT)


def _stamps(snapshot: WorkspaceSnapshot) -> dict[str, FileStamp]:
    """The listed files of code, without links."""
    return {
        entry.path: (entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode)
        for entry in snapshot.listing.files
        if language_of(entry.path) in CODE and not entry.is_link
    }


def _unstamped(snapshot: WorkspaceSnapshot) -> tuple[str, ...]:
    """Open documents, and links: the stamp of a link says nothing about its target."""
    links = (entry.path for entry in snapshot.listing.files if entry.is_link)
    opened = (entry.path for entry in (*snapshot.open_files, *snapshot.unlisted))
    return (*(path for path in links if language_of(path) in CODE), *opened)
