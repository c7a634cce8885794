"""A workspace of a million files: what the listing holds, what it takes, and Glob on it."""

from __future__ import annotations

import gc
import os
import pickle
import tracemalloc
from pathlib import Path

import pytest

from glossator.workspace.files.entries import FileEntry
from glossator.workspace.files.listing import FileIndex
from glossator.workspace.files.walk import Found
from tests.workspace.files.trees import host, scan

_MAX_BYTES = 450  # a file, for the index and all its listings, paths of 60 characters
_MAX_TABLE_BYTES = 150  # a file, for what Glob needs
ROOT = "/home/somebody/projects/big"


def generated(folders: int, files: int) -> FileIndex:
    """An index of `folders` directories with `files` files each, which do not exist."""
    index = FileIndex()
    begin = len(ROOT) + 1
    for folder in range(folders):
        above = f"{ROOT}/packages/part{folder % 40}/module{folder}"
        entries = []
        for file in range(files):
            mtime_ns = 1_700_000_000_000_000_000 + folder * files + file
            ending = ("py", "c", "json", "ts")[file % 4]
            name = f"{above}/source_{file}.{ending}"
            entries.append(
                FileEntry(name, begin, 1_000 + file, mtime_ns, mtime_ns, 10**7 + mtime_ns)
            )
        index.add(Found.of(entries))
    return index


@pytest.mark.deep
def test_glob_in_a_million_files() -> None:
    listing = generated(10_000, 100).freeze()
    assert len(listing) == 1_000_000
    files, count = listing.paths.newest("**/*.py", "", 100)
    assert count == 250_000
    assert [file.relative for file in files[:2]] == [
        "packages/part39/module9999/source_96.py",
        "packages/part39/module9999/source_92.py",
    ]
    assert listing.paths.newest("module77*/**/*_5.c", "packages/part7/", 9)[1] == 2
    assert listing.get(f"{ROOT}/packages/part7/module7/source_7.ts") is not None
    assert listing.get(f"{ROOT}/packages/part7/module7") is None


def test_memory_a_file() -> None:
    tracemalloc.start()
    try:
        index = generated(1_000, 100)
        listing = index.freeze()
        gc.collect()
        listed = tracemalloc.get_traced_memory()[0]
        assert len(listing.files) == 100_000
        listing.__dict__.pop("files")
        before = tracemalloc.get_traced_memory()[0]
        table = listing.paths
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert listed / 100_000 < _MAX_BYTES
    assert taken / len(table.table) < _MAX_TABLE_BYTES


def test_real_files(tmp_path: Path) -> None:
    expected = set()
    for folder in range(60):
        above = tmp_path / f"d{folder % 7}" / f"e{folder}"
        above.mkdir(parents=True)
        for file in range(40):
            (above / f"f{file}.{'py' if file % 2 else 'txt'}").touch()
            expected.add(f"d{folder % 7}/e{folder}/f{file}.{'py' if file % 2 else 'txt'}")
    listing = scan(tmp_path).index.freeze()
    assert {entry.relative for entry in listing.files} == expected
    assert listing.paths.newest("*.py", "d3/", 5)[1] == sum(
        path.startswith("d3/") and path.endswith(".py") for path in expected
    )
    newest = tmp_path / "d3" / "e3" / "f1.py"
    os.utime(newest, ns=(2**62, 2**62))
    files, _ = scan(tmp_path).index.freeze().paths.newest("*.py", "d3/", 1)
    assert files[0].path == str(newest)


def test_an_entry_is_small_and_says_all(tmp_path: Path) -> None:
    entry = FileEntry("/ws/a/b.py", "a/b.py", 3, 4, 5, 6, is_link=True)
    assert (entry.path, entry.relative) == ("/ws/a/b.py", "a/b.py")
    assert (entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode) == (3, 4, 5, 6)
    assert entry.is_link
    assert entry == FileEntry("/ws/a/b.py", 4, 3, 4, 5, 6, is_link=True)
    elsewhere = FileEntry("/ws/a/b.py", "ws-2/b.py", 3, 4)
    assert elsewhere.relative == "ws-2/b.py"
    for one in (entry, elsewhere):
        again = pickle.loads(pickle.dumps(one))
        assert (again, again.relative, hash(again)) == (one, one.relative, hash(one))
    assert host(tmp_path).snapshot().files() == ()
