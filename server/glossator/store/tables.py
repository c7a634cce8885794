"""Glosses, facts and memories of sessions on disk: rows by key in SQLite, shared by all servers.

What one server keeps, the others find when they look again: `version` has changed then.

Each row of a fact has the time of its last change, and of two rows with the same id the newer one
is kept, whichever arrives first. A row without a value says that a fact was forgotten.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from glossator.store.database import Database, Row, number
from glossator.store.logs import Retention

_FORMAT = 1
_DAY = 86_400
FORGOTTEN_DAYS = 180  # in which a server that was away may bring a forgotten fact back
FORGOTTEN_MOST = 10_000  # of a workspace that are known, the last ones
_TABLES = """
    CREATE TABLE IF NOT EXISTS facts (
        workspace TEXT NOT NULL,
        id TEXT NOT NULL,
        changed REAL NOT NULL, -- seconds since 1970
        value BLOB, -- NULL: forgotten
        PRIMARY KEY (workspace, id)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS memories (
        session TEXT PRIMARY KEY,
        workspace TEXT NOT NULL,
        changed REAL NOT NULL,
        value BLOB NOT NULL,
        shared INTEGER NOT NULL -- 0: the team's server does not have it yet
    );
"""
_RESCUE = (
    "SELECT workspace, id, changed, value FROM facts ORDER BY workspace {0}, id {0}",
    "SELECT session, workspace, value, shared FROM memories ORDER BY rowid {0}",
)
_GLOSS_FORMAT = 1
_KEYS_OF_STATEMENT = 500  # keys in one statement
_GLOSS_TABLES = """
    CREATE TABLE IF NOT EXISTS glosses (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        key TEXT NOT NULL UNIQUE,
        path BLOB NOT NULL, -- as the system has it: names need not be UTF-8
        value BLOB NOT NULL,
        made REAL NOT NULL -- seconds since 1970
    );
    CREATE INDEX IF NOT EXISTS by_path ON glosses (path);
"""


@dataclass(frozen=True, slots=True)
class Damage:
    """A file that was set aside as `path`, and what was read of its tables, unchecked."""

    path: str
    facts: list[Row]
    memories: list[Row]


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """A fact as it is kept: when it was changed (seconds since 1970), None if it was forgotten."""

    changed: float
    value: bytes | None


class _Store:
    """One file; every method raises `StoreUnavailable`. An object belongs to one thread."""

    _file: Database

    def version(self) -> int:
        """Another number when another process has changed something."""
        return self._file.run(lambda database: number(database, "PRAGMA data_version"))

    def close(self) -> None:
        """Give the file back; safe to call again."""
        self._file.close()


class LedgerStore(_Store):
    """Facts and memories of sessions.

    What a method has written is kept when it returns, also if the process is killed then.
    """

    def __init__(self, path: str, keep: Retention) -> None:
        """`keep` is how long the memory of a session is kept."""
        self._keep = keep
        self._file = Database(path, _TABLES, _FORMAT, "facts are neither found nor kept", _RESCUE)

    def take_damage(self) -> Damage | None:
        """Return a damaged file that was set aside since the last call, if any."""
        path, rescued = self._file.damaged, self._file.rescued
        self._file.damaged, self._file.rescued = "", ()
        return Damage(path, *(rescued or ([], []))) if path else None

    def facts(self, workspace: str) -> dict[str, LedgerRow]:
        """All rows of a workspace, by id."""
        query = "SELECT id, changed, value FROM facts WHERE workspace = ?"
        return self._file.run(
            lambda database: {
                key: LedgerRow(changed, value)
                for key, changed, value in database.execute(query, (workspace,))
            }
        )

    def put(self, workspace: str, rows: Mapping[str, LedgerRow]) -> None:
        """Keep all these rows or none, in place of older ones; newer ones stay."""
        self._file.run(lambda database: _put(database, workspace, rows))

    def memory(self, session: str) -> bytes | None:
        """The memory kept for a session."""
        query = "SELECT value FROM memories WHERE session = ?"

        def get(database: sqlite3.Connection) -> bytes | None:
            found = database.execute(query, (session,)).fetchone()
            return found and bytes(found[0])

        return self._file.run(get)

    def put_memory(self, session: str, workspace: str, value: bytes, *, shared: bool) -> None:
        """Keep a session's memory; it waits for the team's server unless it is `shared`."""
        row = session, workspace, time.time(), value, shared
        self._file.run(
            lambda database: database.execute(
                "INSERT OR REPLACE INTO memories VALUES (?, ?, ?, ?, ?)", row
            )
        )

    def mark_shared(self, session: str, value: bytes) -> None:
        """Note that the team's server has this value."""
        query = "UPDATE memories SET shared = 1 WHERE session = ? AND value = ?"
        self._file.run(lambda database: database.execute(query, (session, value)))

    def unshared(self, workspace: str) -> list[tuple[str, bytes]]:
        """The memories of a workspace that the team's server does not have, oldest first."""
        query = (
            "SELECT session, value FROM memories WHERE workspace = ? AND NOT shared"
            " ORDER BY changed"
        )
        return self._file.run(
            lambda database: [
                (key, bytes(value)) for key, value in database.execute(query, (workspace,))
            ]
        )

    def change_memories(
        self, workspace: str, change: Callable[[bytes], bytes | None], *, shared: bool
    ) -> None:
        """Write what `change` gives for each memory of a workspace; None leaves it as it is."""
        self._file.run(lambda database: _change(database, workspace, change, shared))

    def remove_memories(
        self, workspace: str | None = None, sessions: Iterable[str] = ()
    ) -> list[str]:
        """Delete the memory of these sessions, or of all of a workspace; returns their ids."""
        wanted = tuple(sessions)
        return self._file.run(lambda database: _remove(database, workspace, wanted))

    def prune(self) -> None:
        """Drop what need not be kept any longer."""
        self._file.run(lambda database: _prune(database, self._keep))


def _put(database: sqlite3.Connection, workspace: str, rows: Mapping[str, LedgerRow]) -> None:
    database.execute("BEGIN IMMEDIATE")
    with database:
        database.executemany(
            "INSERT INTO facts VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE"
            " SET changed = excluded.changed, value = excluded.value"
            " WHERE (excluded.changed, ifnull(excluded.value, x''))"
            " > (changed, ifnull(value, x''))",  # the same order as that of merging
            [(workspace, key, row.changed, row.value) for key, row in rows.items()],
        )


def _change(
    database: sqlite3.Connection,
    workspace: str,
    change: Callable[[bytes], bytes | None],
    shared: bool,
) -> None:
    database.execute("BEGIN IMMEDIATE")
    with database:
        found = database.execute(
            "SELECT session, value FROM memories WHERE workspace = ?", (workspace,)
        ).fetchall()
        for session, value in found:
            if (new := change(bytes(value))) is not None:
                database.execute(
                    "UPDATE memories SET value = ?, shared = ? WHERE session = ?",
                    (new, shared, session),
                )


def _remove(
    database: sqlite3.Connection, workspace: str | None, sessions: tuple[str, ...]
) -> list[str]:
    database.execute("BEGIN IMMEDIATE")
    with database:
        gone = {
            key
            for (key,) in database.execute(
                "SELECT session FROM memories WHERE workspace = ?", (workspace,)
            )
        }
        for key in sessions:
            if database.execute("SELECT 1 FROM memories WHERE session = ?", (key,)).fetchone():
                gone.add(key)
        marked = [(key,) for key in gone]
        database.executemany("DELETE FROM memories WHERE session = ?", marked)
    return sorted(gone)


def _prune(database: sqlite3.Connection, keep: Retention) -> None:
    now = time.time()
    database.execute("BEGIN IMMEDIATE")
    with database:
        database.execute(
            "DELETE FROM facts WHERE value IS NULL AND changed < ?", (now - FORGOTTEN_DAYS * _DAY,)
        )
        database.execute(
            "DELETE FROM facts WHERE (workspace, id) IN (SELECT workspace, id FROM ("
            "SELECT *, row_number() OVER (PARTITION BY workspace ORDER BY changed DESC) AS place"
            " FROM facts WHERE value IS NULL) WHERE place > ?)",
            (FORGOTTEN_MOST,),
        )
        database.execute("DELETE FROM memories WHERE changed < ?", (now - keep.days * _DAY,))
        database.execute(
            "DELETE FROM memories WHERE session NOT IN"
            " (SELECT session FROM memories ORDER BY changed DESC LIMIT ?)",
            (keep.count,),
        )
    database.execute("PRAGMA incremental_vacuum").fetchall()


class GlossStore(_Store):
    """Glosses by key, each with the path that it is about."""

    def __init__(self, path: str, keep: Retention) -> None:
        self._keep = keep
        self._file = Database(
            path, _GLOSS_TABLES, _GLOSS_FORMAT, "glosses are neither found nor kept"
        )

    def under(self, folders: Iterable[str]) -> dict[str, int]:
        """The keys of everything about these folders and their contents, each with its edition."""
        tops = tuple(folders)
        return self._file.run(lambda database: _glosses_under(database, tops))

    def get(self, keys: Iterable[str]) -> dict[str, bytes]:
        """The values there are for `keys`."""
        wanted = list(keys)
        return self._file.run(lambda database: _get_glosses(database, wanted))

    def put(self, key: str, path: str, value: bytes) -> int:
        """Keep a value under this key, instead of an older one; returns its edition.

        If there are too many, the oldest go.
        """
        return self._file.run(lambda database: _put_gloss(database, key, path, value, self._keep))

    def move(self, old: str, key: str, path: str, value: bytes) -> int:
        """Keep a value in place of that with the key `old`, with its age.

        Returns its edition, or that of the present value if another process has moved it.
        """
        return self._file.run(lambda database: _move_gloss(database, old, key, path, value))

    def prune(self) -> None:
        """Drop what need not be kept any longer."""
        self._file.run(lambda database: _prune_glosses(database, self._keep))


def _glosses_under(database: sqlite3.Connection, folders: tuple[str, ...]) -> dict[str, int]:
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


def _get_glosses(database: sqlite3.Connection, keys: list[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for start in range(0, len(keys), _KEYS_OF_STATEMENT):
        batch = keys[start : start + _KEYS_OF_STATEMENT]
        marks = ",".join("?" * len(batch))
        query = f"SELECT key, value FROM glosses WHERE key IN ({marks})"  # noqa: S608 - question marks only
        found.update(database.execute(query, batch))
    return found


def _put_gloss(
    database: sqlite3.Connection, key: str, path: str, value: bytes, keep: Retention
) -> int:
    database.execute("BEGIN IMMEDIATE")
    with database:
        database.execute("DELETE FROM glosses WHERE key = ?", (key,))
        row = database.execute(
            "INSERT INTO glosses (key, path, value, made) VALUES (?, ?, ?, ?)",
            (key, os.fsencode(path), value, time.time()),
        )
    _prune_glosses(database, keep)
    return row.lastrowid or 0


def _move_gloss(database: sqlite3.Connection, old: str, key: str, path: str, value: bytes) -> int:
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


def _prune_glosses(database: sqlite3.Connection, keep: Retention) -> None:
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
