"""Blobs: kept, bounded, shared between processes, and whole again after any damage."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from glossator.core.atomic import alone
from glossator.core.errors import StoreUnavailable
from glossator.store.database import Database
from glossator.store.objects import Blobs

ROOM = 10_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "blobs.db"


@pytest.fixture
def blobs(path: Path) -> Iterator[Blobs]:
    opened = Blobs(str(path), ROOM)
    yield opened
    opened.close()


def test_what_is_put_is_found_again(blobs: Blobs, path: Path) -> None:
    blobs.put("a", {b"1": b"one", b"2": b""})
    blobs.put("b", {b"1": b"other"})
    blobs.put("a", {b"1": b"uno"})
    blobs.close()
    again = Blobs(str(path), ROOM)
    assert again.get("a", [b"1", b"2", b"3", b"1"]) == {b"1": b"uno", b"2": b""}
    assert again.get("b", [b"1"]) == {b"1": b"other"}
    assert again.statistics().entries == 3
    again.close()


def test_many_at_once(blobs: Blobs) -> None:
    values = {str(number).encode(): bytes(number % 7) for number in range(1_700)}
    blobs.put("a", values)
    assert blobs.get("a", values) == values


def test_keys_are_noted_with_their_values(blobs: Blobs) -> None:
    blobs.put("a", {b"1": b"one", b"2": b"two", b"3": b"three"}, noted="new")
    blobs.put("a", {b"4": b"four"})
    assert sorted(blobs.keys("new", 9)) == [b"1", b"2", b"3"]
    assert len(blobs.keys("new", 2)) == 2
    blobs.drop("new", [b"1", b"3", b"4"])
    assert (blobs.keys("new", 9), blobs.count("new"), blobs.count("a")) == ([b"2"], 1, 4)
    blobs.drop("new", [])
    assert blobs.get("a", [b"1"]) == {b"1": b"one"}


def test_only_the_owner_may_read(blobs: Blobs, path: Path) -> None:
    blobs.put("a", {b"1": b"one"})
    for file in path.parent.iterdir():
        assert file.stat().st_mode & 0o077 == 0, file


def test_what_was_not_used_goes_first(path: Path) -> None:
    room = 400_000
    blobs = Blobs(str(path), room)
    blobs.put("a", {b"old": bytes(1_000), b"used": bytes(1_000)})
    with sqlite3.connect(path) as database:  # long ago
        database.execute("UPDATE blobs SET used = 1")
    database.close()
    assert blobs.get("a", [b"used"])
    for number in range(300):
        blobs.put("a", {b"%d" % number: os.urandom(3_000)})
        assert blobs.statistics().bytes <= room
    assert path.stat().st_size <= 2 * room
    blobs.close()


def test_today_is_used(path: Path) -> None:
    blobs = Blobs(str(path), 300_000)
    blobs.put("a", {b"%d" % number: bytes(2_000) for number in range(100)})
    with sqlite3.connect(path) as database:
        database.execute("UPDATE blobs SET used = 1")
    database.close()
    assert blobs.get("a", [b"7"])
    blobs.put("a", {b"big": bytes(150_000)})
    assert set(blobs.get("a", [b"1", b"7", b"big"])) == {b"7", b"big"}
    blobs.close()


@pytest.mark.parametrize("seed", range(8))
def test_a_damaged_file_is_begun_again(path: Path, seed: int) -> None:
    chance = random.Random(seed)
    blobs = Blobs(str(path), ROOM)
    blobs.put("a", {b"%d" % number: chance.randbytes(3_000) for number in range(50)})
    blobs.close()
    raw = bytearray(path.read_bytes())
    for _ in range(2_000):
        raw[chance.randrange(len(raw))] = chance.randrange(256)
    path.write_bytes(raw)
    blobs = Blobs(str(path), ROOM)
    for number in range(50):
        blobs.get("a", [b"%d" % number])
        blobs.put("a", {b"%d" % number: b"new"})
    assert blobs.get("a", [b"7"]) == {b"7": b"new"}
    blobs.close()


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"\0" * 8192])
def test_a_file_that_is_none_of_ours(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    blobs = Blobs(str(path), ROOM)
    blobs.put("a", {b"1": b"one"})
    assert blobs.get("a", [b"1"]) == {b"1": b"one"}
    assert (path.parent / "blobs.db.damaged").read_bytes() == content
    blobs.close()


def test_another_process_sets_a_damaged_file_aside_first(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(b"not a database at all" * 100)
    set_aside = Database._set_aside

    def too_late(database: Database, reason: Exception) -> None:
        monkeypatch.setattr(Database, "_set_aside", set_aside)
        with closing(Blobs(str(path), ROOM)) as quicker:
            quicker.put("a", {b"1": b"one"})
        set_aside(database, reason)

    monkeypatch.setattr(Database, "_set_aside", too_late)
    with closing(Blobs(str(path), ROOM)) as blobs:
        assert blobs.get("a", [b"1"]) == {b"1": b"one"}


def test_a_file_of_a_later_format(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    blobs = Blobs(str(path), ROOM)
    blobs.put("a", {b"1": b"one"})
    assert (path.parent / "blobs.db.damaged").exists()
    blobs.close()


def test_a_place_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="results are not kept"):
        Blobs(str(tmp_path / "nowhere" / "blobs.db"), ROOM)


def test_a_file_that_may_only_be_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.touch()
    monkeypatch.setattr(os, "access", lambda _path, mode: mode == os.R_OK)
    with pytest.raises(StoreUnavailable, match="Permission denied"):
        Blobs(str(path), ROOM)
    assert not list(path.parent.glob("*-shm"))  # which would go on being for reading alone


def test_a_writer_that_holds_on(blobs: Blobs, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr("glossator.store.database._WAIT_SECONDS", 0.01)
    blobs.close()
    with pytest.raises(StoreUnavailable, match="locked"):
        blobs.put("a", {b"1": b"one"})
    assert blobs.get("a", [b"1"]) == {}
    other.close()
    blobs.put("a", {b"1": b"one"})
    assert blobs.get("a", [b"1"]) == {b"1": b"one"}


WRITER = """
import sys
from glossator.store.objects import Blobs
path, name = sys.argv[1:]
for number in range(100):
    blobs = Blobs(path, 10_000_000)
    blobs.put(name, {b"%d" % number: name.encode()})
    blobs.close()
