"""The folder of an index of chunks on disk: its version, its checksums, its size, its lock.

One process writes at a time, under the lock of `workspace/files/state_folder.py`. Tantivy ends
each of its files with the CRC-32 of what precedes, but never looks at it; `damage` does.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress

from glossator.workspace import INDEX_LOCK

VERSION = "9"  # of what is indexed: chunks, terms, records
_MARK = "version"
_META = "meta.json"
_KEPT = (_MARK, INDEX_LOCK)
_END = struct.Struct("<II")  # the length of the footer, and a number that is always the same
_MAGIC = 1337
_FOOTER = 4_096  # bytes, more than it ever takes
_BLOCK = 1 << 20


def is_current(folder: str) -> bool:
    """Whether the folder is marked as one of this version."""
    try:
        with open(os.path.join(folder, _MARK), encoding="ascii", errors="replace") as file:
            return file.read() == VERSION
    except FileNotFoundError:
        return False


def begin_again(folder: str) -> None:
    """Delete the index in the folder and mark the version; for the one who writes.

    The list of segments goes first: without it there is no index, wherever this is interrupted.
    """
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(folder, _META))
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name in _KEPT:
                continue
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)
    with open(os.path.join(folder, _MARK), "w", encoding="ascii") as file:
        file.write(VERSION)


def damage(folder: str) -> Iterator[str]:
    """The names of the damaged files in use; "" after each part that was read."""
    used = segments(folder)
    for name in sorted(os.listdir(folder)):
        if name.partition(".")[0] not in used:
            continue  # another process may be writing it
        try:
            with open(os.path.join(folder, name), "rb") as file:
                size = os.fstat(file.fileno()).st_size
                file.seek(max(0, size - _FOOTER))
                expected, length = _footer(file.read(), size)
                file.seek(0)
                crc, left = 0, length
                while left > 0 and (block := file.read(min(left, _BLOCK))):
                    crc = zlib.crc32(block, crc)
                    left -= len(block)
                    yield ""
        except FileNotFoundError:
            continue  # merged meanwhile
        except (ValueError, KeyError, TypeError):
            yield name
            continue
        if crc != expected or left:
            yield name


def segments(folder: str) -> frozenset[str]:
    """The names of the published segments; none of a list that is damaged, as tantivy will say."""
    try:
        with open(os.path.join(folder, _META), "rb") as file:
            return frozenset(
                at["segment_id"].replace("-", "") for at in json.load(file)["segments"]
            )
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        return frozenset()


def _footer(tail: bytes, size: int) -> tuple[int, int]:
    """The checksum of a file that ends so, and of how many bytes. Raises `ValueError`."""
    if len(tail) < _END.size:
        raise ValueError("too short")
    length, magic = _END.unpack(tail[-_END.size :])
    if magic != _MAGIC or length + _END.size > len(tail):
        raise ValueError("no footer")
    footer: dict[str, int] = json.loads(tail[-_END.size - length : -_END.size])
    return footer["crc"], size - length - _END.size


def stamp(folder: str) -> tuple[int, int] | None:
    """Changes with every commit, of any process; None if nothing was committed."""
    try:
        status = os.stat(os.path.join(folder, _META))
    except FileNotFoundError:
        return None
    return status.st_mtime_ns, status.st_ino


def disk_bytes(folder: str) -> int:
    """The space that the folder's files take; 0 without a folder."""
    total = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    total += entry.stat(follow_symlinks=False).st_size
                except FileNotFoundError:
                    continue  # merged meanwhile
    except FileNotFoundError:
        return 0
    return total
