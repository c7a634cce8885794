"""Workers and whole servers that are closed at the end of their test, and trees for them."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from glossator.settings.model import WorkspaceSettings
from glossator.worker.client import Worker
from glossator.workspace.documents.host import Indexing, WorkspaceHost
from glossator.workspace.files import state_folder
from glossator.workspace.files.entries import RACY_NS
from tests.worker.serving import Serving

_TREES = 96
_FILES = 218


def let_workers_import_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the tests, in `jobs.py`."""
    here = Path(__file__).parents[2]  # in a second work tree, too, the worker runs its own code
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (here / "server", here))))


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    let_workers_import_jobs(monkeypatch)


@pytest.fixture
async def worker() -> AsyncIterator[Worker]:
    made = Worker(first_wait=0.01, longest_wait=0.05)
    yield made
    await made.close()


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with the indexes of this test's roots."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return state_folder.index_base()


@pytest.fixture(scope="session")
def grown_trees(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Trees whose files are old enough to be indexed; each is given out once."""
    trees = [tmp_path_factory.mktemp("tree") for _ in range(_TREES)]
    for tree in trees:
        for number in range(_FILES):
            file = tree / f"folder{number % 7}" / f"file{number}.txt"
            file.parent.mkdir(exist_ok=True)
            rare = "A NEEDLE\n" if number % 50 == 7 else ""
            file.write_text(f"some common text\n{rare}number{number}.\n" * 20)
        (tree / "binary").write_bytes(bytes(range(256)) * 10)
        (tree / "empty").touch()
    while (trees[-1] / "empty").stat().st_ctime_ns + RACY_NS > time.time_ns():
        time.sleep(0.05)  # a change's time cannot be set, it has to pass
    return iter(trees)


@pytest.fixture
def tree(grown_trees: Iterator[Path]) -> Path:
    return next(grown_trees)


MakeServing = Callable[..., Serving]


@pytest.fixture
async def serving(tree: Path) -> AsyncIterator[MakeServing]:
    """Makes a server over `tree`, or over another root; keywords are workspace settings."""
    made: list[Serving] = []

    def make(root: Path = tree, **settings: Any) -> Serving:
        made.append(Serving(root, **settings))
        return made[-1]

    yield make
    for each in made:
        await each.close()


Restart = Callable[..., Awaitable[WorkspaceHost]]


@pytest.fixture
async def restart(worker: Worker) -> AsyncIterator[Restart]:
    """Starts a server on some roots after the last one's end; keywords are workspace settings."""
    hosts: list[WorkspaceHost] = []

    async def begin(
        *roots: Path, notice: Callable[[str], None] = lambda _: None, **settings: Any
    ) -> WorkspaceHost:
        for host in hosts:
            await host.close()
        indexing = Indexing(worker, notice, lambda _: None, 0.0)
        checked = WorkspaceSettings.model_validate(settings)
        hosts.append(WorkspaceHost(tuple(map(str, roots)), checked, indexing))
        await hosts[-1].start()
        await hosts[-1].ready()
        return hosts[-1]

    yield begin
    for host in hosts:
        await host.close()
