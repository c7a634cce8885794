"""The server's side of retrieval: searches the index of chunks.

The worker process holds the index. What changed since it was written, and open documents, are read
for each search, so that a search is never behind; before the first build is complete, the text
index says which files to read.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from glossator.core.document import Document
from glossator.core.file_kinds import FileKind, asked_kinds, kind_of
from glossator.core.terms import query_terms
from glossator.retrieval.chunks.cutting import Chunk
from glossator.retrieval.chunks.jobs import SearchChunks
from glossator.retrieval.chunks.keeper import ChunkKeeper, stamps_below
from glossator.retrieval.chunks.requests import (
    ALL_STAGES,
    LOADING,
    ChunksFound,
    Corpus,
    Reason,
    SearchRequest,
    StageRank,
    Stages,
)
from glossator.retrieval.chunks.words import words_of
from glossator.retrieval.likely import likely_files
from glossator.retrieval.worth_showing import is_worth_showing
from glossator.settings import WorkspaceSettings
from glossator.symbols import Library
from glossator.worker import JobProgress, Worker, WorkerGone, WorkerPhase, run_here
from glossator.workspace import FileEntry, WorkspaceHost, WorkspaceSnapshot, outermost

if TYPE_CHECKING:  # it imports numpy, which takes long
    from glossator.retrieval.embeddings.embedding import Embedding

_log = logging.getLogger(__name__)

_RERANKED = 150  # hits that a reranker reads
_ASK_AGAIN = "Ask again in a minute."
_COMPLETE_IT = "`glossator index` completes it now."
_MAX_TRIES = 3  # while the index is found to be unusable, and files change


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk of a document and how well it fits; higher is better, within one search only.

    `places`: where each stage of the search put it; `reasons`: what weighed most, if asked for.
    """

    document: Document
    chunk: Chunk
    score: float
    places: dict[str, StageRank]
    reasons: tuple[Reason, ...] = ()

    @property
    def lines(self) -> list[str]:
        """The chunk's lines."""
        return self.document.lines[self.chunk.first_line - 1 : self.chunk.last_line]


@dataclass(frozen=True, slots=True)
class Found:
    """The best chunks, the terms that were looked for, and how much was searched.

    `absent` are the question's words that no file holds. `pending` files hold a word, too, and were
    not looked at, because the index is not complete yet; `advice` tells the user what helps.
    `problem` says which stage did not work.
    """

    hits: tuple[Hit, ...]
    terms: tuple[str, ...]
    files: int
    pending: int
    absent: tuple[str, ...] = ()
    problem: str = ""
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Reordered:
    """The numbers of hits in a better order, by what; `problem` says why they are as they were."""

    order: tuple[int, ...]
    by: str
    problem: str = ""


Rerank: TypeAlias = Callable[[str, Sequence[Hit], int], Awaitable[Reordered]]
"""Reranks hits for a question, of which so many first ones matter."""


