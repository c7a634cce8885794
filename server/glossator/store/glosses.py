"""Glosses kept on disk by key, with the path they are about; shared by all servers.

What one server keeps, the others find when they look again: `version` is another number then.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable

from glossator.store.database import Database, number
from glossator.store.logs import Retention

_FORMAT = 1
_DAY = 86_400
_BATCH = 500  # keys in one statement
_TABLES = """
    CREATE TABLE IF NOT EXISTS glosses (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        key TEXT NOT NULL UNIQUE,
        path BLOB NOT NULL, -- as the system has it: names need not be UTF-8
        value BLOB NOT NULL,
        made REAL NOT NULL -- seconds since 1970
    );
    CREATE INDEX IF NOT EXISTS by_path ON glosses (path);
"""


class GlossStore:
    """One file; every method raises `StoreUnavailable`. An object belongs to one thread."""

    def __init__(self, path: str, keep: Retention) -> None:
        self._keep = keep
        self._file = Database(path, _TABLES, _FORMAT, "glosses are neither found nor kept")

    def version(self) -> int:
        """Another number when another process has changed something."""
        return self._file.run(lambda database: number(database, "PRAGMA data_version"))

    def under(self, folders: Iterable[str]) -> dict[str, int]:
        """The keys of what is about these folders or what is in them, each with its edition."""
        tops = tuple(folders)
        return self._file.run(lambda database: _under(database, tops))

    def get(self, keys: Iterable[str]) -> dict[str, bytes]:
        """The values there are for `keys`."""
        wanted = list(keys)
        return self._file.run(lambda database: _get(database, wanted))

    def put(self, key: str, path: str, value: bytes) -> int:
        """Keep a value under this key, instead of an older one; returns its edition.

        What is too much then goes, the oldest first.
        """
        return self._file.run(lambda database: _put(database, key, path, value, self._keep))

    def move(self, old: str, key: str, path: str, value: bytes) -> int:
        """Keep a value instead of that with the key `old`, and with its age.

        Returns its edition, or that of the present value if another process has moved it.
        """
        return self._file.run(lambda database: _move(database, old, key, path, value))

    def prune(self) -> None:
        """Drop what is not to be kept any longer."""
        self._file.run(lambda database: _prune(database, self._keep))

    def close(self) -> None:
        """Give the file back; safe to call again."""
        self._file.close()


def _under(database: sqlite3.Connection, folders: tuple[str, ...]) -> dict[str, int]:
    found: dict[str, int] = {}
    for folder in folders:
        inside = folder.rstrip(os.sep) + os.sep
        after = inside[:-1] + chr(ord(os.sep) + 1)  # comes after every path inside
        rows = database.execute(
            "SELECT key, id FROM glosses WHERE path = ? OR (path >= ? AND path < ?)",
            tuple(map(os.fsencode, (folder, inside, after))),
        )
        found.update(rows)
    return found


def _get(database: sqlite3.Connection, keys: list[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for start in range(0, len(keys), _BATCH):
        batch = keys[start : start + _BATCH]
        marks = ",".join("?" * len(batch))
        query = f"SELECT key, value FROM glosses WHERE key IN ({marks})"  # noqa: S608 - question marks only
        found.update(database.execute(query, batch))
    return found


def _put(database: sqlite3.Connection, key: str, path: str, value: bytes, keep: Retention) -> int:
    database.execute("BEGIN IMMEDIATE")
    with database:
        database.execute("DELETE FROM glosses WHERE key = ?", (key,))
        row = database.execute(
            "INSERT INTO glosses (key, path, value, made) VALUES (?, ?, ?, ?)",
            (key, os.fsencode(path), value, time.time()),
        )
    _prune(database, keep)
    return row.lastrowid or 0


def _move(database: sqlite3.Connection, old: str, key: str, path: str, value: bytes) -> int:
    database.execute("BEGIN IMMEDIATE")
    with database:
        made = database.execute("SELECT made FROM glosses WHERE key = ?", (old,)).fetchone()
        if made is not None:
            database.execute("DELETE FROM glosses WHERE key IN (?, ?)", (old, key))
            database.execute(
                "INSERT INTO glosses (key, path, value, made) VALUES (?, ?, ?, ?)",
                (key, os.fsencode(path), value, *made),
            )
        found = database.execute("SELECT id FROM glosses WHERE key = ?", (key,)).fetchone()
    return int(found[0]) if found else 0


def _prune(database: sqlite3.Connection, keep: Retention) -> None:
    database.execute("BEGIN IMMEDIATE")
    with database:
        database.execute("DELETE FROM glosses WHERE made < ?", (time.time() - keep.days * _DAY,))
        database.execute(
            "DELETE FROM glosses WHERE id IN (SELECT id FROM ("
            " SELECT id, row_number() OVER newest AS place, sum(length(value)) OVER newest AS bytes"
            " FROM glosses WINDOW newest AS (ORDER BY id DESC)) WHERE place > ? OR bytes > ?)",
            (keep.count, keep.bytes),
        )
    database.execute("PRAGMA incremental_vacuum").fetchall()
