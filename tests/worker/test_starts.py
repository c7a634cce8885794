"""A start makes entries of few files, and none of them on the event loop."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from glossator.workspace.documents.host import WorkspaceHost
from glossator.workspace.documents.overlays import DiskChanged
from glossator.workspace.files import state_folder
from glossator.workspace.files.entries import RACY_NS, FileEntry, FolderFiles
from glossator.workspace.files.listing_cache import FOLDERS_FILE
from glossator.workspace.index.required import analyse
from tests.patience import until
from tests.worker.conftest import Restart
from tests.workspace.files.trees import FOLDERS_ARE_REMEMBERED, write_tree

pytestmark = FOLDERS_ARE_REMEMBERED

FOLDERS = ("", "a/", "a/m/", "a/m/n/", "b/")
FILES = ("f.txt", "k.txt", "z.txt")  # of a folder, before and behind the folders in it
Start = Callable[[], Awaitable[WorkspaceHost]]


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """Two roots, in every folder of which a file is left out, old enough to be remembered."""
    top = tmp_path_factory.mktemp("grown")
    for root in ("one", "two"):
        texts = {folder + name: f"{root} {folder}{name}\n" for folder in FOLDERS for name in FILES}
        texts |= {f"{folder}left.out": "" for folder in FOLDERS}
        write_tree(top / root, texts | {".gitignore": "*.out\n"})
    time.sleep(RACY_NS / 1e9 + 0.1)  # a change's time cannot be set, it has to pass
    yield top / "one", top / "two"
    shutil.rmtree(top)


@pytest.fixture
def start(grown: tuple[Path, Path], restart: Restart) -> Start:
    """Starts a server on both roots after the last one's end."""
    return lambda: restart(*grown)


@pytest.fixture
async def known(start: Start, grown: tuple[Path, Path]) -> None:
    """A server was there before: the index is on disk, and what it saw of the folders."""
    host = await start()
    await host.index_manager.build()
    files = [state_folder.index_folder(str(root)) / FOLDERS_FILE for root in grown]
    await until(lambda: all(file.exists() for file in files))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, known: None) -> list[tuple[str, bool]]:
    """The folders whose entries are made, and whether the event loop did it."""
    noted: list[tuple[str, bool]] = []
    make = FolderFiles._make

    def noting(files: FolderFiles) -> Iterator[FileEntry]:
        noted.append((files.inside, threading.current_thread() is threading.main_thread()))
        return make(files)

    monkeypatch.setattr(FolderFiles, "_make", noting)
    return noted


async def test_no_entry_is_made_until_a_file_is_asked_for(
    start: Start, grown: tuple[Path, Path], made: list[tuple[str, bool]]
) -> None:
    host = await start()
    figures = host.index_manager.status().text
    assert (figures.documents, figures.pending) == (len(host.snapshot().listing), 0)
    assert len(host.snapshot().text.candidates(analyse("nowhere").query)) == 0
    assert host.status().files == 2 * len(FOLDERS) * len(FILES) + 2
    host.sweep("which compares every file with the listing")
    await host.ready()
    assert not made
    (found,) = host.snapshot().text.candidates(analyse("two a/m/k.txt").query)
    assert found.entry.path == str(grown[1] / "a" / "m" / "k.txt")
    assert [folder for folder, _ in made] == [f"{grown[1]}/a/m/"]


async def test_without_an_index_on_disk_a_thread_makes_them(
    start: Start, grown: tuple[Path, Path], made: list[tuple[str, bool]]
) -> None:
    for root in grown:
        for path in state_folder.index_folder(str(root)).iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != FOLDERS_FILE:
                path.unlink()
    host = await start()
    await host.index_manager.build()
    assert host.index_manager.status().text.pending == 0
    assert made
    assert not any(by_the_loop for _, by_the_loop in made)


async def test_a_changed_file_has_the_entries_of_its_folder_made(
    start: Start, grown: tuple[Path, Path], made: list[tuple[str, bool]]
) -> None:
    host = await start()
    (grown[0] / "a" / "f.txt").touch()
    host.apply(DiskChanged(frozenset({str(grown[0] / "a" / "f.txt")})))
    assert {folder for folder, _ in made} == {f"{grown[0]}/a/"}
    assert host.index_manager.status().text.pending == 1


async def test_a_new_folder_has_no_entries_made(
    start: Start, grown: tuple[Path, Path], made: list[tuple[str, bool]]
) -> None:
    host = await start()
    made.clear()
    new = grown[1] / "b" / "new"
    write_tree(new, {"file.txt": ""})
    host.apply(DiskChanged(frozenset({str(new)})))
    await host.ready()
    assert str(new / "file.txt") in {entry.path for entry in host.snapshot().text.pending}
    assert not made
    shutil.rmtree(new)
