"""Plain files, read as they were listed: all of them or the passages that are candidates."""

from __future__ import annotations

from glossator.files import FileEntry, Listed, Parts, load_unchanged
from glossator.index.candidates import Ranges


def read_parts(entry: FileEntry, ranges: Ranges | None, limit: int) -> Parts | None:
    """All of a listed file of at most `limit` bytes, or some whole lines of it.

    None unless it is as it is listed.
    """
    if ranges is None and entry.size > limit:
        return None
    return load_unchanged(entry.path, listed_stamp(entry), ranges)


def listed_stamp(entry: FileEntry) -> Listed:
    """The stamp of a listed file as far as it is listed, size to inode: all but the device."""
    return entry[2:6]


def with_plain_line_ends(content: bytes) -> bytes:
    """Bytes of a plain file as they are searched."""
    return content.replace(b"\r\n", b"\n") if b"\r" in content else content
