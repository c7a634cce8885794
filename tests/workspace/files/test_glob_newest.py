"""The files that fit a pattern, newest first, out of a table that serves many listings."""

from __future__ import annotations

import os
import random
from itertools import pairwise

import pytest

from glossator.core.errors import UsageError
from glossator.core.glob import compile_glob
from glossator.workspace.files import listing as index_module
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.files.listing import FileIndex, Listing
from glossator.workspace.files.walk import Found

FOLDERS = ["", "a/", "a/b/", "a/b-c/", "a.b/", "a/b/c/d/", "é/"]
NAMES = ["x.py", "y.py", "x.c", "Makefile", "z", "line\nend.py", "ü.c", os.fsdecode(b"\xffb.py")]
PATTERNS = [
    *("*", "**", "*.py", "!*.py", "a/**", "!a/**", "a/*", "**/b/**", "?", "x.*", "{x,y}.[cp]*", ""),
    *("!", "*e*", "**/*.c", "[!x]*", "[\n-z]*", "nothing", "a*/**", "/*", "./a/*.c", "*b.py"),
]


def naive(
    listing: Listing, also: list[FileEntry], pattern: str, under: str, limit: int
) -> tuple[list[str], int]:
    fits = compile_glob(pattern)
    found = [
        entry
        for entry in (*listing.files, *also)
        if entry.relative.startswith(under) and fits(entry.relative.removeprefix(under))
    ]
    found.sort(key=lambda entry: (-entry.mtime_ns, entry.relative))
    return [entry.relative for entry in found[:limit]], len(found)


@pytest.mark.parametrize("seed", range(12))
def test_as_naive_while_files_come_and_go(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rnd = random.Random(seed)
    monkeypatch.setattr(index_module, "_MAX_SORTED", 0 if seed % 2 else 1_000)
    index = FileIndex()

    def some_file() -> FileEntry:
        root, shown = rnd.choice([("/ws", "ws/"), ("/ws/in", "inner/"), ("/other", "other-2/")])
        inner = rnd.choice(FOLDERS) + rnd.choice(NAMES)
        return FileEntry(f"{root}/{inner}", shown + inner, 1, rnd.randrange(6))

    for step in range(12):
        index.add(Found.of([some_file() for _ in range(rnd.choice([0, 1, 3, 40]))]))
        index.remove([some_file().path for _ in range(rnd.choice([0, 0, 1, 5]))], ())
        listing = index.freeze()
        relative = [entry.relative for entry in listing.files]
        assert relative == sorted(relative), f"seed {seed}, step {step}"
        assert sorted(index) == sorted(entry.path for entry in listing.files)
        for entry in listing.files:
            assert listing.get(entry.path) is index.get(entry.path) is entry
        also = [FileEntry("/ws/new.py", "ws/new.py", 1, rnd.randrange(6))] * rnd.randrange(2)
        for pattern in rnd.sample(PATTERNS, 6):
            under, limit = rnd.choice(["", "ws/", "inner/a/", "no/"]), rnd.choice([1, 3, 100])
            files, count = listing.paths.newest(pattern, under, limit, also)
            expected = naive(listing, also, pattern, under, limit)
            assert ([file.relative for file in files], count) == expected, (
                f"seed {seed}, step {step}, {pattern!r} under {under!r}, limit {limit}"
            )


def test_a_table_is_used_again_until_much_has_changed() -> None:
    index = FileIndex()
    files = [FileEntry(f"/ws/d{n % 50}/f{n}", f"d{n % 50}/f{n}", 1, n) for n in range(5_000)]
    index.add(Found.of(files))
    table = index.freeze().paths.table
    assert index.freeze().paths.table is table
    index.add(Found.of([files[7]._replace(mtime_ns=9_999)]))
    listing = index.freeze()
    assert listing.paths.table is table
    assert (len(listing.paths.stale), len(listing.paths.fresh)) == (1, 1)
    assert listing.paths.newest("*", "", 1)[0][0].relative == files[7].relative
    index.add(Found.of([file._replace(mtime_ns=file.mtime_ns + 1) for file in files[:4_000]]))
    assert index.freeze().paths.table is not table


def test_listings_are_shared_until_something_changes() -> None:
    index = FileIndex()
    assert index.freeze() is index.freeze()
    entry = FileEntry("/ws/a", "a", 1, 1)
    assert index.add(Found.of([entry], {"/ws/b": "rule"})) == {"/ws/a": entry}
    first = index.freeze()
    assert index.add(Found.of([FileEntry("/ws/a", "a", 1, 1)])) == {}
    assert index.freeze() is first
    assert index.remove(["/ws/a", "/ws/never"], ["/ws/b"]) == {"/ws/a"}
    assert (len(index), len(index.freeze()), index.freeze().skipped) == (0, 0, {})
    assert (len(first), first.get("/ws/a"), first.skipped) == (1, entry, {"/ws/b": "rule"})


def test_times_that_are_far_off() -> None:
    index = FileIndex()
    times = {"a": 10**19, "b": -(10**19), "c": 1, "d": 2}
    index.add(Found.of(FileEntry(f"/ws/{name}", name, 1, time) for name, time in times.items()))
    newest = index.freeze().paths.newest
    assert [file.relative for file in newest("*", "", 9)[0]] == ["a", "d", "c", "b"]
    assert [file.relative for file in newest("*", "", 1)[0]] == ["a"]


def test_a_nul_in_a_pattern_is_refused() -> None:
    with pytest.raises(UsageError, match="NUL"):
        compile_glob("a\0b")


def test_order_within_equal_times_is_by_path() -> None:
    index = FileIndex()
    names = [f"f{number:04}" for number in range(3_000)]
    random.Random(1).shuffle(names)
    index.add(Found.of([FileEntry(f"/ws/{name}", name, 1, 7) for name in names]))
    files, count = index.freeze().paths.newest("f*", "", 500)
    assert (len(files), count) == (500, 3_000)
    assert all(one.relative < other.relative for one, other in pairwise(files))
    assert files[0].relative == "f0000"
