"""An append-only log of records in one file, owned by one process at a time.

A record is a line: a checksum in eight hexadecimal digits, a colon, the record's bytes. The
checksum is the CRC-32 of the bytes and their line feed, begun with the checksum of the line before
(0 for the first), so that it fits only in its place: a record that was swapped, repeated or taken
out is damage like a flipped bit. Lines of older versions have a blank for the colon, and the CRC-32
of the bytes alone; none of them follows a chained one.

A batch is written by one call to the system, so a process that is killed leaves whole records and
at most one torn, unconfirmed line at the end; a power cut may cost what was not yet
`sync`ed, and the checksums show where the log ends then.

The owner holds a lock of the file until it closes the log or ends. Of a damaged log, what
comes before the damage stays in use, and the whole file is kept as `.damaged`.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from typing import Self

from glossator.core.errors import StoreUnavailable

if sys.platform != "win32":
    import fcntl

_CHECK = 9  # bytes before a record: its checksum and the mark
_CHAINED, _UNCHAINED = b":", b" "
_OPEN = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, slots=True)
class Contents:
    """The records of a log in order.

    `size` is what they take on disk, in bytes; `lost` counts the bytes after them that were
    damaged, or are known to be missing. A torn line at the end is not damage. `chain` is the last
    record's checksum. `damaged` is the path under which a damaged file is kept, "" if it was whole.
    """

    records: tuple[bytes, ...]
    size: int
    lost: int
    chain: int
    damaged: str = ""


class NotOpened(Enum):
    """Why a log was not opened."""

    GONE = "there is none"
    IN_USE = "another process has it open"


class Log:
    """A log that this process owns until `close`. Methods raise `StoreUnavailable`.

    `written_before` is when another process last wrote to it (ns since 1970), 0 if none did.
    """

    def __init__(
        self, path: str, descriptor: int, size: int = 0, chain: int = 0, written_before: int = 0
    ) -> None:
        self.written_before = written_before
        self._path = path
        self._descriptor = descriptor
        self._size = size
        self._chain = chain

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return self._size

    def append(self, records: Iterable[bytes]) -> None:
        """Add all records or none; when this returns, they outlive this process, however it ends.

        A record holds no line feed.
        """
        framed, chain = _framed(records, self._chain)
        content, written = memoryview(framed), 0
        try:
            while written < len(content):
                written += os.write(self._descriptor, content[written:])
        except OSError as error:
            self._take_back()
            raise unavailable(self._path, error) from error
        self._size += written
        self._chain = chain

    def sync(self) -> None:
        """Wait until the disk has everything, so that a power cut costs nothing."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise unavailable(self._path, error) from error

    def touch(self) -> None:
        """Set the file's time to now, as if it were written to."""
        with suppress(OSError):
            os.utime(self._descriptor)

    def close(self) -> None:
        """Close the log and give up its lock; safe to call again."""
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            try:
                if sys.platform != "win32":  # a process being started may have a copy for a moment
                    fcntl.flock(descriptor, fcntl.LOCK_UN)
            finally:
                os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _take_back(self) -> None:
        """Cut off what was written of a failed batch; if that fails too, write no more."""
        try:
            os.ftruncate(self._descriptor, self._size)
        except OSError:
            self.close()


def create_log(path: str) -> Log:
    """Make a new, empty log. Raises `StoreUnavailable`, also when there is one already."""
    try:
        descriptor = os.open(path, _OPEN | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise unavailable(path, error) from error
    if not _lock(descriptor, path):
        os.close(descriptor)
        raise StoreUnavailable(f"{path} was taken by another process; try again.")
    return Log(path, descriptor)


def open_log(path: str, least: int = 0) -> tuple[Log, Contents] | NotOpened:
    """Own a log and read it; a damaged end is cut off. It once had at least so many bytes.

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
        written_before = os.fstat(descriptor).st_mtime_ns
        contents = parse(_read_all(descriptor))
        lost = max(contents.lost, least - contents.size)
        if lost > 0:
            contents = replace(contents, lost=lost, damaged=f"{path}.damaged")
            shutil.copyfile(path, contents.damaged)
            os.chmod(contents.damaged, 0o600)
        os.ftruncate(descriptor, contents.size)
    except OSError as error:
        os.close(descriptor)
        raise unavailable(path, error) from error
    return Log(path, descriptor, contents.size, contents.chain, written_before), contents


def read_log(path: str) -> Contents | NotOpened:
    """Read a log as it is now, even if another process owns it. Raises `StoreUnavailable`."""
    try:
        with open(path, "rb") as file:
            return parse(file.read())
    except FileNotFoundError:
        return NotOpened.GONE
    except OSError as error:
        raise unavailable(path, error) from error


def in_use(path: str) -> bool:
    """Whether a process owns the log now."""
    owned = _own(path)
    if not isinstance(owned, NotOpened):
        os.close(owned)
    return owned is NotOpened.IN_USE


def remove_log(path: str) -> NotOpened | None:
    """Delete a log nobody has open; returns why it was not deleted. Raises `StoreUnavailable`."""
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
    """Parse the whole records at the beginning of `content`."""
    records: list[bytes] = []
    position = chain = 0
    older = True  # no line so far is chained
    while (end := content.find(b"\n", position)) >= 0:
        record, check = content[position + _CHECK : end], content[position : position + _CHECK]
        older = older and check.endswith(_UNCHAINED)
        after = zlib.crc32(record) if older else _chained(record, chain)
        if check != b"%08x%s" % (after, _UNCHAINED if older else _CHAINED):
            return Contents(tuple(records), position, len(content) - position, chain)
        records.append(record)
        position, chain = end + 1, after
    return Contents(tuple(records), position, 0, chain)


def framed(records: Sequence[bytes]) -> bytes:
    """Write `records` as a log's file holds them."""
    return _framed(records, 0)[0]


def unavailable(path: str, error: OSError) -> StoreUnavailable:
    """Make the error to raise when the system refused something."""
    return StoreUnavailable(
        f"{path} cannot be used ({error.strerror or error}); check the disk's room and the"
        " permissions of the file and its folder."
    )


def _framed(records: Iterable[bytes], chain: int) -> tuple[bytes, int]:
    """The lines after the one with the checksum `chain`, and the checksum of the last."""
    lines = []
    for record in records:
        if b"\n" in record:
            raise ValueError("a record of a log holds no line feed")
        chain = _chained(record, chain)
        lines.append(b"%08x%s%s\n" % (chain, _CHAINED, record))
    return b"".join(lines), chain


def _chained(record: bytes, chain: int) -> int:
    return zlib.crc32(b"\n", zlib.crc32(record, chain))


def _read_all(descriptor: int) -> bytes:
    with open(descriptor, "rb", closefd=False) as file:
        return file.read()


def _own(path: str) -> int | NotOpened:
    """Open and lock the log; returns a descriptor. Raises `StoreUnavailable`."""
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
    """Lock the file; whether it is ours now, and still the one at `path`."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except FileNotFoundError:  # deleted just now
        return False
