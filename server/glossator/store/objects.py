"""Bytes kept on disk in a bounded SQLite file; the least recently used go first.

`Blobs` keeps results by (namespace, key), where a key is a hash of everything its value follows
from, so nothing needs invalidating. `Objects` keeps the content of files by its SHA-256, for
checkpoints. Several processes may use one file; an object belongs to one thread.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from glossator.store.database import Database, number

_FORMAT = 1  # of the table below; a file of another format is set aside
_BATCH = 500  # keys in one statement
_PRUNED = 20  # values that go at a time
_KEPT_SHARE = 0.75  # of the room is still full after pruning
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
    """How many values there are, and the bytes that they take on disk in all."""

    entries: int
    bytes: int


class Blobs:
    """One file of values, of at most about `max_bytes`. Every method raises `StoreUnavailable`.

    A damaged file is set aside with the ending `.damaged` and replaced: only time is lost.
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
        """The `keys` that have a value; it counts as used today."""
        wanted = list(dict.fromkeys(keys))
        return self._file.run(lambda database: _known(database, namespace, wanted))

    def put(self, namespace: str, values: Mapping[bytes, bytes], noted: str = "") -> None:
        """Keep all `values` or none; when there is no room, what was used least recently goes.

        With `noted` their keys also get an empty value in that namespace, for `keys` and `count`.
        """
        rows = [(namespace, key, value, _today()) for key, value in values.items()]
        if noted:
            rows += [(noted, key, b"", _today()) for key in values]
        self._file.run(lambda database: _put(database, rows, self._max_bytes))

    def keys(self, namespace: str, most: int) -> list[bytes]:
        """Up to so many keys of a namespace."""
        query = "SELECT key FROM blobs WHERE namespace = ? LIMIT ?"
        return self._file.run(
            lambda database: [key for (key,) in database.execute(query, (namespace, most))]
        )

    def count(self, namespace: str) -> int:
        """How many values a namespace has."""
        query = "SELECT count(*) FROM blobs WHERE namespace = ?"
        return self._file.run(lambda database: number(database, query, namespace))

    def drop(self, namespace: str, keys: Iterable[bytes]) -> None:
        """Forget the values of `keys`."""
        rows = [(namespace, key) for key in keys]
        self._file.run(lambda database: _drop(database, rows))

    def statistics(self) -> BlobStatistics:
        """The current figures."""
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
            _prune(database, round(max_bytes * _KEPT_SHARE))
    database.execute("PRAGMA incremental_vacuum").fetchall()


def _drop(database: sqlite3.Connection, rows: list[tuple[str, bytes]]) -> None:
    database.execute("BEGIN IMMEDIATE")
    with database:
        database.executemany("DELETE FROM blobs WHERE namespace = ? AND key = ?", rows)


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


_NAMESPACE = "objects"
_STORED, _DEFLATED = b"\0", b"\1"  # the first byte says how the others are to be read
_LEVEL = 1  # a third of the time of the usual one, for a tenth more bytes
_WORTHWHILE_RATIO = 0.9  # of the size; bytes that do not shrink below it are stored as they are
_MIN_DEFLATED_BYTES = 200  # bytes that are not worth the trouble


def object_id(content: bytes) -> str:
    """The name under which `content` is kept."""
    return hashlib.sha256(content).hexdigest()


class Objects:
    """One file of objects, of at most about `max_bytes`. Every method raises `StoreUnavailable`.

    Belongs to one thread.
    """

    def __init__(self, path: str, max_bytes: int) -> None:
        self._blobs = Blobs(path, max_bytes, "what files hold cannot be kept for an undo")

    def put(self, contents: Iterable[bytes]) -> list[str]:
        """Keep all `contents` or none; returns their names."""
        named = {object_id(content): content for content in contents}
        known = self.known(named)
        fresh = {
            bytes.fromhex(name): _packed(content)
            for name, content in named.items()
            if name not in known
        }
        if fresh:
            self._blobs.put(_NAMESPACE, fresh)
        return list(named)

    def get(self, name: str) -> bytes | None:
        """The object; None when it had to make room or is damaged."""
        key = bytes.fromhex(name)
        packed = self._blobs.get(_NAMESPACE, [key]).get(key)
        content = None if packed is None else _unpacked(packed)
        return content if content is not None and object_id(content) == name else None

    def known(self, names: Iterable[str]) -> set[str]:
        """The `names` that are kept; they count as used today."""
        keys: Sequence[bytes] = [bytes.fromhex(name) for name in names]
        return {key.hex() for key in self._blobs.known(_NAMESPACE, keys)}

    def drop(self, names: Iterable[str]) -> None:
        """Forget objects that nobody needs any more."""
        self._blobs.drop(_NAMESPACE, [bytes.fromhex(name) for name in names])

    def close(self) -> None:
        """Give the file back; safe to call again."""
        self._blobs.close()


def _packed(content: bytes) -> bytes:
    if len(content) > _MIN_DEFLATED_BYTES:
        deflated = zlib.compress(content, _LEVEL)
        if len(deflated) < len(content) * _WORTHWHILE_RATIO:
            return _DEFLATED + deflated
    return _STORED + content


def _unpacked(packed: bytes) -> bytes | None:
    try:
        return packed[1:] if packed[:1] == _STORED else zlib.decompress(packed[1:])
    except zlib.error:
        return None
