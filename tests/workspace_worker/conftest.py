"""Workers that are closed at the end of their test, and find the tests' own jobs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from glossator.workspace.worker.client import Worker

MakeWorker = Callable[[], Worker]


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))


@pytest.fixture
async def worker() -> AsyncIterator[Worker]:
    made = Worker(first_wait=0.01, longest_wait=0.05)
    yield made
    await made.close()
