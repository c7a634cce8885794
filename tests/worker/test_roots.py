"""Roots that change while their index is built: one manager at a time works."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from glossator.core.errors import UsageError
from glossator.settings.model import WorkspaceSettings
from glossator.worker.client import Worker
from glossator.worker.jobs import JobProgress
from glossator.workspace.documents.host import Indexing, WorkspaceHost
from glossator.workspace.documents.overlays import RootsChanged
from glossator.workspace.files import state_folder
from glossator.workspace.index.manifest import IndexFolder
from tests.patience import until

FILES = 220


@dataclass
class Hosted:
    """A host whose progress and notices are kept."""

    host: WorkspaceHost
    worker: Worker
    notices: list[str] = field(default_factory=list)
    progress: list[JobProgress | None] = field(default_factory=list)
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    def shown(self, progress: JobProgress | None) -> None:
        self.progress.append(progress)
        self.begun.set()


@pytest.fixture
async def hosted(
    tree: Path, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Hosted]:
    monkeypatch.setattr("glossator.workspace.index.index_work._SHOWN", 10)
    notices: list[str] = []
    indexing = Indexing(worker, notices.append, lambda progress: made.shown(progress), 0.0)  # noqa: PLW0108 - made later
    host = WorkspaceHost((str(tree),), WorkspaceSettings(), indexing)
    made = Hosted(host, worker, notices)
    yield made
    await host.close()


def keepers() -> list[str]:
    tasks = [task.get_name() for task in asyncio.all_tasks()]
    return [name for name in tasks if name in ("glossator-index-manager", "glossator-closing")]


def documents(root: Path) -> list[int]:
    catalogue = IndexFolder(state_folder.index_folder(str(root)))
    return [info.documents for info in catalogue.read().segments]


async def test_roots_that_change_during_a_build(hosted: Hosted, tree: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = (str(tmp_path / "other"),)
    await hosted.host.start()
    await hosted.begun.wait()
    for change in [RootsChanged(other, ()), RootsChanged((), other)] * 3:
        hosted.host.apply(change)
    await hosted.host.ready()
    await until(lambda: keepers() == ["glossator-index-manager"])  # the others end meanwhile
    await hosted.host.index_manager.build()
    assert hosted.notices == []
    assert hosted.host.index_manager.status().problems == ()
    assert sum(documents(tree)) == FILES
    assert hosted.progress[-1] is None


async def test_a_root_that_leaves_is_not_built_any_more(
    hosted: Hosted, tree: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    await hosted.host.start()
    await hosted.begun.wait()
    asked = asyncio.create_task(hosted.host.index_manager.build())
    await asyncio.sleep(0)
    before = len(documents(tree))
    hosted.host.apply(RootsChanged((str(tmp_path / "other"),), (str(tree),)))
    with pytest.raises(UsageError, match="folders changed; ask again"):
        await asked
    await hosted.host.ready()
    await hosted.host.index_manager.build()
    assert hosted.progress[-1] is None
    assert len(documents(tree)) <= before + 1