class Retriever:
    """Searches the chunks of a workspace; for the event-loop thread."""

    def __init__(
        self,
        host: WorkspaceHost,
        worker: Worker,
        settings: WorkspaceSettings,
        progress: Callable[[JobProgress | None], None],
        patience: float = 2.0,
        notice: Callable[[str], None] = _log.warning,
        embedding: Callable[[], Embedding | None] = lambda: None,
    ) -> None:
        """`index` keeps the chunks; it begins by itself after `patience` seconds.

        `embedding` is called in a thread, when the first chunks are indexed.
        """
        self.index = ChunkKeeper(host, worker, settings, progress, notice, patience, self._indexed)
        self.stages = ALL_STAGES  # of a search that names none
        self.wait = 0.0  # seconds for the index before the first search, if the server ends soon
        self.embedding: Embedding | None = None
        self.on_indexed: Callable[[str, Iterable[str]], None] = lambda _root, _paths: None
        """Hears which files of a root, by relative path, are in the index now."""
        self._make_embedding: Callable[[], Embedding | None] = embedding
        self._making: asyncio.Task[None] | None = None  # makes what embeds, or gives it all files
        self._loaded_by: int | None = None  # the worker's process that was to load all vectors
        self._host, self._worker, self._settings = host, worker, settings
        self._notice, self._waiting, self._waited = notice, asyncio.Lock(), False

    def start(self) -> None:
        """Begin to index in the background."""
        self.index.start()

    async def settle(self, seconds: float) -> None:
        """Wait up to so long until everything is indexed that can be."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.index.settle()

    async def close(self) -> None:
        """End the work; what was committed stays."""
        await self.index.close()
        if self._making is not None:
            self._making.cancel()
            await asyncio.wait({self._making})
        if self.embedding is not None:
            await self.embedding.close()

    async def search(
        self,
        snapshot: WorkspaceSnapshot,
        question: str,
        limit: int,
        only: Sequence[FileEntry] | None = None,
        stages: Stages | None = None,
        rerank: Rerank | None = None,
        *,
        explain: bool = False,
    ) -> Found:
        """The best chunks in the files `only`, or in all. Raises `JobFailed`.

        `stages` are those of the settings if none are given; `rerank` comes after all of them.
        """
        stages = self.stages if stages is None else stages
        reranks = rerank if stages.rerank else None
        terms = query_terms(question)
        if not terms:
            return Found((), (), 0, 0)
        roots = tuple(outermost(snapshot.roots))
        await self._wait_for_index(roots)
        covered = self.index.covers(roots)
        asked = SearchRequest(
            self.index.library_of(snapshot),
            roots,
            question,
            limit if reranks is None else max(limit, _RERANKED),
            frozenset(snapshot.overlays) | (self.index.fresh if covered else frozenset()),
            None,
            None if only is None else frozenset(entry.path for entry in only),
            stages,
            self._settings.index,
            await self.embedding.question(question) if stages.vectors and self.embedding else None,
            explain,
            self.index.contexts,
        )
        found, hits = ChunksFound(), list[Hit]()
        for _ in range(_MAX_TRIES):
            if asked.corpus is None and not self.index.covers(roots):
                among = snapshot.files() if only is None else only
                asked = await _with_likely(asked, snapshot, among)
            found = await self._ask(asked)
            emptied = found.files < self.index.files // 2  # by another server
            if (found.unusable or emptied) and self.index.covers(roots):
                self.index.distrust()
                continue
            hits, changed = await asyncio.to_thread(_documents, snapshot, found)
            if not changed:
                break
            asked = replace(asked, fresh=asked.fresh | changed)  # read them as they are now
        if asked.corpus is not None:  # the figures that rank know a part of the files alone
            hits = _worth_showing_first(snapshot, question, hits)
        problem = "" if self.embedding is None else self.embedding.problem
        if found.problem and not (found.problem == LOADING and problem):
            problem = found.problem
        problems = [problem]
        if reranks is not None and len(hits) > 1:
            hits, problem = await _reranked(reranks, question, hits, limit)
            problems.append(problem)
        absent = tuple(
            word
            for word in dict.fromkeys(words_of(question))
            if found.absent.intersection(query_terms(word)[:1])
        )
        searched = snapshot.file_count if only is None else len(only)
        return Found(
            tuple(hits[:limit]),
            terms,
            searched,
            found.pending,
            absent,
            " ".join(filter(None, problems)),
            _COMPLETE_IT if self.wait else _ASK_AGAIN,
        )

    async def _wait_for_index(self, roots: tuple[str, ...]) -> None:
        """Wait once for the index, for so long as may be; what was committed by then stays."""
        async with self._waiting:
            waited, self._waited = self._waited, True
            if waited or not self.wait or not self._settings.index or self.index.covers(roots):
                return
            await self.settle(self.wait)
        status = self.index.status()
        if not self.index.covers(roots) and not status.problem:
            so_far = f" ({status.files:,} of {status.listed:,} files)" if status.files else ""
            self._notice(
                f"After {self.wait:.0f} s the index for Search is not complete yet{so_far}. Each"
                f" search goes on with it. {_COMPLETE_IT}"
            )

    def _indexed(self, library: Library, root: str, paths: Iterable[str]) -> None:
        """Embed the chunks of files that were indexed, and say which these are."""
        self.on_indexed(root, paths)
        if self.embedding is not None:
            self.embedding.embed(library, root, paths, self.index.contexts)
        elif self._making is None:
            self._making = asyncio.create_task(self._begin_embedding(library))

    async def _begin_embedding(self, library: Library) -> None:
        made = await asyncio.to_thread(self._make_embedding)
        if made is None:
            self._making = None  # the next sync asks again: trust or a key may be given later
        else:
            self.embedding = made
            made.start()
            await self._embed_all(made, library)

    async def _embed_all(self, embedding: Embedding, library: Library) -> None:
        """Have the vectors of all files loaded, and made where there are none."""
        self._loaded_by = self._worker.state.process_id
        for root in outermost(library.roots):
            stamps, _ = await asyncio.to_thread(stamps_below, self._host.snapshot(), root, None)
            embedding.embed(library, root, stamps, self.index.contexts)

    def _load_again(self, library: Library, found: ChunksFound) -> None:
        """Load all vectors if the worker's process is a new one, or lost its connection to them."""
        if self.embedding is None or not (self._making is None or self._making.done()):
            return
        lost = found.lost and not self.embedding.busy
        if lost or self._worker.state.process_id != self._loaded_by:
            library = replace(library, open_texts={})
            self._making = asyncio.create_task(self._embed_all(self.embedding, library))

    async def _ask(self, asked: SearchRequest) -> ChunksFound:
        if self._worker.state.phase is not WorkerPhase.BACKING_OFF:
            try:
                found = await self._worker.run(SearchChunks(asked))
            except WorkerGone as gone:
                _log.warning("Searching in this process: %s", gone)
            else:
                self._load_again(asked.library, found)
                return found
        # only the worker opens SQLite, and parses: a parser may end its process
        library = replace(asked.library, kept_bytes=0, parse_limit=0)
        alone = replace(asked, library=library, contexts="")
        return await run_here(SearchChunks(alone), self._worker.troubles)


