"""Bytes kept on disk by (namespace, key): results that cost more to make again than to look up.

A key is a hash of everything its value follows from, so nothing is ever out of date and nothing
needs invalidating; what no one asked for the longest goes when room is wanted. Several processes
may use one file; an object belongs to one thread.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from glossator.store.database import Database, number

_FORMAT = 1  # of the table below; a file of another format is set aside
_BATCH = 500  # keys in one statement
_PRUNED = 20  # values that go at a time
_KEPT = 0.75  # of the room, after the rest was pruned
_TABLES = """
    CREATE TABLE IF NOT EXISTS blobs (
        namespace TEXT NOT NULL,
        key BLOB NOT NULL,
        value BLOB NOT NULL,
        used INTEGER NOT NULL, -- the day, counted from 1970
        PRIMARY KEY (namespace, key)
    );
    CREATE INDEX IF NOT EXISTS by_use ON blobs (used);
"""


@dataclass(frozen=True, slots=True)
class BlobStatistics:
    """How many values there are, and the bytes they take on disk with all that goes with them."""

    entries: int
    bytes: int


class Blobs:
    """One file of values, of at most about `max_bytes`. Every method raises `StoreUnavailable`.

    A damaged file is set aside with the ending `.damaged`, and begun again: only time is lost.
    """

    def __init__(self, path: str, max_bytes: int, lost: str = "results are not kept") -> None:
        """`lost` says what is not to be had while the file cannot be used."""
        self._max_bytes = max_bytes
        self._file = Database(path, _TABLES, _FORMAT, lost)
        self._file.run(lambda _database: None)

    def get(self, namespace: str, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The values there are for `keys`."""
        wanted = list(dict.fromkeys(keys))
        return self._file.run(lambda database: _get(database, namespace, wanted))

    def known(self, namespace: str, keys: Iterable[bytes]) -> set[bytes]:
        """Those of `keys` that have a value; it counts as used today."""
        wanted = list(dict.fromkeys(keys))
        return self._file.run(lambda database: _known(database, namespace, wanted))

    def put(self, namespace: str, values: Mapping[bytes, bytes]) -> None:
        """Keep `values`, all or none; when there is no room, what was used least recently goes."""
        rows = [(namespace, key, value, _today()) for key, value in values.items()]
        self._file.run(lambda database: _put(database, rows, self._max_bytes))

    def statistics(self) -> BlobStatistics:
        """What is held now."""
        return self._file.run(
            lambda database: BlobStatistics(
                number(database, "SELECT count(*) FROM blobs"), _bytes(database)
            )
        )

    def close(self) -> None:
        """Give the file back; safe to call again."""
        self._file.close()


def _get(database: sqlite3.Connection, namespace: str, keys: list[bytes]) -> dict[bytes, bytes]:
    rows = list(_rows(database, "key, used, value", namespace, keys))
    _use(database, namespace, [key for key, used, _value in rows if used != _today()])
    return {key: value for key, _used, value in rows}


def _known(database: sqlite3.Connection, namespace: str, keys: list[bytes]) -> set[bytes]:
    rows = list(_rows(database, "key, used", namespace, keys))
    _use(database, namespace, [key for key, used in rows if used != _today()])
    return {key for key, _used in rows}


def _rows(
    database: sqlite3.Connection, columns: str, namespace: str, keys: list[bytes]
) -> Iterator[tuple[Any, ...]]:
    for start in range(0, len(keys), _BATCH):
        batch = keys[start : start + _BATCH]
        marks = ",".join("?" * len(batch))
        yield from database.execute(
            f"SELECT {columns} FROM blobs WHERE namespace = ? AND key IN ({marks})",  # noqa: S608 - names of columns and question marks only
            (namespace, *batch),
        )


def _use(database: sqlite3.Connection, namespace: str, keys: list[bytes]) -> None:
    """Mark values as used; once a day for each, so that reading hardly ever writes."""
    if keys:
        database.execute("BEGIN IMMEDIATE")
        with database:
            database.executemany(
                "UPDATE blobs SET used = ? WHERE namespace = ? AND key = ?",
                [(_today(), namespace, key) for key in keys],
            )


def _put(
    database: sqlite3.Connection, rows: list[tuple[str, bytes, bytes, int]], max_bytes: int
) -> None:
    database.execute("BEGIN IMMEDIATE")
    with database:
        database.executemany("INSERT OR REPLACE INTO blobs VALUES (?, ?, ?, ?)", rows)
        if _bytes(database) > max_bytes:
            _prune(database, round(max_bytes * _KEPT))
    database.execute("PRAGMA incremental_vacuum").fetchall()


def _prune(database: sqlite3.Connection, max_bytes: int) -> None:
    while _bytes(database) > max_bytes:
        gone = database.execute(
            "DELETE FROM blobs WHERE rowid IN"
            " (SELECT rowid FROM blobs ORDER BY used, rowid LIMIT ?)",
            (_PRUNED,),
        )
        if not gone.rowcount:
            return


def _bytes(database: sqlite3.Connection) -> int:
    pages = number(database, "PRAGMA page_count") - number(database, "PRAGMA freelist_count")
    return pages * number(database, "PRAGMA page_size")


def _today() -> int:
    return int(time.time()) // 86_400
