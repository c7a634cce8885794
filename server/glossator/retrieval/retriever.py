"""The server's side of retrieval: keeps the index of chunks current, and searches it.

The worker process holds the index. What changed since it was written, and open documents, are read
for each search, so that a search is never behind; before the first build is complete, the text
index says which files to read.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace

from glossator.core.document import Document
from glossator.core.terms import query_terms
from glossator.documents import WorkspaceHost, WorkspaceSnapshot
from glossator.files import STAMP, FileEntry, outermost
from glossator.retrieval.chunks import Chunk
from glossator.retrieval.embedding import Embedding
from glossator.retrieval.jobs import SearchChunks, SyncChunks
from glossator.retrieval.likely import Likely, likely_files
from glossator.retrieval.requests import (
    ALL_STAGES,
    ChunksFound,
    Corpus,
    Place,
    Reason,
    SearchRequest,
    Stages,
    SyncRequest,
)
from glossator.retrieval.words import words_of
from glossator.settings import WorkspaceSettings
from glossator.symbols import Library
from glossator.worker import JobFailed, JobProgress, Worker, WorkerGone, WorkerPhase, run_here

_log = logging.getLogger(__name__)

_SOON = 0.02  # seconds, in which changes are collected
_BUSY_SECONDS = 1.0  # until asking again whether another server still writes
_FAILED_SECONDS = 60.0
_MANY = 2_000  # changed files, from which on all are compared
_SHOWN = 1_000  # files; reading fewer shows no progress
_SHARE = 2  # the index takes at most this fraction of the disk space for indexes
_OUTLINES_SHARE = 8


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk of a document and how well it fits; higher is better, within one search only.

    `places`: where each stage of the search put it; `reasons`: what weighed most, if asked for.
    """

    document: Document
    chunk: Chunk
    score: float
    places: dict[str, Place]
    reasons: tuple[Reason, ...] = ()

    @property
    def lines(self) -> list[str]:
        """The chunk's lines."""
        return self.document.lines[self.chunk.first_line - 1 : self.chunk.last_line]


@dataclass(frozen=True, slots=True)
class Found:
    """The best chunks, the terms that were looked for, and how much was searched.

    `absent` are the question's words that no file holds. `pending` files hold a word, too, and were
    not looked at, because the index is not complete yet.
    """

    hits: tuple[Hit, ...]
    terms: tuple[str, ...]
    files: int
    pending: int
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkStatus:
    """The state of the index: `files` are in it, of `listed` ones.

    `state` is "on" or says why there is none; `problem`: why it is behind, with a next step.
    """

    state: str
    files: int
    listed: int
    building: JobProgress | None
    problem: str