"""


class Beginning(sqlite3.Connection):
    """A connection beside which another one would write, as the journal's mode is to change."""

    def __init__(self, path: str, **options: Any) -> None:
        super().__init__(path, **options)
        self._path = path
        self._other = Thread(target=self._write)
        self.set_trace_callback(self._traced)

    def _traced(self, statement: str) -> None:
        if "journal_mode" in statement:
            self.set_trace_callback(None)
            self._other.start()
            self._other.join(0.1)

    def close(self) -> None:
        """Leave no thread behind that writes."""
        super().close()
        if self._other.ident is not None:
            self._other.join()

    def _write(self) -> None:
        with alone(self._path), closing(sqlite3.connect(self._path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            time.sleep(0.2)


def test_a_file_is_begun_by_one_at_a_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("glossator.store.database.sqlite3.connect", Beginning)
    with closing(Blobs(str(path), ROOM)) as blobs:
        blobs.put("a", {b"1": b"one"})
        assert blobs.get("a", [b"1"]) == {b"1": b"one"}


def test_opening_keeps_the_locks_that_this_process_has(blobs: Blobs, path: Path) -> None:
    blobs.put("a", {b"1": b"one"})
    with closing(Blobs(str(path), ROOM)):
        subprocess.run([sys.executable, "-c", WRITER, str(path), "b"], check=True)
        # the last one to close a file removes its log: the other process must see that it is not
        assert Path(f"{path}-wal").exists()


def test_several_processes_begin_and_write_at_once(path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in ("a", "b")
    ]
    assert [writer.wait() for writer in writers] == [0, 0]
    blobs = Blobs(str(path), ROOM)
    assert blobs.statistics().entries == 200
    blobs.close()
