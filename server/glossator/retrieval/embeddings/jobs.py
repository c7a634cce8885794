"""Jobs that embed: texts in the background, a question at once.

They run in a worker process of their own. Each job embeds in a thread and yields while it waits, so
that a question is not held up by the texts, nor anything by a slow server, and a cancelled job ends
within a few milliseconds. A thread that hangs cannot be ended: when a call takes too long, the job
yields no more, and the server ends the process, as it is silent. What is stored is never embedded
again: a job that was killed goes on where it was when it is run again.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from glossator.core.errors import EmbeddingFailed
from glossator.retrieval.embeddings.embedder import (
    Batch,
    Embedder,
    EmbedderChoice,
    Vectors,
    text_key,
)
from glossator.retrieval.embeddings.vector_store import VectorStore
from glossator.worker import Job, JobProgress, Slices

_T = TypeVar("_T")
_SLICE = 0.01  # seconds between two looks at the thread
_CALL = 30.0  # seconds, after which a call may hang; one that fails later is not repeated
_TEXT_TRIES, _TEXT_WAIT = 6, 60.0  # for texts; the wait in seconds is doubled with each try
_QUESTION_TRIES, _QUESTION_WAIT = 2, 2.0  # somebody waits
_opening = threading.Lock()  # or two threads would load a model at once


@dataclass(frozen=True, slots=True)
class Embedded:
    """How many texts were embedded, and how many had been before.

    `tokens` were billed by the server since the last job that ended, so those of a job that failed
    are told by the next.
    """

    fresh: int
    known: int
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class EmbeddedQuery:
    """The vector of a question, and `tokens` as `Embedded` has them."""

    vector: Vectors
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class EmbedChunks(Job[Embedded]):
    """Embed `texts` in their order and keep the vectors, each batch in one transaction.

    `path` and `max_bytes` are of the file of vectors. All texts travel to the worker at once, so
    that a job should have some hundreds. Progress counts texts. Raises `EmbeddingFailed` and
    `StoreUnavailable`; what was embedded until then is kept.
    """

    choice: EmbedderChoice
    path: str
    max_bytes: int
    texts: tuple[str, ...]

    def run(self) -> Slices[Embedded]:
        """Embed in one thread, which owns the store; a batch under way is stored in any case."""
        pool = ThreadPoolExecutor(1, "glossator-embeddings")
        embedding = _Embedding(self)
        try:
            missing, known = yield from _patiently(pool, embedding.begin, 1, 0.0)
            done = 0
            yield JobProgress(done, len(missing))
            for batch in _batches(missing, embedding.batch):
                step = functools.partial(embedding.embed, batch)
                yield from _patiently(pool, step, _TEXT_TRIES, _TEXT_WAIT)
                done += len(batch)
                yield JobProgress(done, len(missing))
            return Embedded(done, known, embedding.take_tokens())
        finally:
            pool.submit(embedding.end)
            pool.shutdown(wait=False)


@dataclass(frozen=True, slots=True)
class EmbedQuery(Job[EmbeddedQuery]):
    """The vector of a question. Raises `EmbeddingFailed`."""

    urgent: ClassVar[bool] = True

    choice: EmbedderChoice
    text: str

    def run(self) -> Slices[EmbeddedQuery]:
        """Embed in a thread; the first question waits until the model is loaded."""
        pool = ThreadPoolExecutor(1, "glossator-question")
        try:
            return (yield from _patiently(pool, self._embed, _QUESTION_TRIES, _QUESTION_WAIT))
        finally:
            pool.shutdown(wait=False)

    def _embed(self) -> EmbeddedQuery:
        embedder = opened(self.choice)
        vector = embedder.embed_query(self.text)
        return EmbeddedQuery(vector, embedder.take_tokens())


def opened(choice: EmbedderChoice) -> Embedder:
    """The embedder of a choice, the same for the same choice. Raises `EmbeddingFailed`."""
    with _opening:
        return _open(choice)


@functools.lru_cache(maxsize=2)  # a model takes 100 MB, and the settings rarely change
def _open(choice: EmbedderChoice) -> Embedder:
    # Imported here: each needs libraries that may not be installed.
    if choice.kind == "local":
        from glossator.retrieval.embeddings.local import MiniLm  # noqa: PLC0415

        return MiniLm()
    if choice.kind == "static":
        from glossator.retrieval.embeddings.local import StaticEmbedder  # noqa: PLC0415

        return StaticEmbedder(choice.path, choice.model_id)
    from glossator.retrieval.embeddings.api import ApiEmbedder  # noqa: PLC0415

    return ApiEmbedder(choice)


class _Embedding:
    """The embedder and the store of a job; all but `batch` belongs to the job's thread."""

    def __init__(self, job: EmbedChunks) -> None:
        self._job = job
        self._embedder: Embedder
        self._store: VectorStore | None = None

    @property
    def batch(self) -> Batch:
        return self._embedder.batch

    def begin(self) -> tuple[list[str], int]:
        """The texts without a vector, and the number of the others."""
        job = self._job
        self._store = VectorStore(job.path, job.max_bytes, job.choice.model_id)
        self._embedder = opened(job.choice)
        texts = {text_key(text): text for text in job.texts}
        known = self._store.known(texts)
        return [text for key, text in texts.items() if key not in known], len(known)

    def embed(self, texts: Sequence[str]) -> None:
        vectors = self._embedder.embed_documents(texts)
        if self._store is not None:
            self._store.put(dict(zip(map(text_key, texts), vectors, strict=True)))

    def take_tokens(self) -> int:
        return self._embedder.take_tokens()

    def end(self) -> None:
        if self._store is not None:
            self._store.close()


def _patiently(
    pool: ThreadPoolExecutor, work: Callable[[], _T], tries: int, longest_wait: float
) -> Slices[_T]:
    """The result of `work`, tried again after failures that may pass."""
    for number in range(1, tries + 1):
        running, late = pool.submit(work), time.monotonic() + _CALL
        while not running.done():
            wait([running], _SLICE if time.monotonic() < late else None)
            yield None
        try:
            return running.result()
        except EmbeddingFailed as error:
            final = number == tries or time.monotonic() >= late
            if final or error.retry_after is None or error.retry_after > longest_wait:
                raise
            pause = min(error.retry_after * 2 ** (number - 1), longest_wait)
            until = time.monotonic() + pause
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, _SLICE))
            yield None
    raise AssertionError("the last try returned or raised")


def _batches(texts: Sequence[str], most: Batch) -> Iterator[list[str]]:
    batch: list[str] = []
    room = most.characters
    for text in texts:
        if batch and (len(batch) == most.texts or len(text) > room):
            yield batch
            batch, room = [], most.characters
        batch.append(text)
        room -= len(text)
    if batch:
        yield batch
