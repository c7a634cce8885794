"""Building, rebuilding and checking the index, and what the status says of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from glossator.application.application import Application
from glossator.commands.answers.server import IndexAnswer, StatusAnswer
from glossator.commands.index import IndexMode, IndexRequest, rebuild_index
from glossator.commands.search import ToolRequest, tool
from glossator.commands.status import StatusRequest, status
from glossator.settings.load import load_settings
from glossator.workspace.files import state_folder
from glossator.workspace.files.entries import RACY_NS
from glossator.workspace.index import root_store
from glossator.workspace.index.jobs import BuildSegment
from tests.patience import until
from tests.stage import RecordedActivity, Recorder
from tests.worker.conftest import let_workers_import_jobs
from tests.worker.jobs import Endless

FILES = 1200  # so many that a build is shown


@asynccontextmanager
async def opened(root: Path, **workspace: Any) -> AsyncIterator[Application]:
    settings = load_settings({"workspace": workspace}, {}, file=root / "none.toml")
    app = Application((str(root),), settings, Recorder(), "utf-16", {})
    await app.start()
    try:
        yield app
    finally:
        await app.close()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree of files that are old enough to be indexed."""
    folder = tmp_path_factory.mktemp("ws").resolve()
    for number in range(FILES):
        (folder / f"{number}.txt").write_text(f"word{number} common\n")
    time.sleep(RACY_NS / 1e9)  # a change's time cannot be set, it has to pass
    return folder


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


async def asked(app: Application, mode: IndexMode) -> IndexAnswer:
    return await rebuild_index(app, IndexRequest(mode))


async def state(app: Application) -> StatusAnswer:
    return await status(app, StatusRequest(wait=True))


async def test_a_build_is_shown_and_then_used(root: Path) -> None:
    async with opened(root) as app:
        built = await asked(app, IndexMode.UPDATE)
        assert (built.files, built.indexed, built.pending, built.problems) == (FILES, FILES, 0, ())
        assert built.segments
        assert (built.chunk_files, built.disk_bytes > 0) == (FILES, True)
        activities = app.port.activities  # type: ignore[attr-defined]  # a Recorder
        assert {each.title for each in activities} == {
            "Glossator: building the index",
            "Glossator: indexing for Search",
        }
        assert all(each.ended for each in activities)
        activity = next(each for each in activities if "building" in each.title)
        assert activity.reports[-1] == (f"{FILES:,} of {FILES:,} files", 100)
        now = await state(app)
        assert (now.index.state, now.index.documents, now.index.pending) == ("on", FILES, 0)
        assert (now.chunks.state, now.chunks.files, now.chunks.pending) == ("on", FILES, 0)
        assert now.chunks.disk_bytes > 0
        assert now.worker.startswith("ready, process ")
        assert now.last_sweep is not None
        assert now.last_sweep.cause == "start"
        assert now.memory_bytes > 10_000_000
        assert (await asked(app, IndexMode.CHECK)).problems == ()
    async with opened(root) as app:  # the next start finds it
        found = await tool(app, ToolRequest("Grep", {"pattern": "word77\\b"}))
        assert found.text == "77.txt"
        assert (await state(app)).index.documents == FILES


async def build_of(app: Application) -> RecordedActivity:
    """What is shown of a build, once it is; on a slow machine indexing for Search is shown, too."""
    port = app.port
    assert isinstance(port, Recorder)

    def found() -> list[RecordedActivity]:
        return [each for each in port.activities if each.title == "Glossator: building the index"]

    await until(lambda: bool(found()))
    return found()[0]


@pytest.fixture
def _endless_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds go on until they are cancelled."""
    let_workers_import_jobs(monkeypatch)
    monkeypatch.setattr(root_store, "BuildSegment", Endless)


@pytest.mark.usefixtures("_endless_builds")
async def test_a_build_that_the_user_ends(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(root) as app:
        building = asyncio.create_task(asked(app, IndexMode.UPDATE))
        build = await build_of(app)
        build.cancel()
        (problem,) = (await building).problems
        assert problem.startswith("The build was cancelled with ")
        assert build.ended
        now = await state(app)
        assert now.index.state == "building was ended by the user"
        found = await tool(app, ToolRequest("Grep", {"pattern": "word77\\b"}))
        assert found.text == "77.txt"
        monkeypatch.setattr(root_store, "BuildSegment", BuildSegment)
        assert (await asked(app, IndexMode.REBUILD)).indexed == FILES


@pytest.mark.usefixtures("_endless_builds")
@pytest.mark.parametrize("mode", [IndexMode.UPDATE, IndexMode.REBUILD])
async def test_a_request_that_is_cancelled_ends_the_build(root: Path, mode: IndexMode) -> None:
    async with opened(root) as app:
        building = asyncio.create_task(asked(app, mode))
        build = await build_of(app)
        await app.ready()  # a rebuild lists all files first
        building.cancel()
        with pytest.raises(asyncio.CancelledError):
            await building
        await app.host.index_manager.settle()
        assert build.ended
        assert (await state(app)).index.segments == 0


async def test_the_index_for_search_is_checked_and_rebuilt(root: Path) -> None:
    async with opened(root) as app:
        assert (await asked(app, IndexMode.UPDATE)).chunk_files == FILES
        chunks = state_folder.index_folder(str(root)) / "chunks"
        for path in chunks.glob("*.store"):
            content = bytearray(path.read_bytes())
            content[len(content) // 2] ^= 1
            path.write_bytes(content)
        problems = (await asked(app, IndexMode.CHECK)).problems
        assert problems
        assert all("rebuild the index" in problem for problem in problems)
        assert (await asked(app, IndexMode.REBUILD)).chunk_files == FILES
        assert (await asked(app, IndexMode.CHECK)).problems == ()


async def test_damage_is_told_of_and_mended(root: Path) -> None:
    async with opened(root) as app:
        await asked(app, IndexMode.UPDATE)
    segment, *_ = (state_folder.index_folder(str(root)) / "segments").iterdir()
    content = bytearray(segment.read_bytes())
    content[40:60] = b"x" * 20
    segment.write_bytes(content)
    async with opened(root) as app:
        assert (await asked(app, IndexMode.UPDATE)).indexed == FILES
        port = app.port
        assert isinstance(port, Recorder)
        assert "is damaged and is being mended" in port.told[0]
        assert (await asked(app, IndexMode.CHECK)).problems == ()


async def test_without_an_index_on_disk(root: Path) -> None:
    async with opened(root, index=False) as app:
        answer = await asked(app, IndexMode.UPDATE)
        assert "workspace.index" in answer.problems[0]
        assert "change that" in answer.problems[0]
        assert "workspace.index" in (await state(app)).index.state
    assert not state_folder.index_folder(str(root)).exists()