async def _reranked(
    rerank: Rerank, question: str, hits: Sequence[Hit], best: int
) -> tuple[list[Hit], str]:
    """The hits in the better order, and why they are not."""
    better = await rerank(question, hits, best)
    if better.problem:
        return list(hits), better.problem
    return [
        replace(hits[at], places={**hits[at].places, better.by: StageRank(rank, 0.0)})
        for rank, at in enumerate(better.order, 1)
    ], ""


def _worth_showing_first(
    snapshot: WorkspaceSnapshot, question: str, hits: Sequence[Hit]
) -> list[Hit]:
    """The hits in their order, but what is not worth showing, and package metadata, comes last."""
    about_data = FileKind.DATA in asked_kinds(question)

    def comes_last(hit: Hit) -> bool:
        path = snapshot.relative(hit.document.path)
        is_metadata = kind_of(path) is FileKind.DATA and not about_data
        lines = () if hit.chunk.defines else hit.lines  # with long comments it is no head, too
        return is_metadata or not is_worth_showing(question, path, hit.chunk, lines)

    return sorted(hits, key=comes_last)


async def _with_likely(
    asked: SearchRequest, snapshot: WorkspaceSnapshot, files: Sequence[FileEntry]
) -> SearchRequest:
    """The request, with the files to read because the index may not hold them."""
    cancelled = threading.Event()
    try:
        likely = await asyncio.to_thread(likely_files, cancelled, snapshot, files, asked.question)
    finally:
        cancelled.set()  # whoever cancels the await ends the thread's work soon
    corpus = Corpus(likely.scores, likely.frequency, likely.files, likely.others)
    return replace(asked, fresh=asked.fresh | likely.scores.keys(), corpus=corpus)


def _documents(snapshot: WorkspaceSnapshot, found: ChunksFound) -> tuple[list[Hit], set[str]]:
    """The hits with their documents, and the paths whose texts are not those that were indexed."""
    hits, changed = [], set()
    documents = {path: snapshot.read(path) for path in {at.path for at in found.hits}}
    for at in found.hits:
        document = documents[at.path]
        if isinstance(document, Document) and document.sha256.startswith(at.digest.hex()):
            hits.append(Hit(document, at.chunk, at.score, dict(at.places), at.reasons))
        else:
            changed.add(at.path)
    return hits, changed
