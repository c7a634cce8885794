"""What a server remembers of folders on disk: written by sweeps, used by the next start."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from glossator.workspace.documents.host import WorkspaceHost
from glossator.workspace.files import state_folder
from glossator.workspace.files.listing_cache import FOLDERS_FILE, FolderFile, read_folders
from glossator.workspace.files.state_folder import writing
from glossator.workspace.index.manifest import IndexFolder, replace_file
from tests.patience import until
from tests.worker.conftest import Restart
from tests.workspace.files.trees import FOLDERS_ARE_REMEMBERED

AFTER_START = "the start listed few folders"
Start = Callable[..., Awaitable[WorkspaceHost]]


@pytest.fixture
def notices() -> list[str]:
    return []


@pytest.fixture
def start(tree: Path, restart: Restart, notices: list[str]) -> Start:
    """Starts a server after the last one's end; keywords are workspace settings."""
    return partial(restart, tree, notice=notices.append)


@pytest.fixture
def file(tree: Path) -> Path:
    return state_folder.index_folder(str(tree)) / FOLDERS_FILE


def written(file: Path) -> bytes:
    """What is in the file, if it is there."""
    return file.read_bytes() if file.exists() else b""


def cause(host: WorkspaceHost) -> str:
    """Of the last sweep."""
    sweep = host.status().last_sweep
    return sweep.cause if sweep else ""


def names(host: WorkspaceHost) -> set[str]:
    return {entry.relative for entry in host.snapshot().files()}


@FOLDERS_ARE_REMEMBERED
async def test_a_start_uses_what_the_last_one_saw_and_a_sweep_follows(
    start: Start, tree: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.workspace.files.indexer._AFTER_START_SECONDS", 0.0)
    first = await start()
    await until(lambda: bool(written(file)))
    assert cause(first) == "start"
    known = read_folders(file.parent, str(tree)).known
    assert set(known) == {str(tree), *(str(tree / f"folder{number}") for number in range(7))}
    second = await start()
    assert names(second) == names(first)
    await until(lambda: cause(second) == AFTER_START)
    assert names(second) == names(first)


@FOLDERS_ARE_REMEMBERED
async def test_what_was_remembered_wrongly_is_found_soon(
    start: Start, tree: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = await start()
    await until(lambda: bool(written(file)))
    await right.index_manager.settle()
    content = written(file)
    wrong = FolderFile(str(tree), [str(tree)])
    for path, known in read_folders(file.parent, str(tree)).known.items():
        wrong.add(path, known._replace(files=known.files.replace("binary/", "")))
    replace_file(file, wrong.content() or b"")
    (report,) = await right.index_manager.check()
    assert report.problems == (
        f"{tree} does not hold what is remembered of it; rebuild the index.",
    )
    host = await start()
    assert "binary" not in names(host), "or nothing was taken from memory"
    monkeypatch.setattr("glossator.workspace.files.indexer._AFTER_START_SECONDS", 0.0)
    host = await start()
    await until(lambda: "binary" in names(host))
    await until(lambda: written(file) == content)


async def test_without_an_index_nothing_is_remembered(start: Start, state: Path) -> None:
    for _ in range(2):
        host = await start(index=False)
        await host.index_manager.settle()
    assert not list(state.parent.glob(state.name))


async def test_what_another_writes_is_left_alone(start: Start, tree: Path, file: Path) -> None:
    state_folder.prepare_index_folder(str(tree))
    with writing(str(file.parent)) as ours:
        assert ours
        host = await start()
        await until(lambda: bool(host.index_manager.status().problems))  # the index waits, too
        assert not written(file)
    host.sweep("test")
    await until(lambda: bool(written(file)))


async def test_a_damaged_file_is_told_of_checked_and_written_anew(
    start: Start, file: Path, notices: list[str]
) -> None:
    host = await start()
    await until(lambda: bool(written(file)))
    await host.index_manager.settle()
    content = written(file)
    replace_file(file, content[:-1])
    (report,) = await host.index_manager.check()
    assert report.problems == (
        f"{FOLDERS_FILE} is cut short or damaged, or of another version; rebuild the index.",
    )
    again = await start()
    await until(lambda: written(file) == content)
    await again.index_manager.settle()
    assert names(again) == names(host)
    assert ["The saved folder listing" in notice for notice in notices] == [True]


async def test_rebuilding_forgets(start: Start, file: Path) -> None:
    host = await start()
    await until(lambda: bool(written(file)))
    await host.index_manager.rebuild()
    assert not written(file)
    (report,) = await host.index_manager.check()
    assert report.problems == ()
    host.sweep("test")
    await until(lambda: bool(written(file)))


async def test_a_place_that_cannot_be_written_to_costs_only_time(
    start: Start, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    os.makedirs(file)
    (file.parent / "quarantine").touch()
    host = await start()
    await until(lambda: "lists the folders" in caplog.text)
    await host.index_manager.settle()
    assert host.snapshot().text.pending == ()
    assert IndexFolder(file.parent).read().segments
