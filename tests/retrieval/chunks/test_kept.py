"""Whatever happens to processes, disk and folder, the index of chunks is right, or not used."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from glossator.core.errors import UsageError
from glossator.retrieval.chunks import chunk_folder
from glossator.retrieval.chunks.chunk_index import ChunkIndex
from glossator.workspace.documents.overlays import DiskChanged
from glossator.workspace.files import state_folder
from tests.lsp.support.chance import seeded
from tests.retrieval.chunks.test_chunk_index import harm
from tests.retrieval.conftest import MakeKept
from tests.retrieval.searching import Kept

FILES = 150
ROUNDS = 6


@pytest.fixture
def large(tree: Path) -> Path:
    for n in range(FILES):
        (tree / f"f{n}.py").write_text(f"def zebra_{n}():\n    return {n}\n\n\n" * 40)
    return tree


def folder_of(root: Path) -> Path:
    return state_folder.index_folder(str(root)) / "chunks"


async def right(server: Kept, files: int = FILES + 3) -> None:
    """Everything is found."""
    assert (await server.paths("split_lines"))[0] == "src/lines.py"
    assert len((await server.search("zebra_77")).hits) > 0
    await server.index.settle()
    status = server.index.status()
    assert (status.files, status.pending, status.problem) == (files, 0, "")
    assert (await server.paths("zebra_77"))[0] == "f77.py"


async def test_a_worker_killed_at_any_moment_does_no_harm(kept: MakeKept, large: Path) -> None:
    chance = seeded()
    server = await kept(large)
    for _ in range(ROUNDS):
        rebuilding = asyncio.create_task(server.index.rebuild())
        await asyncio.wait({rebuilding}, timeout=chance.uniform(0, 0.4))  # any moment will do
        if (process_id := server.worker.state.process_id) is not None:
            os.kill(process_id, signal.SIGKILL)
        try:
            await rebuilding
        except UsageError:  # it was killed, and says so
            await server.index.build()
        await right(server)
    assert server.notices == []


async def test_what_was_committed_is_not_read_again(
    kept: MakeKept, large: Path, tmp_path: Path
) -> None:
    server = await kept(large)
    await server.close()
    before = chunk_folder.stamp(str(folder_of(large)))
    again = await kept(large)
    await right(again)
    assert chunk_folder.stamp(str(folder_of(large))) == before  # nothing was written


@pytest.mark.parametrize("how", ["cut", "overwritten", "emptied", "deleted"])
async def test_damage_is_mended_and_told_once(kept: MakeKept, large: Path, how: str) -> None:
    await (await kept(large)).close()
    for name in sorted(os.listdir(folder_of(large))):
        if not (folder_of(large) / name).exists():
            continue  # it was begun again
        size = (folder_of(large) / name).stat().st_size
        harm(folder_of(large) / name, how)
        server = await kept(large, settle=False)
        await right(server)
        if len(name) > 32 and size and how != "deleted":
            (notice,) = server.notices
            assert "was damaged and is built again" in notice
        assert len(server.notices) <= 1
        await server.close()


async def test_damage_while_it_is_in_use(kept: MakeKept, large: Path) -> None:
    """A map of a file that is cut short ends the worker; the next one begins again."""
    server = await kept(large)
    for name in os.listdir(folder_of(large)):
        if len(name) > 32:
            os.truncate(folder_of(large) / name, 0)
    await right(server)


async def test_a_deleted_folder_is_begun_again(kept: MakeKept, large: Path) -> None:
    server = await kept(large)
    for path in folder_of(large).iterdir():
        path.unlink()
    folder_of(large).rmdir()
    await right(server)


async def test_a_check_tells_what_is_wrong(kept: MakeKept, large: Path) -> None:
    server = await kept(large)
    assert await server.index.check(lambda _: None) == ()
    used = chunk_folder.segments(str(folder_of(large)))
    store = folder_of(large) / f"{min(used)}.store"
    content = bytearray(store.read_bytes())
    content[len(content) // 2] ^= 1
    store.write_bytes(content)
    (problem,) = await server.index.check(lambda _: None)
    assert store.name in problem
    assert "rebuild the index" in problem
    await server.index.rebuild()
    assert await server.index.check(lambda _: None) == ()


@pytest.fixture
def no_state_folder(state: Path) -> None:
    """The user `root` may write to any folder, so that it is a file."""
    state.write_text("no folder")


@pytest.mark.usefixtures("no_state_folder")
async def test_a_read_only_state_folder(kept: MakeKept, large: Path) -> None:
    server = await kept(large)
    assert (await server.paths("split_lines"))[0] == "src/lines.py"
    assert (await server.paths("zebra_77"))[0] == "f77.py"
    status = server.index.status()
    assert "cannot be kept" in status.problem
    assert "searches read files" in status.problem
    assert status.files == 0


async def test_a_full_disk(kept: MakeKept, large: Path) -> None:
    """What is written is lost, and the next try, with room, finds all of it."""
    server = await kept(large)
    process_id = server.worker.state.process_id
    assert process_id is not None
    unlimited = resource.prlimit(process_id, resource.RLIMIT_FSIZE)
    resource.prlimit(process_id, resource.RLIMIT_FSIZE, (4_096, unlimited[1]))
    (large / "new.py").write_text("def horse(): ...\n" * 2_000)
    server.host.apply(DiskChanged(frozenset({str(large / "new.py")})))
    await server.index.settle()
    assert (await server.paths("horse"))[0] == "new.py"
    assert (await server.paths("zebra_77"))[0] == "f77.py"
    with suppress(ProcessLookupError):  # it may have been ended by the limit
        resource.prlimit(process_id, resource.RLIMIT_FSIZE, unlimited)
    await server.index.build()
    assert (await server.paths("horse"))[0] == "new.py"
    assert server.index.status().pending == 0


async def test_it_takes_no_more_space_than_it_may(kept: MakeKept, large: Path) -> None:
    server = await kept(large, index_bytes=2)
    status = server.index.status()
    assert (status.files, status.pending) == (0, FILES + 3)
    assert "workspace.indexBytes" in status.problem
    assert (await server.paths("zebra_77"))[0] == "f77.py"


async def test_files_that_found_no_room_are_counted_once_and_tried_again(
    kept: MakeKept, tree: Path
) -> None:
    server = await kept(tree, index_bytes=200_000)
    assert server.index.status().pending == 0

    async def changed(name: str, text: str | None) -> int:
        if text is None:
            (tree / name).unlink()
        else:
            (tree / name).write_text(text)
        server.host.apply(DiskChanged(frozenset({str(tree / name)})))
        await server.index.settle()
        return server.index.status().pending

    words = "\n".join(f"def zebra_{n}_{n * n}(horse_{n}):\n    return {n}\n" for n in range(9_000))
    assert await changed("huge.py", words) == 0
    for n in range(2):
        assert await changed("more.py", f"def okapi_{n}(): ...\n") == 1
    assert "1 files are searched by reading" in server.index.status().problem
    assert await server.paths("okapi_1") == ["more.py"]
    assert await changed("huge.py", None) == 0
    assert server.index.status().problem == ""
    assert await server.paths("okapi_1") == ["more.py"]


async def test_a_root_that_fails_holds_up_no_other(
    kept: MakeKept, large: Path, tmp_path: Path, state: Path
) -> None:
    other = tmp_path / "another"
    other.mkdir()
    (other / "okapi.py").write_text("def okapi(): ...\n")
    first, second = sorted((large, other))
    base = state_folder.index_folder(str(first))
    base.parent.mkdir(parents=True, exist_ok=True)
    base.write_text("no folder")
    server = await kept(large, other)
    assert "cannot be kept" in server.index.status().problem
    assert ChunkIndex(str(second), str(folder_of(second))).known
    base.unlink()
    await server.index.build()
    assert server.index.status().problem == ""


async def test_indexes_not_used_for_long_make_room(
    kept: MakeKept, large: Path, tmp_path: Path
) -> None:
    old = state_folder.prepare_index_folder(str(tmp_path / "old"))
    (old / "chunks").mkdir()
    (old / "chunks" / "version").write_bytes(bytes(5_000_000))
    server = await kept(large, index_bytes=4_000_000)
    assert server.index.status().files == FILES + 3
    assert not old.exists()


async def test_cancelling_stops_it_until_it_is_asked_for(kept: MakeKept, large: Path) -> None:
    server = await kept(large, settle=False)
    server.index.cancel_build()
    await server.index.settle()
    status = server.index.status()
    assert status.state == "building was ended by the user"
    assert (await server.paths("zebra_77"))[0] == "f77.py"
    await server.index.build()
    await right(server)


class OtherServer:
    """A server in a process of its own."""

    def __init__(self, root: Path) -> None:
        arguments = [sys.executable, "-m", "tests.retrieval.searching", str(root)]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)

    async def says(self, word: str) -> None:
        assert self.process.stdout is not None
        assert await asyncio.to_thread(self.process.stdout.readline) == f"{word}\n"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
async def other(large: Path, state: Path) -> AsyncIterator[OtherServer]:
    server = OtherServer(large)
    yield server
    server.kill()


async def test_two_servers_share_an_index(kept: MakeKept, large: Path, other: OtherServer) -> None:
    server = await kept(large)  # both build; one waits for the other
    await right(server)
    await other.says("started")
    await other.says("built")
    assert ChunkIndex(str(large), str(folder_of(large))).known.keys() == {
        entry.relative for entry in server.snapshot.files()
    }
    for n in range(3):
        (large / f"f{n}.py").write_text(f"def horse_{n}(): ...\n")
        server.host.apply(DiskChanged(frozenset({str(large / f"f{n}.py")})))
        assert (await server.paths(f"horse_{n}"))[0] == f"f{n}.py"
    await right(server)
    assert server.notices == []


async def test_a_server_killed_at_any_moment_does_no_harm(
    kept: MakeKept, large: Path, state: Path
) -> None:
    chance = seeded()
    for _ in range(3):
        killed = OtherServer(large)
        await killed.says("started")
        await asyncio.wait(
            {asyncio.ensure_future(asyncio.to_thread(killed.process.wait))},
            timeout=chance.uniform(0, 0.8),
        )
        killed.kill()
    server = await kept(large)
    await right(server)
    assert server.notices == []
