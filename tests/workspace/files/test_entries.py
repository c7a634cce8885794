"""The files of a folder are made when they are asked for, and are the same as if made before."""

from __future__ import annotations

import os
import threading
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor

import pytest

from glossator.workspace.files.entries import STAMP, FileEntry, Files, FolderFiles, PathSet, joined
from glossator.workspace.files.listing import FileIndex
from glossator.workspace.files.walk import Found

NAMES = ["a b", "a.py", "odd\udcff", "é"]


def entries(folder: str = "/ws/in") -> list[FileEntry]:
    return [
        FileEntry(f"{folder}/{name}", 4, at, at - 1, at // 2, 2**64 - 1 - at)
        for at, name in enumerate(NAMES)
    ]


def folder_files(files: list[FileEntry], folder: str = "/ws/in") -> FolderFiles:
    names = joined(os.path.basename(each.path) for each in files)
    stamps = (STAMP.pack(each.size, each.mtime_ns, each.ctime_ns, each.inode) for each in files)
    return FolderFiles(f"{folder}/", 4, names, b"".join(stamps))


def test_they_are_what_a_list_would_hold() -> None:
    files, expected = folder_files(entries()), entries()
    assert len(files) == len(expected)
    assert list(files) == expected
    assert (files[0], files[-1], files[1:]) == (expected[0], expected[-1], tuple(expected[1:]))
    assert files.are(expected)
    assert not files.are(expected[1:])
    assert not files.are([*expected[:-1], expected[-1]._replace(is_link=True)])
    assert not files.are([*expected[:-1], expected[-1]._replace(inode=1)])
    assert not files.are([*expected[:-1], expected[-1]._replace(path="/ws/in/f")])
    assert [each.relative for each in files] == [f"in/{name}" for name in NAMES]
    assert files.paths_from(4).split(b"\0")[:-1] == [
        os.fsencode(each.relative) for each in expected
    ]
    assert expected[1] in files


def test_all_are_given_the_same_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    files = folder_files(entries())
    make, both_make = FolderFiles._make, threading.Barrier(2)

    def slowly(made: FolderFiles) -> list[FileEntry]:
        both_make.wait()
        return list(make(made))

    monkeypatch.setattr(FolderFiles, "_make", slowly)
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(lambda: [id(each) for each in files]) for _ in range(2)]
    assert asked[0].result() == asked[1].result() == [id(each) for each in files]


def test_files_by_path() -> None:
    above = [FileEntry("/ws/x", 4, 7, 1), FileEntry("/ws/y", 4, 8, 1)]
    files = Files({"/ws": above, "/ws/in": folder_files(entries())})
    assert dict(files) == {each.path: each for each in (*above, *entries())}
    assert len(files) == 6
    assert files.total_bytes == 7 + 8 + 0 + 1 + 2 + 3
    assert "/ws/in/none" not in files
    assert "/ws/in/é" in files
    assert 1 not in files  # type: ignore[comparison-overlap]  # as mappings have it
    assert files.get("/ws/none/a") is None
    assert Files({}).total_bytes == 0


def test_paths_take_no_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    files = Files({"/ws/in": folder_files(entries())})
    monkeypatch.delattr(FolderFiles, "_make")
    assert list(files) == [each.path for each in entries()]
    assert entries()[1].path in files
    assert files.total_bytes == 6
    assert len(PathSet(files, [entries()[0].path])) == len(entries())


def test_a_set_of_paths() -> None:
    files = Files({"/ws/in": folder_files(entries())})
    paths = PathSet(files, ["/ws/in/a.py", "/ws/gone"])
    expected: AbstractSet[str] = {*files, "/ws/gone"}
    assert paths == expected
    assert len(paths) == len(list(paths)) == 5
    assert paths & {"/ws/gone", "/ws/in/é", "/ws/no"} == {"/ws/gone", "/ws/in/é"}
    assert {"/ws/no"} | paths == {"/ws/no", *expected}
    assert not paths.isdisjoint({"/ws/in/é": 1})
    assert paths
    assert not PathSet(Files({}), ())
    assert PathSet(Files({}), ["/ws/gone"])


def test_a_listing_takes_them_over_until_one_changes() -> None:
    files = folder_files(entries())
    index = FileIndex()
    found = Found(folders={"/ws/in": files})
    assert index.add(found).folders["/ws/in"] is files
    assert index.freeze().folders["/ws/in"] is files
    assert not index.add(Found(folders={"/ws/in": folder_files(entries())}))
    assert index.freeze().folders["/ws/in"] is files
    larger = entries()[2]._replace(size=99)
    assert index.add(Found.of([larger])) == {larger.path: larger}
    assert list(index.freeze().folders["/ws/in"]) == [*entries()[:2], larger, entries()[3]]
    assert index.remove([larger.path], ()) == {larger.path}
    assert len(index) == 3
    assert list(files) == entries()
