"""The manager: what is listed gets indexed, in memory or on disk, and stays right."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from glossator.core.errors import UsageError
from glossator.store.objects import Blobs
from glossator.symbols import sources
from glossator.worker.client import Worker, WorkerPhase
from glossator.workspace.files import state_folder
from glossator.workspace.files.entries import TIMES
from glossator.workspace.index import layout
from glossator.workspace.index.jobs import Prune
from glossator.workspace.index.root_store import RootStore
from tests.patience import until
from tests.worker.conftest import MakeServing
from tests.worker.serving import Serving, list_files

FILES = 220


def segments(root: Path) -> list[Path]:
    return sorted((state_folder.index_folder(str(root)) / "segments").iterdir())


async def built(serving: Serving) -> Serving:
    await serving.start()
    await serving.manager.settle()
    serving.assert_right()
    return serving


async def test_many_files_are_indexed_on_disk_and_found_there_at_the_next_start(
    serving: MakeServing,
) -> None:
    first = await built(serving())
    figures = first.index.statistics()
    assert (figures.documents, figures.pending, figures.segments) == (FILES, 0, 1)
    assert first.changes
    await first.close()
    second = await built(serving())
    assert second.index.statistics().documents == FILES
    assert second.worker.state.phase is WorkerPhase.OFF


async def test_what_was_opened_ahead_is_used_and_its_damage_told(
    serving: MakeServing, tree: Path
) -> None:
    await (await built(serving())).close()
    store = RootStore(str(tree), 10_000)
    store.prepare()
    ahead = dict(store.segments)
    assert len(ahead) == 1
    assert store.stale
    assert store.open().segments == tuple(ahead.values())
    store.close()
    (segment,) = segments(tree)
    segment.write_bytes(segment.read_bytes()[:-1])
    damaged = RootStore(str(tree), 10_000)
    damaged.prepare()
    assert not damaged.segments
    assert damaged.open().damage
    damaged.close()


async def test_a_file_with_a_time_that_no_stamp_holds_is_searched_by_reading(
    serving: MakeServing, tree: Path
) -> None:
    odd = tree / "folder0" / "file7.txt"
    os.utime(odd, ns=(10**19, 10**19))
    if odd.stat().st_mtime_ns in TIMES:
        pytest.skip("this file system has no such times")
    server = serving()
    await server.start()
    await server.manager.build()
    assert server.index.statistics().documents == FILES - 1
    assert list(server.index.pending()) == [str(odd)]
    assert not server.manager.status().problems
    server.assert_right()


async def test_few_changes_are_kept_in_memory_once_they_are_old_enough(
    serving: MakeServing, tree: Path
) -> None:
    server = await built(serving())
    (tree / "new.txt").write_text("a needle")
    (tree / "folder0" / "file0.txt").write_text("another needle")
    (tree / "folder1" / "file1.txt").unlink()
    server.look_again()
    await server.manager.settle()
    assert len(server.index.pending()) == 2
    server.assert_right()
    await until(lambda: not server.index.pending())
    server.assert_right()
    assert server.index.statistics().in_memory == 2
    assert len(segments(tree)) == 1
    await server.manager.build()
    assert server.index.statistics().in_memory == 0
    assert len(segments(tree)) == 2


async def test_without_an_index_on_disk_as_much_as_fits_is_in_memory(
    serving: MakeServing, state: Path
) -> None:
    server = await built(serving(index=False))
    assert server.index.statistics().in_memory == FILES
    assert [why for _, why in server.manager.status().disk] == ["off: workspace.index is false"]
    await server.manager.build()
    assert not list(state.parent.glob("index"))
    assert server.worker.state.phase is WorkerPhase.OFF


async def test_a_state_folder_that_cannot_be_made_is_told_in_the_status(
    serving: MakeServing, tmp_path: Path
) -> None:
    (tmp_path / "state").write_text("in the way")
    server = await built(serving())
    assert server.index.statistics().in_memory == FILES
    ((_, why),) = server.manager.status().disk
    assert "cannot be written to (Not a directory)" in why


async def test_files_that_cannot_be_indexed_are_searched_by_reading(
    serving: MakeServing, tree: Path
) -> None:
    server = serving(max_file_bytes=20_000)
    (tree / "long.txt").write_text("needle " * 5000)
    (tree / "folder0" / "link").symlink_to(tree / "folder0" / "file0.txt")
    await built(server)
    assert [Path(path).name for path in server.index.pending()] == ["long.txt"]


async def test_the_user_can_end_a_build_and_ask_for_it_again(
    serving: MakeServing, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.workspace.index.index_work._SHOWN", 10)
    server = serving()
    server.on_progress = server.manager.cancel_build
    await server.start()
    await server.manager.settle()
    server.assert_right()
    status = server.manager.status()
    # or it was over before it told how far it was
    if server.progress and (first := server.progress[0]):
        assert status.stopped
        assert server.progress[-1] is None
        # the last that is told is that all is written
        assert status.text.documents == (FILES if first.done == FILES else 0)
    server.on_progress = lambda: None
    await server.manager.build()
    assert not server.manager.status().stopped
    assert server.index.statistics().pending == 0
    server.assert_right()


async def test_rebuilding_writes_everything_anew(serving: MakeServing, tree: Path) -> None:
    server = await built(serving())
    before = segments(tree)
    await server.manager.rebuild()
    assert server.index.statistics().documents == FILES
    assert not set(before) & set(segments(tree))
    server.assert_right()


async def test_while_it_is_rebuilt_the_index_is_in_use(
    serving: MakeServing, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.workspace.index.index_work._SHOWN", 10)
    server = await built(serving())
    shutil.copyfile(tree / "folder0" / "file0.txt", tree / "copy.txt")
    server.look_again()
    documents: list[int] = []
    server.on_progress = lambda: documents.append(server.index.statistics().documents)
    await server.manager.rebuild()
    assert documents
    assert min(documents) == FILES
    assert server.progress[-1] is None
    server.on_progress = lambda: None
    await server.manager.build()
    assert server.index.statistics().documents == FILES + 1
    server.assert_right()


async def test_a_rebuild_that_the_user_ends_leaves_the_index_in_use(
    serving: MakeServing, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.workspace.index.index_work._SHOWN", 10)
    server = await built(serving())
    server.on_progress = server.manager.cancel_build
    await server.manager.rebuild()
    await server.manager.settle()
    assert server.manager.status().stopped
    assert server.progress[-1] is None
    assert server.index.statistics().documents == FILES
    server.assert_right()
    server.on_progress = lambda: None
    before = segments(tree)
    await server.manager.rebuild()
    assert not server.manager.status().stopped
    assert not set(before) & set(segments(tree))
    server.assert_right()


async def test_checking_compares_every_file(serving: MakeServing, tree: Path) -> None:
    server = await built(serving())
    (tree / "empty").write_text("no more")
    (report,) = await server.manager.check()
    assert (report.segments, report.documents, report.outdated) == (1, FILES, 1)
    assert report.problems == ()
    spoil(segments(tree)[0], -1)
    (report,) = await server.manager.check()
    assert "damaged" in report.problems[0]


def spoil(path: Path, at: int) -> None:
    """Change one byte of a file in place."""
    content = bytearray(path.read_bytes())
    content[at] ^= 0xFF
    with path.open("r+b") as file:
        file.write(content)


@pytest.mark.parametrize("what", ["manifest", "cut manifest", "header", "missing"])
async def test_damage_found_at_the_start_is_mended(
    serving: MakeServing, tree: Path, what: str
) -> None:
    await (await built(serving())).close()
    manifest = state_folder.index_folder(str(tree)) / "manifest.json"
    match what:
        case "manifest":
            spoil(manifest, 0)
        case "cut manifest":
            manifest.write_bytes(manifest.read_bytes()[:40])
        case "header":
            spoil(segments(tree)[0], 20)
        case "missing":
            segments(tree)[0].unlink()
    server = await built(serving())
    await server.manager.build()
    assert server.index.statistics().documents == FILES
    assert len(server.notices) == 1
    assert "is damaged and is being mended" in server.notices[0]
    await server.close()
    again = await built(serving())
    assert again.index.statistics().documents == FILES
    assert again.notices == []


async def test_damage_that_only_the_server_sees_is_mended_once(
    serving: MakeServing, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await (await built(serving())).close()
    monkeypatch.setattr(layout, "VERSION", layout.VERSION + 1)  # the worker has the old one
    monkeypatch.setattr(state_folder, "VERSION", layout.VERSION - 1)
    server = serving()
    await server.start()
    await server.manager.settle()
    assert "is damaged and is being mended" in server.notices[0]
    assert server.index.statistics().documents == 0
    assert server.index.statistics().pending == FILES


@pytest.mark.parametrize("what", ["zeroed", "cut short"])
async def test_damage_found_by_a_search_is_mended(
    serving: MakeServing, tree: Path, what: str
) -> None:
    server = await built(serving())
    (segment,) = segments(tree)
    length = segment.stat().st_size
    with segment.open("r+b") as file:
        if what == "zeroed":  # all postings
            file.seek(length // 2)
            file.write(bytes(length // 2))
        else:
            file.truncate(100)
    server.assert_missing_nothing()
    server.manager.look()
    await server.manager.settle()
    assert server.index.statistics().documents == FILES
    assert segment not in segments(tree)
    server.assert_right()


async def test_a_folder_that_cannot_be_written_to_is_told_once(
    serving: MakeServing, tree: Path
) -> None:
    in_the_way = state_folder.prepare_index_folder(str(tree)) / "segments"
    in_the_way.touch()
    server = await built(serving())
    assert len(server.notices) == 1
    assert "could not be written: [Errno 17] File exists" in server.notices[0]
    assert "Searches miss nothing" in server.notices[0]
    assert server.manager.status().problems
    with pytest.raises(UsageError, match="File exists"):
        await server.manager.rebuild()
    in_the_way.unlink()
    await server.manager.rebuild()
    assert server.index.statistics().documents == FILES
    assert server.manager.status().problems == ()


async def test_indexes_not_used_for_long_make_room(serving: MakeServing, tmp_path: Path) -> None:
    old = state_folder.prepare_index_folder(str(tmp_path / "old"))
    (old / "symbols.db").write_bytes(bytes(5_000_000))
    server = await built(serving(index_bytes=4_000_000))
    assert not old.exists()
    assert server.index.statistics().documents == FILES


async def test_no_more_is_written_than_there_may_be(serving: MakeServing, tree: Path) -> None:
    server = await built(serving(index_bytes=1))
    await server.manager.rebuild()
    assert server.index.statistics().segments == 1
    for number in range(300):
        shutil.copyfile(tree / "binary", tree / f"binary{number}")
    server.look_again()
    await until(lambda: server.index.statistics().in_memory > 200)
    await server.manager.settle()
    assert server.index.statistics().segments == 1
    assert "workspace.indexBytes" in server.manager.status().problems[0]


def change_all(tree: Path) -> None:
    for entry in list_files(tree):
        Path(entry.path).write_text(f"another NEEDLE, {entry.relative}\n" * 20)


async def test_a_full_index_makes_room_for_what_is_valid(serving: MakeServing, tree: Path) -> None:
    server = await built(serving(index_bytes=1))
    (old,) = segments(tree)
    change_all(tree)
    server.look_again()
    assert server.manager.status().problems  # it is still full
    await until(lambda: old not in segments(tree))
    await server.manager.build()
    figures = server.index.statistics()
    assert (figures.documents + figures.in_memory, figures.pending) == (FILES, 0)
    assert figures.documents  # then it is full again
    server.assert_right()


async def test_a_deleted_folder_is_made_again(serving: MakeServing, tree: Path) -> None:
    server = await built(serving())
    shutil.rmtree(state_folder.index_base())
    server.look_again()
    server.manager.look()
    await server.manager.settle()
    assert server.index.statistics().documents == FILES
    assert len(segments(tree)) == 1
    assert {p.stat().st_mode & 0o777 for p in segments(tree)[0].parents[:3]} == {0o700}
    await server.manager.rebuild()
    assert server.notices == []
    server.assert_right()


async def test_what_a_server_uses_is_not_deleted_by_another(
    serving: MakeServing, tree: Path, state: Path, worker: Worker
) -> None:
    await (await built(serving())).close()
    reading = await built(serving())
    assert reading.worker.state.phase is WorkerPhase.OFF
    assert await worker.run(Prune(str(state), frozenset(), 0)) == ()
    assert len(segments(tree)) == 1
    await reading.close()
    folder = state_folder.index_folder(str(tree))
    assert await worker.run(Prune(str(state), frozenset(), 0)) == (str(folder),)


async def test_all_that_is_written_is_known_as_ours(serving: MakeServing, tree: Path) -> None:
    server = await built(serving())
    spoil(segments(tree)[0], 20)
    await server.close()
    await built(serving())
    folder = state_folder.index_folder(str(tree))
    assert list((folder / "quarantine").iterdir())
    (folder / sources._DATABASE).write_bytes(b"damaged" * 100)
    outlines = Blobs(str(folder / sources._DATABASE), 1_000_000)
    outlines.put("", {b"": b""})
    there = {path for path in folder.rglob("*") if path.is_file()}
    assert {path.name for path in there} >= {"root", "lock", "symbols.db-wal", "symbols.db.damaged"}
    assert set(state_folder.files(folder)) == there
    outlines.close()


async def test_it_needs_to_be_started_and_can_be_closed_at_any_time(serving: MakeServing) -> None:
    with pytest.raises(UsageError, match="start"):
        await serving().manager.settle()
    for rounds in range(5):
        server = serving()
        await server.start()
        for _ in range(rounds * 20):
            await asyncio.sleep(0)
        await server.close()