class Retriever:
    """Searches the chunks of a workspace; for the event-loop thread."""

    def __init__(
        self,
        host: WorkspaceHost,
        worker: Worker,
        settings: WorkspaceSettings,
        progress: Callable[[JobProgress | None], None],
        patience: float = 2.0,
        embedding: Callable[[], Embedding | None] = lambda: None,
    ) -> None:
        """In the first `patience` seconds nothing is indexed.

        `embedding` is called in a thread, when vectors are first wanted.
        """
        self._make_embedding = embedding
        self.embedding: Embedding | None = None
        self._host, self._worker, self._settings = host, worker, settings
        self._progress, self._patience = progress, patience
        self._wanted = asyncio.Event()  # somebody waits for the index
        self._changed: set[str] = set()
        self._reading: AbstractSet[str] = frozenset()  # what the sync at work reads
        self._synced: tuple[str, ...] | None = None  # the roots whose index is complete
        self._files = 0
        self._building: JobProgress | None = None
        self._problem = ""
        self._wake = asyncio.Event()
        self._rested = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._unsubscribe: Callable[[], None] | None = None

    def start(self) -> None:
        """Begin to index in the background."""
        if self._settings.index and self._task is None:
            self._unsubscribe = self._host.subscribe(self._note)
            self._task = asyncio.create_task(self._run(), name="glossator-chunks")

    async def close(self) -> None:
        """End the work; what was committed stays."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        if self.embedding is not None:
            await self.embedding.close()

    async def settle(self) -> None:
        """Wait until everything is indexed that can be."""
        if self._task is None:
            return
        self._wanted.set()
        rested = asyncio.ensure_future(self._rested.wait())
        await asyncio.wait({rested, self._task}, return_when=asyncio.FIRST_COMPLETED)
        rested.cancel()

    def status(self) -> ChunkStatus:
        """Figures for the user and for logs."""
        state = "on" if self._settings.index else "off: workspace.index is false"
        listed = self._host.snapshot().file_count
        return ChunkStatus(state, self._files, listed, self._building, self._problem)

    async def search(
        self,
        snapshot: WorkspaceSnapshot,
        question: str,
        limit: int,
        only: Sequence[FileEntry] | None = None,
        stages: Stages = ALL_STAGES,
        *,
        explain: bool = False,
    ) -> Found:
        """The best chunks in the files `only`, or in all. Raises `JobFailed`."""
        terms = query_terms(question)
        if not terms:
            return Found((), (), 0, 0)
        chosen = None if only is None else frozenset(entry.path for entry in only)
        fresh = {*self._changed, *self._reading, *snapshot.overlays}
        corpus, pending = None, 0
        if self._synced != tuple(outermost(snapshot.roots)):
            files = snapshot.files() if only is None else only
            likely = await _likely(snapshot, question, files)
            fresh.update(likely.scores)
            scores = {_relative(snapshot, path): score for path, score in likely.scores.items()}
            corpus, pending = Corpus(scores, likely.frequency, likely.files), likely.others
        vector = None
        if self.embedding is not None and stages.vectors:
            vector = await self.embedding.question(question)
        hits: list[Hit] = []
        for _ in range(2):
            found = await self._ask(
                SearchRequest(
                    self._library_of(snapshot),
                    tuple(outermost(snapshot.roots)),
                    question,
                    limit,
                    frozenset(fresh),
                    corpus,
                    chosen,
                    stages,
                    self._settings.index,
                    vector,
                    explain,
                )
            )
            hits, changed = await asyncio.to_thread(_documents, snapshot, found)
            if not changed:
                break
            fresh |= changed  # read them as they are now
        searched = snapshot.file_count if only is None else len(only)
        absent = tuple(
            word
            for word in dict.fromkeys(words_of(question))
            if found.absent.intersection(query_terms(word)[:1])
        )
        return Found(tuple(hits), terms, searched, pending, absent)

    async def _ask(self, asked: SearchRequest) -> ChunksFound:
        if self._worker.state.phase is not WorkerPhase.BACKING_OFF:
            try:
                return await self._worker.run(SearchChunks(asked))
            except WorkerGone as gone:
                _log.warning("Searching in this process: %s", gone)
        library = replace(asked.library, kept_bytes=0)  # only the worker opens SQLite
        return await run_here(SearchChunks(replace(asked, library=library)))

    def _library_of(self, snapshot: WorkspaceSnapshot) -> Library:
        texts = {path: overlay.text for path, overlay in snapshot.overlays.items()}
        settings = self._settings
        kept = settings.index_bytes // _OUTLINES_SHARE if settings.index else 0
        return Library(snapshot.roots, settings.max_file_bytes, kept, texts)

    def _note(self, paths: AbstractSet[str]) -> None:
        self._changed.update(paths)
        self._rested.clear()
        self._wake.set()

    async def _run(self) -> None:
        await self._host.ready()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                await self._wanted.wait()
        self.embedding = await asyncio.to_thread(self._make_embedding)
        if self.embedding is not None:
            self.embedding.start()
        while True:
            self._wake.clear()
            seconds = await self._step()
            if seconds is None and not self._wake.is_set():
                self._rested.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._wake.wait()
            await asyncio.sleep(_SOON)

    async def _step(self) -> float | None:
        """Index what changed; the seconds until the next try, None if there is nothing to do."""
        snapshot = self._host.snapshot()
        if not snapshot.index_complete:
            return None  # the scan, when it ends, wakes this
        roots = tuple(outermost(snapshot.roots))
        self._reading, self._changed = frozenset(self._changed), set()
        whole = self._synced != roots or len(self._reading) > _MANY
        if not (whole or self._reading):
            return None
        if whole:
            self._synced = None
        try:
            wait = await self._sync(snapshot, roots, self._reading, whole=whole)
        except WorkerGone as gone:
            self._changed |= self._reading
            return gone.retry_after + _SOON
        except JobFailed as failure:
            self._problem = f"The index of chunks cannot be kept: {failure}"
            _log.warning("%s", self._problem)
            self._changed |= self._reading
            return _FAILED_SECONDS
        finally:
            self._reading = frozenset()
            if self._building is not None:
                self._building = None
                self._progress(None)
        if wait is None:
            self._synced = roots
        return wait

    async def _sync(
        self,
        snapshot: WorkspaceSnapshot,
        roots: tuple[str, ...],
        paths: AbstractSet[str],
        *,
        whole: bool,
    ) -> float | None:
        """Sync each root; the seconds to wait if another server writes."""
        library = replace(self._library_of(snapshot), open_texts={})
        files = 0
        self._problem = ""
        for root in roots:
            stamps, gone = await asyncio.to_thread(
                _stamps, snapshot, root, None if whole else paths
            )
            most = self._settings.index_bytes // _SHARE
            asked = SyncRequest(library, root, stamps, gone, whole, most)
            synced = await self._worker.run(SyncChunks(asked), self._show)
            if synced.busy:
                self._changed |= paths
                return _BUSY_SECONDS
            if self.embedding is not None:
                self.embedding.embed(library, root, stamps)
            files += synced.files
            self._problem = self._problem or synced.problem
        self._files = files
        return None

    def _show(self, progress: JobProgress) -> None:
        if progress.total >= _SHOWN:
            self._building = progress
            self._progress(progress)


async def _likely(snapshot: WorkspaceSnapshot, question: str, files: Sequence[FileEntry]) -> Likely:
    """The likeliest files; cancelling the await ends the work soon."""
    cancelled = threading.Event()
    try:
        return await asyncio.to_thread(likely_files, cancelled, snapshot, files, question)
    finally:
        cancelled.set()


def _stamps(
    snapshot: WorkspaceSnapshot, root: str, paths: Collection[str] | None
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """The stamps of files below a root by relative path, open and recent ones first.

    Of `paths` only, if given; those of them that are not listed are the second result.
    """
    prefix = os.path.join(root, "")
    if paths is None:
        listed: Iterable[FileEntry] = snapshot.listing.files
        gone: tuple[str, ...] = ()
    else:
        entries = {path: snapshot.listing.get(path) for path in paths if path.startswith(prefix)}
        listed = [entry for entry in entries.values() if entry is not None]
        gone = tuple(path[len(prefix) :] for path, entry in entries.items() if entry is None)
    chosen = [each for each in listed if not each.is_link and each.path.startswith(prefix)]
    opened = snapshot.overlays
    chosen.sort(key=lambda entry: (entry.path not in opened, -entry.mtime_ns))
    stamps = {
        entry.path[len(prefix) :]: STAMP.pack(
            entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode
        )
        for entry in chosen
    }
    return stamps, gone


def _documents(snapshot: WorkspaceSnapshot, found: ChunksFound) -> tuple[list[Hit], set[str]]:
    """The hits with their documents, and the paths whose texts are not those that were indexed."""
    hits, changed = [], set()
    for at in found.hits:
        document = snapshot.read(at.path)
        if isinstance(document, Document) and document.sha256.startswith(at.digest.hex()):
            hits.append(Hit(document, at.chunk, at.score, dict(at.places), at.reasons))
        else:
            changed.add(at.path)
    return hits, changed


def _relative(snapshot: WorkspaceSnapshot, path: str) -> str:
    for root in outermost(snapshot.roots):
        if path.startswith(prefix := os.path.join(root, "")):
            return path[len(prefix) :]
    return path
