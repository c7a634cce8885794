"""One SQLite file of our own: opened at its first use, private, and replaced when damaged.

Several processes may use one file, but an object one thread at a time.

Source: SQLite's documentation of write-ahead logging and of result codes.
"""

from __future__ import annotations

import errno
import logging
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeAlias, TypeVar

from glossator.core.atomic import alone
from glossator.core.errors import StoreUnavailable

logger = logging.getLogger(__name__)

T = TypeVar("T")
Row: TypeAlias = tuple[object, ...]
_Identity: TypeAlias = tuple[int, int]  # device, inode

_WAIT_SECONDS = 2.0  # seconds for another process to finish writing
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

    A damaged file is set aside with the ending `.damaged` and replaced; `damaged` is its path
    then, and `rescued` what was read of it, for the owner to report.
    """

    def __init__(
        self, path: str, tables: str, version: int, lost: str, rescue: tuple[str, ...] = ()
    ) -> None:
        """`lost` says what is missing while the file cannot be used.

        `rescue` are queries, with `{0}` for their order, for what is read of a damaged file.
        """
        self.damaged = ""
        self.rescued: tuple[list[Row], ...] = ()
        self._rescue = rescue
        self._path = path
        self._schema = _SCHEMA.format(tables=tables, version=version)
        self._version = version
        self._lost = lost
        self._database: sqlite3.Connection | None = None
        self._opened: _Identity | None = None

    def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """The result of `work`. Raises `StoreUnavailable`."""
        try:
            try:
                return work(self._open())
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if not _is_damage(error):
                    raise
                self._set_aside(error)
                return work(self._open())
        except (sqlite3.Error, OSError) as error:
            self.close()
            raise StoreUnavailable(
                f"{self._path} cannot be used ({error}), so {self._lost}; check the disk's"
                " room and the file's permissions, or delete the file."
            ) from error

    def close(self) -> None:
        """Close the file; safe to call again."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _open(self) -> sqlite3.Connection:
        """The connection; one process at a time opens it and makes the tables.

        SQLite does not wait for others to change the journal's mode; and a process that had just
        opened a file that was then set aside would take the new file's journal for its own.
        """
        if self._database is None:
            with alone(self._path):
                self._database = self._connect()
                self._begin(self._database)
        return self._database

    def _connect(self) -> sqlite3.Connection:
        # Made here, since SQLite would let everybody read it. One that exists is not opened: to
        # close it would drop the locks that this process has on it.
        try:
            Path(self._path).touch(0o600, exist_ok=False)
        except FileExistsError as error:
            if not os.path.getsize(self._path) and not _has_journal(self._path):
                self._opened = _identity(self._path)
                raise _ForeignFormat("it is empty") from error
        if not os.access(self._path, os.R_OK | os.W_OK):  # else SQLite would only read it
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        self._opened = _identity(self._path)
        return sqlite3.connect(
            self._path,
            timeout=_WAIT_SECONDS,
            isolation_level=None,
            check_same_thread=False,  # the worker has two, of which one works at a time
        )

    def _begin(self, database: sqlite3.Connection) -> None:
        version = number(database, "PRAGMA user_version")
        if version not in (0, self._version):
            raise _ForeignFormat(f"it has the format {version}, not {self._version}")
        database.execute("PRAGMA synchronous = NORMAL")  # a lost tail is no damage
        if not version:
            database.executescript(self._schema)

    def _set_aside(self, reason: Exception) -> None:
        """Make room for a new file, unless another process has done so."""
        self.close()
        with alone(self._path):
            if _identity(self._path) != self._opened:
                return
            if not isinstance(reason, _ForeignFormat):
                self.rescued = tuple(_readable(self._path, query) for query in self._rescue)
            for ending in ("-wal", "-shm"):  # first, for they would count for the new file, too
                Path(self._path + ending).unlink(missing_ok=True)
            self.damaged = f"{self._path}.damaged"
            os.replace(self._path, self.damaged)
        logger.warning("%s was damaged (%s); it is begun again.", self._path, reason)


class _ForeignFormat(sqlite3.DatabaseError):
    """A file that another version of this program made."""


def _readable(path: str, query: str) -> list[Row]:
    """The rows of a damaged file, from either end up to where it cannot be read."""
    rows: dict[Row, None] = {}
    with closing(sqlite3.connect(path, timeout=_WAIT_SECONDS)) as database:
        for order in ("ASC", "DESC"):
            with suppress(sqlite3.DatabaseError, UnicodeDecodeError):
                for row in database.execute(query.format(order)):
                    rows[row] = None
    return list(rows)


def _has_journal(path: str) -> bool:
    """Whether a journal with the newest writes is still beside the file."""
    try:
        return os.path.getsize(f"{path}-wal") > 0
    except FileNotFoundError:
        return False


def _identity(path: str) -> _Identity | None:
    """Which file is there now."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def number(database: sqlite3.Connection, query: str, *values: str) -> int:
    """The one number that a query gives."""
    (found,) = database.execute(query, values).fetchone()
    return int(found or 0)


def _is_damage(error: sqlite3.DatabaseError | UnicodeDecodeError) -> bool:
    # A message that quotes a damaged schema is not UTF-8. The low byte of a code is its kind.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in _DAMAGED or isinstance(error, _ForeignFormat | UnicodeDecodeError)
