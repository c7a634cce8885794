"""The text of a file that is searched, and what the index stores of it beside its trigrams.

A file's bytes become text that can be searched, for the index and the scan alike.
"""

from __future__ import annotations

from enum import IntFlag
from typing import NamedTuple

from glossator.core.encoding import decode
from glossator.workspace.files.disk import Listed, Parts, load_unchanged
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.index.trigrams import Ranges

_FOLD_TO_ASCII = ("\N{KELVIN SIGN}".encode(), "\N{LATIN SMALL LETTER LONG S}".encode())


class Searchable(NamedTuple):
    """UTF-8 text whose lines end in LF; a LF at its end opens no further line.

    `plain`: the file is UTF-8 without a mark, NUL and lone CR; ripgrep with `--crlf` sees the same
    lines and characters in it. `encoding` is as `core.encoding` names it.
    """

    text: bytes
    plain: bool
    encoding: str = "utf-8"

    @property
    def exotic(self) -> bool:
        """Whether it holds a character outside ASCII that equals an ASCII letter without case."""
        return not self.text.isascii() and any(each in self.text for each in _FOLD_TO_ASCII)


def searchable(raw: bytes, known: str = "") -> Searchable | None:
    """The text of a file's bytes; None when they are binary.

    `known` is the encoding that is declared for the file.
    """
    text, plain, encoding = raw, b"\0" not in raw, "utf-8"
    if not (plain and raw.isascii()):  # most files need no decoding
        decoded = decode(raw, known)
        if decoded is None:
            return None
        characters, encoding = decoded
        if encoding != "utf-8":
            text, plain = characters.encode("utf-8", "surrogatepass"), False
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
        plain = plain and b"\r" not in text
        text = text.replace(b"\r", b"\n")
    return Searchable(text, plain, encoding)


def version_of(size: int, mtime_ns: int, ctime_ns: int, inode: int) -> str:
    """A file's stamp as the version of an `Item`."""
    return f"{size} {mtime_ns} {ctime_ns} {inode}"


class Traits(IntFlag):
    """What the index stores of a file beside its trigrams; see `Searchable`."""

    NONE = 0
    PLAIN = 1
    EXOTIC = 2
    BINARY = 4


def traits(found: Searchable | None) -> Traits:
    """The traits of a file, from the result of `searchable`."""
    if found is None:
        return Traits.BINARY
    plain = Traits.PLAIN if found.plain else Traits.NONE
    return plain | (Traits.EXOTIC if found.exotic else Traits.NONE)


def read_parts(entry: FileEntry, ranges: Ranges | None, limit: int) -> Parts | None:
    """All of a listed file of at most `limit` bytes, or some whole lines of it.

    None if the file is no longer as it was listed.
    """
    if ranges is None and entry.size > limit:
        return None
    return load_unchanged(entry.path, listed_stamp(entry), ranges)


def listed_stamp(entry: FileEntry) -> Listed:
    """The stamp of a listed file, size to inode; the listing has no device."""
    return entry[2:6]


def with_plain_line_ends(content: bytes) -> bytes:
    """Bytes of a plain file as they are searched."""
    return content.replace(b"\r\n", b"\n") if b"\r" in content else content
