"""Embedding in the worker process: nothing twice, whoever dies; nobody waits for a slow server."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from pathlib import Path

import numpy as np
import pytest

from glossator.retrieval import (
    EmbedChunks,
    Embedded,
    EmbedderChoice,
    EmbedQuery,
    VectorStore,
    text_key,
)
from glossator.retrieval.embeddings.embedder import Batch, packed, unit
from glossator.retrieval.embeddings.jobs import _batches
from glossator.retrieval.embeddings.local import MODEL_ID
from glossator.retrieval.embeddings.vector_index import VectorIndex
from glossator.worker import JobFailed, JobProgress, Worker, WorkerGone
from tests.patience import until
from tests.retrieval.embeddings.servers import (
    Asked,
    EmbeddingServer,
    Reply,
    static_files,
    vector_of,
)

ROOM = 50_000_000
TEXTS = tuple(f"text number {number}" for number in range(200))


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "vectors")


def chunks(choice: EmbedderChoice, path: str, texts: tuple[str, ...] = TEXTS) -> EmbedChunks:
    return EmbedChunks(choice, path, ROOM, texts)


def stored(choice: EmbedderChoice, path: str) -> int:
    store = VectorStore(path, ROOM, choice.model_id)
    try:
        return len(store.known(map(text_key, TEXTS)))
    finally:
        store.close()


async def test_static_embeddings_in_the_worker(worker: Worker, tmp_path: Path, path: str) -> None:
    choice = EmbedderChoice("static", "id", path=str(static_files(tmp_path / "model")))
    texts = ("parse config", "http header", "parse config")
    assert await worker.run(chunks(choice, path, texts)) == Embedded(2, 0)
    assert await worker.run(chunks(choice, path, (*texts, "file"))) == Embedded(1, 2)
    question = (await worker.run(EmbedQuery(choice, "config"))).vector
    kept = VectorStore(path, ROOM, "id").get(map(text_key, texts))
    assert unit(kept[text_key("parse config")].astype(np.float32)) @ question > 0.7


async def test_the_local_model_in_the_worker(worker: Worker, path: str) -> None:
    choice = EmbedderChoice("local", MODEL_ID)
    texts = ("def read_config(path)", "class HttpServer")
    assert await worker.run(chunks(choice, path, texts)) == Embedded(2, 0)
    question = (await worker.run(EmbedQuery(choice, "where is the configuration read?"))).vector
    store = VectorStore(path, ROOM, MODEL_ID)
    index = VectorIndex(store.dimension() or 0)
    index.add(store.get(map(text_key, texts)))
    assert index.search(question, 1)[0][0] == text_key(texts[0])


async def test_what_a_server_billed(worker: Worker, server: EmbeddingServer, path: str) -> None:
    """Also of a job that failed: the next one tells it."""
    server.tokens = 3
    assert await worker.run(chunks(server.choice(), path, TEXTS[:2])) == Embedded(2, 0, 6)
    assert (await worker.run(EmbedQuery(server.choice(), "why?"))).tokens == 3
    server.replies = [Reply(body=None), Reply(400)]
    with pytest.raises(JobFailed):
        await worker.run(chunks(server.choice(), path))
    done = await worker.run(chunks(server.choice(), path))
    assert done.tokens == 3 * (len(TEXTS) - 2)


async def test_progress_and_batches(worker: Worker, server: EmbeddingServer, path: str) -> None:
    seen: list[JobProgress] = []
    assert await worker.run(chunks(server.choice(), path), seen.append) == Embedded(200, 0)
    assert [progress.done for progress in seen] == [0, 64, 128, 192, 200]
    assert {progress.total for progress in seen} == {200}
    assert [len(asked.texts) for asked in server.asked] == [64, 64, 64, 8]
    kept = VectorStore(path, ROOM, server.choice().model_id).get([text_key(TEXTS[7])])
    expected = packed(unit(np.array(vector_of(TEXTS[7]), np.float32)))
    np.testing.assert_array_equal(kept[text_key(TEXTS[7])], expected)


async def test_killed_in_the_middle(worker: Worker, server: EmbeddingServer, path: str) -> None:
    """What was stored is not asked for again."""
    reached, never = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def hold(_: Asked) -> threading.Event | None:
        if len(server.asked) < 3:
            return None
        loop.call_soon_threadsafe(reached.set)
        return never

    server.hold = hold
    running = asyncio.create_task(worker.run(chunks(server.choice(), path)))
    await reached.wait()
    process_id = worker.state.process_id
    assert process_id
    os.kill(process_id, signal.SIGKILL)
    with pytest.raises(WorkerGone):
        await running
    never.set()
    assert stored(server.choice(), path) == 128

    server.hold = lambda _: None
    before = {text for asked in server.asked[:2] for text in asked.texts}
    await until(lambda: not worker.state.retry_after)
    assert await worker.run(chunks(server.choice(), path)) == Embedded(72, 128)
    after = [text for asked in server.asked[3:] for text in asked.texts]
    assert before.isdisjoint(after)
    assert before | set(after) == set(TEXTS)


async def test_a_question_does_not_wait_for_the_texts(
    worker: Worker, server: EmbeddingServer, path: str
) -> None:
    reached, release = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def hold(asked: Asked) -> threading.Event | None:
        if asked.texts == ["a question"]:
            return None
        loop.call_soon_threadsafe(reached.set)
        return release

    server.hold = hold
    running = asyncio.create_task(worker.run(chunks(server.choice(), path)))
    await reached.wait()
    vector = await worker.run(EmbedQuery(server.choice(), "a question"))
    assert vector.vector.shape == (4,)
    assert not running.done()
    release.set()
    assert await running == Embedded(200, 0)


async def test_a_cancelled_job_keeps_what_was_paid_for(
    worker: Worker, server: EmbeddingServer, path: str
) -> None:
    reached, release = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def hold(asked: Asked) -> threading.Event | None:
        if asked.texts == ["next"]:
            return None
        loop.call_soon_threadsafe(reached.set)
        return release

    server.hold = hold
    running = asyncio.create_task(worker.run(chunks(server.choice(), path)))
    await reached.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await worker.run(EmbedQuery(server.choice(), "next"))  # by then the other was dropped
    release.set()
    await until(lambda: stored(server.choice(), path) == 64)
    assert [asked for asked in server.asked if asked.texts[0] == TEXTS[64]] == []


async def test_limits_are_waited_for(worker: Worker, server: EmbeddingServer, path: str) -> None:
    server.replies = [Reply(429, {}, {"retry-after": "0.01"}), Reply(503, {}, {"retry-after": "0"})]
    assert await worker.run(chunks(server.choice(), path, TEXTS[:3])) == Embedded(3, 0)
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("replies", "requests", "says"),
    [
        ([Reply(401, {})], 1, "did not accept the key"),
        ([Reply(429, {}, {"retry-after": "3600"})], 1, "limits how much"),
        ([Reply(500, {}, {"retry-after": "0"})] * 9, 6, "failed with status 500"),
    ],
)
async def test_what_is_not_waited_for(
    worker: Worker,
    server: EmbeddingServer,
    path: str,
    replies: list[Reply],
    requests: int,
    says: str,
) -> None:
    server.replies = list(replies)
    with pytest.raises(JobFailed, match=says):
        await worker.run(chunks(server.choice(), path, TEXTS[:3]))
    assert len(server.asked) == requests


async def test_a_changed_dimension(worker: Worker, server: EmbeddingServer, path: str) -> None:
    await worker.run(chunks(server.choice(), path, TEXTS[:3]))
    server.dimension = 5
    with pytest.raises(JobFailed, match="5 numbers, and made some of 4"):
        await worker.run(chunks(server.choice(), path, TEXTS[:5]))


def test_batches_by_texts_and_by_characters() -> None:
    texts = ["a" * 5, "b" * 5, "c", "d" * 30, "e", "f", "g", "h"]
    sizes = [[text[0] for text in batch] for batch in _batches(texts, Batch(3, 10))]
    assert sizes == [["a", "b"], ["c"], ["d"], ["e", "f", "g"], ["h"]]
