"""One job at a time writes to a folder, and knows what others wrote before."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from unittest.mock import AsyncMock, Mock

import pytest

from glossator.core.errors import UsageError
from glossator.worker import JobFailed, Worker, WorkerPhase
from glossator.workspace.files import state_folder
from glossator.workspace.files.state_folder import writing
from glossator.workspace.index.jobs import BuildSegment, Built, Busy, Stale
from glossator.workspace.index.manifest import IndexFolder, ManifestStamp
from glossator.workspace.index.root_store import RootStore, Wrote
from tests.patience import until
from tests.worker.conftest import MakeServing
from tests.worker.serving import list_files

FILES = 220


def job(root: Path, known: ManifestStamp | None = None) -> BuildSegment:
    """One that indexes all there is."""
    paths = tuple(entry.path for entry in list_files(root))
    folder = state_folder.prepare_index_folder(str(root))
    return BuildSegment(str(root), str(folder), paths, frozenset(), known, 1_000_000)


def catalogue(root: Path) -> IndexFolder:
    return IndexFolder(state_folder.index_folder(str(root)))


async def test_a_second_job_of_the_same_worker_does_not_write(worker: Worker, tree: Path) -> None:
    first, second = await asyncio.gather(worker.run(job(tree)), worker.run(job(tree)))
    assert {type(first), type(second)} <= {Built, Busy, Stale}
    assert (type(first) is Built) != (type(second) is Built)
    assert [info.documents for info in catalogue(tree).read().segments] == [FILES]


async def test_a_job_that_is_dropped_leaves_the_lock(worker: Worker, tree: Path) -> None:
    folder = state_folder.prepare_index_folder(str(tree))
    building = asyncio.create_task(worker.run(job(tree)))
    await until((folder / "lock").exists)
    building.cancel()
    await asyncio.wait({building})
    known = catalogue(tree).stamp()
    assert isinstance(await worker.run(job(tree, known)), Built)


async def test_what_was_published_meanwhile_is_not_written_again(
    worker: Worker, tree: Path
) -> None:
    assert isinstance(await worker.run(job(tree)), Built)
    assert isinstance(await worker.run(job(tree)), Stale)
    known = catalogue(tree).stamp()
    assert isinstance(await worker.run(job(tree, known)), Built)


async def test_a_worker_of_another_version_writes_nothing(worker: Worker, tree: Path) -> None:
    with pytest.raises(JobFailed, match="restart the server"):
        await worker.run(replace(job(tree), version=0))
    assert catalogue(tree).read().segments == ()


async def test_servers_that_build_at_once_write_each_file_once(
    serving: MakeServing, tree: Path
) -> None:
    servers = [serving() for _ in range(3)]
    for server in servers:
        await server.start()
    await asyncio.gather(*(server.manager.build() for server in servers))
    for server in servers:
        assert server.index.statistics().documents == FILES
        assert server.manager.status().problems == ()
        assert server.notices == []
        server.assert_right()
    assert sum(info.documents for info in catalogue(tree).read().segments) == FILES


async def test_a_build_waits_for_another_server_and_a_rebuild_tells_of_it(
    serving: MakeServing, tree: Path
) -> None:
    server = serving()
    with writing(str(state_folder.prepare_index_folder(str(tree)))) as ours:
        assert ours
        await server.start()
        building = asyncio.create_task(server.manager.build())
        await until(lambda: bool(server.manager.status().problems))
        (problem,) = server.manager.status().problems
        assert problem.startswith("Another server of the workspace is writing")
        assert problem.endswith("wait until it is done.")
        with pytest.raises(UsageError, match="Another server of the workspace is writing"):
            await server.manager.rebuild()
        assert not building.done()
    await building
    assert server.manager.status().problems == ()
    assert server.index.statistics().documents == FILES


async def test_what_another_server_wrote_is_waited_for_no_longer(
    serving: MakeServing, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.workspace.index.root_store._BUSY_SECONDS", 600)
    first, second = serving(), serving()
    with writing(str(state_folder.prepare_index_folder(str(tree)))):
        await first.start()
        building = asyncio.create_task(first.manager.build())
        await until(lambda: bool(first.manager.status().problems))
    await second.start()
    await second.manager.build()
    first.manager.look()
    await building
    assert first.manager.status().problems == ()
    assert first.index.statistics().documents == FILES
    await first.manager.rebuild()
    assert first.manager.status().problems == ()


async def test_what_another_server_wrote_hides_no_failure(tree: Path) -> None:
    store = RootStore(str(tree), 1_000_000)
    store.prepare()
    worker = Mock(run=AsyncMock(side_effect=[Busy(), JobFailed("No space left on device")]))
    assert await store.write(worker, ()) is Wrote.FAILED
    assert await store.write(worker, ()) is Wrote.FAILED
    store.caught_up()
    assert "No space left on device" in store.problem
    store.close()


async def test_a_rebuild_that_must_wait_says_so_whatever_was_published_meanwhile(
    serving: MakeServing, tree: Path
) -> None:
    first, second = serving(), serving()
    for server in (first, second):
        await server.start()
        await server.manager.build()
    await second.manager.rebuild()
    with (
        writing(str(state_folder.prepare_index_folder(str(tree)))),
        pytest.raises(UsageError, match="Another server of the workspace is writing"),
    ):
        await first.manager.rebuild()


async def test_an_idle_server_holds_nobody_up(serving: MakeServing, tree: Path) -> None:
    first, second = serving(), serving()
    await first.start()
    await first.manager.build()
    await second.start()
    await second.manager.settle()
    assert second.worker.state.phase is WorkerPhase.OFF
    await second.manager.rebuild()
    first.manager.look()
    await first.manager.settle()
    assert first.index.statistics().documents == FILES
    first.assert_right()
    assert sum(info.documents for info in catalogue(tree).read().segments) == FILES
