"""A server that makes embeddings, and a worker process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from glossator.worker import Worker
from tests.retrieval.embeddings.servers import EmbeddingServer, serving


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving() as made:
        yield made


@pytest.fixture
async def worker() -> AsyncIterator[Worker]:
    made = Worker(first_wait=0.01, longest_wait=0.05)
    yield made
    await made.close()
