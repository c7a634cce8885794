"""An append-only log of records in one file, owned by one process at a time.

A record is a line: the CRC-32 of its bytes in eight hexadecimal digits, a blank, the bytes. A batch
is written by one call to the system, so a process that is killed leaves whole records and at most
one torn line at the end, which nobody was told of; a power cut may cost what was not yet `sync`ed,
and the checksums show where the log ends then.

The owner holds a lock of the file, which ends with its process. Of a log that was damaged, what
stands before the damage is kept in use, and the whole file as `.damaged`.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Self

from glossator.core.errors import StoreUnavailable

if sys.platform != "win32":
    import fcntl

_CHECK = 9  # bytes before a record: its checksum and the blank
_OPEN = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, slots=True)
class Contents:
    """The records of a log in order.

    `size` is what they take on disk, in bytes; `lost` counts the bytes after them that were
    damaged. A torn line at the end is not damage.
    """

    records: tuple[bytes, ...]
    size: int
    lost: int


class NotOpened(Enum):
    """Why a log was not opened."""

    GONE = "there is none"
    IN_USE = "another process has it open"


class Log:
    """A log that this process owns until `close`. Methods raise `StoreUnavailable`."""

    def __init__(self, path: str, descriptor: int, size: int) -> None:
        self._path = path
        self._descriptor = descriptor
        self._size = size

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return self._size

    def append(self, records: Iterable[bytes]) -> None:
        """Add records, all or none; when this returns they outlive this process, however it ends.

        A record holds no line feed.
        """
        content = memoryview(b"".join(_line(record) for record in records))
        written = 0
        try:
            while written < len(content):
                written += os.write(self._descriptor, content[written:])
        except OSError as error:
            self._take_back()
            raise unavailable(self._path, error) from error
        self._size += written

    def sync(self) -> None:
        """Wait until the disk has everything, so that a power cut costs nothing of it."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise unavailable(self._path, error) from error

    def close(self) -> None:
        """Give the log back; safe to call again."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _take_back(self) -> None:
        """Cut off what was written of a batch that failed; where that fails too, write no more."""
        try:
            os.ftruncate(self._descriptor, self._size)
        except OSError:
            self.close()


def create_log(path: str) -> Log:
    """A new, empty log. Raises `StoreUnavailable`, also when there is one already."""
    try:
        descriptor = os.open(path, _OPEN | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise unavailable(path, error) from error
    if not _lock(descriptor, path):
        os.close(descriptor)
        raise StoreUnavailable(f"{path} was taken by another process; try again.")
    return Log(path, descriptor, 0)


def open_log(path: str) -> tuple[Log, Contents] | NotOpened:
    """Own a log and read it; its damaged end is cut off.

    Raises `StoreUnavailable`, also for one that other users may have written to.
    """
    descriptor = _own(path)
    if isinstance(descriptor, NotOpened):
        return descriptor
    if not _is_ours_alone(descriptor):
        os.close(descriptor)
        raise StoreUnavailable(
            f"{path} is not used, because other users may write it. If you trust what it holds,"
            " make it yours alone (mode 0600)."
        )
    try:
        contents = parse(_read_all(descriptor))
        if contents.lost:
            shutil.copyfile(path, f"{path}.damaged")
            os.chmod(f"{path}.damaged", 0o600)
        os.ftruncate(descriptor, contents.size)
    except OSError as error:
        os.close(descriptor)
        raise unavailable(path, error) from error
    return Log(path, descriptor, contents.size), contents


def read_log(path: str) -> Contents | NotOpened:
    """What a log holds now, whoever owns it. Raises `StoreUnavailable`."""
    try:
        with open(path, "rb") as file:
            return parse(file.read())
    except FileNotFoundError:
        return NotOpened.GONE
    except OSError as error:
        raise unavailable(path, error) from error


def remove_log(path: str) -> NotOpened | None:
    """Delete a log nobody has open; gives why it was not deleted. Raises `StoreUnavailable`."""
    descriptor = _own(path)
    if isinstance(descriptor, NotOpened):
        return descriptor
    try:
        with suppress(FileNotFoundError):
            os.unlink(f"{path}.damaged")
        os.unlink(path)
    except OSError as error:
        raise unavailable(path, error) from error
    finally:
        os.close(descriptor)
    return None


def parse(content: bytes) -> Contents:
    """The records at the beginning of `content` that are whole."""
    records: list[bytes] = []
    position = 0
    while (end := content.find(b"\n", position)) >= 0:
        record = content[position + _CHECK : end]
        if content[position : position + _CHECK] != _checksum(record):
            return Contents(tuple(records), position, len(content) - position)
        records.append(record)
        position = end + 1
    return Contents(tuple(records), position, 0)


def framed(records: Sequence[bytes]) -> bytes:
    """`records` as a log's file holds them."""
    return b"".join(_line(record) for record in records)


def unavailable(path: str, error: OSError) -> StoreUnavailable:
    """The error to raise when the system refused something."""
    return StoreUnavailable(
        f"{path} cannot be used ({error.strerror or error}); check the disk's room and the"
        " permissions of the file and its folder."
    )


def _line(record: bytes) -> bytes:
    if b"\n" in record:
        raise ValueError("a record of a log holds no line feed")
    return b"%s%s\n" % (_checksum(record), record)


def _checksum(record: bytes) -> bytes:
    return b"%08x " % zlib.crc32(record)


def _read_all(descriptor: int) -> bytes:
    with open(descriptor, "rb", closefd=False) as file:
        return file.read()


def _own(path: str) -> int | NotOpened:
    """A descriptor of the log, locked. Raises `StoreUnavailable`."""
    try:
        descriptor = os.open(path, _OPEN)
    except FileNotFoundError:
        return NotOpened.GONE
    except OSError as error:
        raise unavailable(path, error) from error
    if _lock(descriptor, path):
        return descriptor
    os.close(descriptor)
    return NotOpened.IN_USE


def _is_ours_alone(descriptor: int) -> bool:
    if sys.platform == "win32":
        return True
    status = os.fstat(descriptor)
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _lock(descriptor: int, path: str) -> bool:
    """Whether the file is ours now, and still the one at `path`."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except FileNotFoundError:  # deleted just now
        return False
