"""One SQLite file of our own: opened when it is first used, private, and begun again when damaged.

Several processes may use one file; an object belongs to one thread.

Source: SQLite's documentation of write-ahead logging and of result codes.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable
from typing import TypeVar

from glossator.core.errors import StoreUnavailable

logger = logging.getLogger(__name__)

T = TypeVar("T")

_WAIT = 2.0  # seconds for another process to finish writing
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
            # made here, since SQLite would let everybody read it
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
            database = sqlite3.connect(self._path, timeout=_WAIT, isolation_level=None)
            self._database = database
            version = number(database, "PRAGMA user_version")
            if version not in (0, self._version):
                raise _ForeignFormat(f"it has the format {version}, not {self._version}")
            database.execute("PRAGMA synchronous = NORMAL")  # a lost tail is no damage
            if not version:
                database.executescript(self._schema)
        return self._database

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
    # A message that quotes a damaged schema is not UTF-8. The low byte of a code is its kind.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in _DAMAGED or isinstance(error, _ForeignFormat | UnicodeDecodeError)
