"""Facts and the memory of sessions on disk: rows by workspace and id, shared by all servers.

Each row has the time of its last change, and of two rows with the same id the newer one is kept, in
whichever order they arrive. A row without a value says that a fact was forgotten.
"""

from __future__ import annotations

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


class LedgerStore:
    """One file; every method raises `StoreUnavailable`. An object belongs to one thread.

    What a method has written is kept when it returns, also if the process is killed then.
    """

    def __init__(self, path: str, keep: Retention) -> None:
        """`keep` is how long the memory of a session is kept."""
        self._keep = keep
        self._file = Database(path, _TABLES, _FORMAT, "facts are neither found nor kept", _RESCUE)

    def take_damage(self) -> Damage | None:
        """A damaged file that was set aside since the last call."""
        path, rescued = self._file.damaged, self._file.rescued
        self._file.damaged, self._file.rescued = "", ()
        return Damage(path, *(rescued or ([], []))) if path else None

    def version(self) -> int:
        """Another number when another process has changed something."""
        return self._file.run(lambda database: number(database, "PRAGMA data_version"))

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
        """Keep these rows, all or none, in place of older ones; newer ones stay."""
        self._file.run(lambda database: _put(database, workspace, rows))

    def memory(self, session: str) -> bytes | None:
        """What is kept of a session."""
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
        """The team's server has this value."""
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
        """Delete the memory of these sessions, or of all of a workspace; the ids of those."""
        wanted = tuple(sessions)
        return self._file.run(lambda database: _remove(database, workspace, wanted))

    def prune(self) -> None:
        """Drop what is not to be kept any longer."""
        self._file.run(lambda database: _prune(database, self._keep))

    def close(self) -> None:
        """Give the file back; safe to call again."""
        self._file.close()


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
