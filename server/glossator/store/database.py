"""One SQLite file of our own: opened when it is first used, private, and begun again when damaged.

Several processes may use one file; an object belongs to one thread.

Source: SQLite's documentation of write-ahead logging and of result codes.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from glossator.core.errors import StoreUnavailable

logger = logging.getLogger(__name__)

T = TypeVar("T")

_WAIT = 2.0  # seconds for another process to finish writing
_AGAIN = 0.005  # seconds until a file is begun once more
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_SCHEMA = """
    PRAGMA auto_vacuum = INCREMENTAL;
    PRAGMA journal_mode = WAL;
    BEGIN IMMEDIATE;
    {tables}
    PRAGMA user_version = {version};
    COMMIT;
"""


class Database:
    """A file with the tables that `tables` makes; a file of another `version` is set aside.

    A damaged file is set aside with the ending `.damaged`, and begun again.
    """

    def __init__(self, path: str, tables: str, version: int, lost: str) -> None:
        """`lost` says what is not to be had while the file cannot be used."""
        self._path = path
        self._schema = _SCHEMA.format(tables=tables, version=version)
        self._version = version
        self._lost = lost
        self._database: sqlite3.Connection | None = None

    def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What `work` gives. Raises `StoreUnavailable`."""
        try:
            try:
                return work(self._open())
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if not _is_damage(error):
                    raise
                self._set_aside(str(error))
                return work(self._open())
        except (sqlite3.Error, OSError) as error:
            self.close()
            raise StoreUnavailable(
                f"{self._path} cannot be used ({error}), so {self._lost}; check the disk's"
                " room and the file's permissions, or delete the file."
            ) from error

    def close(self) -> None:
        """Give the file back; safe to call again."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            # Made here, since SQLite would let everybody read it. One that exists is not opened:
            # to close it would drop the locks that this process has on it.
            Path(self._path).touch(0o600)
            database = sqlite3.connect(self._path, timeout=_WAIT, isolation_level=None)
            self._database = database
            version = number(database, "PRAGMA user_version")
            if version not in (0, self._version):
                raise _ForeignFormat(f"it has the format {version}, not {self._version}")
            database.execute("PRAGMA synchronous = NORMAL")  # a lost tail is no damage
            if not version:
                self._begin(database)
        return self._database

    def _begin(self, database: sqlite3.Connection) -> None:
        """Make the tables, though another process is about to do so, too.

        SQLite waits for other writers, except to change the journal's mode: that fails at once.
        """
        deadline = time.monotonic() + _WAIT
        while True:
            try:
                database.executescript(self._schema)
            except sqlite3.OperationalError as error:
                if _kind(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(_AGAIN)
            else:
                return

    def _set_aside(self, reason: str) -> None:
        self.close()
        os.replace(self._path, f"{self._path}.damaged")
        for ending in ("-wal", "-shm"):
            if os.path.exists(self._path + ending):
                os.remove(self._path + ending)
        logger.warning("%s was damaged (%s); it is begun again.", self._path, reason)


class _ForeignFormat(sqlite3.DatabaseError):
    """A file that another version of this program made."""


def number(database: sqlite3.Connection, query: str) -> int:
    """The one number that a query gives."""
    (found,) = database.execute(query).fetchone()
    return int(found or 0)


def _is_damage(error: sqlite3.DatabaseError | UnicodeDecodeError) -> bool:
    # A message that quotes a damaged schema is not UTF-8.
    return _kind(error) in _DAMAGED or isinstance(error, _ForeignFormat | UnicodeDecodeError)


def _kind(error: Exception) -> int:
    """The primary result code: the low byte of what SQLite says."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
