"""Objects: each kept once under its own hash, and only ever given back as it was."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from glossator.store.objects import Objects, object_id

ROOM = 10_000_000
CONTENTS = [b"", b"x", b"text " * 1_000, os.urandom(5_000), bytes(100_000)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "objects.db"


@pytest.fixture
def objects(path: Path) -> Iterator[Objects]:
    opened = Objects(str(path), ROOM)
    yield opened
    opened.close()


def rows(path: Path) -> list[tuple[bytes, int]]:
    with sqlite3.connect(path) as database:
        found = database.execute("SELECT key, length(value) FROM blobs").fetchall()
    database.close()
    return found


def test_what_is_kept_is_given_back(objects: Objects) -> None:
    names = objects.put(CONTENTS)
    assert names == [object_id(content) for content in CONTENTS]
    assert [objects.get(name) for name in names] == CONTENTS
    assert objects.known([*names, object_id(b"other")]) == set(names)
    assert objects.get(object_id(b"other")) is None


def test_each_is_kept_once_and_small(objects: Objects, path: Path) -> None:
    for _ in range(3):
        objects.put(CONTENTS)
    sizes = {key.hex(): size for key, size in rows(path)}
    assert len(sizes) == len(CONTENTS)
    assert sizes[object_id(CONTENTS[2])] < 200
    assert sizes[object_id(CONTENTS[3])] == 5_001


@pytest.mark.parametrize("value", [b"", b"\0other", b"\1not deflated"])
def test_what_is_damaged_is_not_given_back(objects: Objects, path: Path, value: bytes) -> None:
    (name,) = objects.put([b"content"])
    with sqlite3.connect(path) as database:
        database.execute("UPDATE blobs SET value = ?", (value,))
    database.close()
    assert objects.get(name) is None


def test_the_room_is_bounded_and_the_oldest_go(path: Path) -> None:
    objects = Objects(str(path), 500_000)
    names = [objects.put([os.urandom(10_000)])[0] for _ in range(100)]
    kept = objects.known(names)
    assert names[-1] in kept
    assert names[0] not in kept
    assert sum(size for _, size in rows(path)) <= 500_000
    objects.close()
