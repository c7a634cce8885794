"""Folders as a walk listed them, and the file that keeps those of one root: `folders.z`.

The first line names the format and carries a checksum of the rest: lines of JSON, compressed. The
first of these names the roots and the user, each other one holds some folders. Only the writer of
the root writes the file, in one step.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:  # the worker does without
    from glossator.workspace.files.ignore import IgnoreRules

Stamp: TypeAlias = tuple[int, int, int]  # of a folder: inode, mtime and ctime in ns
BETWEEN = "/"  # names in one text, which takes less memory and time; no name holds it
NAME = "folders.z"
_MAGIC = b"glossator folders 1 "
_HEAD_BYTES = len(_MAGIC) + 9
_TOGETHER = 256  # folders in a line, about 1 ms of work
_MAX_TEXT = 64 << 20  # bytes before compression; where it is more, nothing is remembered
_LEVEL = 1  # of compression: the others save little more and take long


class ListedFolder(NamedTuple):
    """A folder as it was listed; `files` and `folders` as `joined`, links among the files.

    `rules`: the fingerprint of those by which names were left out; `left_out`: name -> rule.
    """

    inode: int
    mtime_ns: int
    ctime_ns: int
    rules: str
    files: str
    folders: str
    left_out: dict[str, str]

    @property
    def names(self) -> set[str]:
        """All names in the folder."""
        return {*divided(self.files), *divided(self.folders), *self.left_out}


class Memory:
    """What a walk knows and keeps of folders; this one keeps nothing. For one thread at a time."""

    def recall(self, _folder: str, _rules: IgnoreRules, /) -> ListedFolder | None:
        """What the folder holds now, if that is known."""
        return None

    def stamp(self, _folder: str, /) -> Stamp | None:
        """Of a folder that is about to be listed; None: it will not be remembered."""
        return None

    def keep(self, _folder: str, _known: ListedFolder, /) -> None:
        """A folder that had the stamp was listed."""


def joined(names: Iterable[str]) -> str:
    """Names of entries as one text."""
    return BETWEEN.join(sorted(names))


def divided(names: str) -> list[str]:
    """The names that `joined` made one text of."""
    return names.split(BETWEEN) if names else []


class CorruptFolders(Exception):
    """A file that cannot be used; the message says why."""


class Folders(NamedTuple):
    """What is remembered of folders, by absolute path; of use for the same roots only."""

    roots: tuple[str, ...]
    known: Mapping[str, ListedFolder]


class FolderFile:
    """The content for the root `top` of a workspace with certain `roots`, in the making."""

    def __init__(self, top: str, roots: Sequence[str]) -> None:
        self._begin = len(os.path.join(top, ""))
        self._compressor = zlib.compressobj(_LEVEL)
        self._parts: list[bytes] = []
        self._text_bytes = 0
        self._some: list[tuple[object, ...]] = []
        self._put({"roots": roots, "user": _user()})

    def add(self, folder: str, known: ListedFolder) -> None:
        """Put a folder in."""
        self._some.append((folder[self._begin :], *known))
        if len(self._some) == _TOGETHER:
            self._put(self._some)
            self._some = []

    def content(self) -> bytes | None:
        """All of it, once; None if it is too much."""
        self._put(self._some)
        if self._text_bytes > _MAX_TEXT:
            return None
        body = b"".join((*self._parts, self._compressor.flush()))
        return _head(body) + body

    def _put(self, value: object) -> None:
        if self._text_bytes <= _MAX_TEXT:
            line = json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"
            self._parts.append(self._compressor.compress(line))
            self._text_bytes += len(line)


def read_folders(folder: Path, top: str) -> Folders:
    """What the file in `folder` says of the root `top`. Raises `CorruptFolders`."""
    lines = _lines(read_checked(folder))
    conditions = next(lines, None)
    if conditions is None or conditions["user"] != _user():
        return Folders((), {})
    below = os.path.join(top, "")
    known = {
        below + name if name else top: ListedFolder._make(facts)
        for some in lines
        for name, *facts in some
    }
    return Folders(tuple(conditions["roots"]), known)


def read_checked(folder: Path) -> bytes:
    """The file in `folder` as it is, b"" without one. Raises `CorruptFolders`."""
    try:
        with open(folder / NAME, "rb") as file:
            content = file.read(_MAX_TEXT)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise CorruptFolders(f"{NAME} cannot be read ({error.strerror})") from error
    if not content.startswith(_head(content[_HEAD_BYTES:])):
        raise CorruptFolders(f"{NAME} is cut short or damaged, or of another version")
    return content


def _head(body: bytes) -> bytes:
    return _MAGIC + b"%08x\n" % zlib.crc32(body)


def _user() -> int | None:
    """Who listed the folders: another user may read other ones."""
    return os.geteuid() if hasattr(os, "geteuid") else None


def _lines(content: bytes) -> Iterator[Any]:
    """What the lines say; the checksum proves that we wrote them."""
    text = zlib.decompress(content[_HEAD_BYTES:]) if content else b""
    return map(json.loads, text.splitlines())
