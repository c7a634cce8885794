"""What is known of listed files, one by one, by directory and by path.

An index or a cache that knows a file by its stamp takes it for unchanged as long as the stamp is
the same. git calls a file *racy* that changed so recently that it may change again under the same
stamp.
"""

from __future__ import annotations

import os
import struct
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from operator import attrgetter
from threading import Lock
from typing import Final, NamedTuple, Self, overload

from glossator.workspace.files.roots import folder_of

STAMP: Final = struct.Struct("<qqqQ")  # size, mtime_ns, ctime_ns, inode
TIMES: Final = range(-(1 << 63), 1 << 63)  # what a stamp can hold: up to the year 2262
BETWEEN: Final = "/"  # names in one text, which takes less memory and time; no name holds it
RACY_NS: Final = 2_000_000_000  # there are file systems with times in whole seconds


def ripe_at(mtime_ns: int, ctime_ns: int) -> int:
    """When a file with these times is no longer racy, in ns since 1970.

    A time in the future, from another machine's clock, is waited for.
    """
    return (ctime_ns or mtime_ns) + RACY_NS


_by_path = attrgetter("path")
_by_shown = attrgetter("shown")
_by_size = attrgetter("size")
_new_tuple = tuple.__new__
_sizes = slice(None, None, STAMP.size // 8)  # in stamps, each of which is four numbers
_publishing = Lock()


class _Fields(NamedTuple):
    path: str  # absolute
    shown: int | str  # where in `path` the relative path begins, or that path if it is no part
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    is_link: bool


class FileEntry(_Fields):
    """A listed file: absolute and workspace-relative path, size in bytes, times in ns.

    What a link leads to may change without an event for the link itself; `is_link` tells.
    A tuple, because there may be a million; `relative` may be given as its place in `path`.
    """

    __slots__ = ()

    def __new__(
        cls,
        path: str,
        relative: int | str,
        size: int,
        mtime_ns: int,
        ctime_ns: int = 0,
        inode: int = 0,
        is_link: bool = False,
    ) -> Self:
        """Keep `relative` as a part of `path` where it is one."""
        if isinstance(relative, str) and path.endswith(relative):
            relative = len(path) - len(relative)
        return super().__new__(cls, path, relative, size, mtime_ns, ctime_ns, inode, is_link)

    @property
    def relative(self) -> str:
        """The path as shown to the model and the user, with "/" between its parts."""
        shown = self.shown
        return self.path[shown:] if isinstance(shown, int) else shown


def relative_paths(files: Sequence[FileEntry]) -> list[str]:
    """The relative path of each file, faster than one by one."""
    begins = set(map(_by_shown, files))
    begin = begins.pop() if len(begins) == 1 else None
    if isinstance(begin, int):
        return [path[begin:] for path in map(_by_path, files)]
    return [entry.relative for entry in files]


def new_entry(
    path: str,
    shown: int | str,
    size: int,
    mtime_ns: int,
    ctime_ns: int,
    inode: int,
    is_link: bool = False,
) -> FileEntry:
    """Make an entry with these fields unchanged, faster than its constructor."""
    if ctime_ns == mtime_ns:
        ctime_ns = mtime_ns  # as mostly: one number in memory
    return _new_tuple(FileEntry, (path, shown, size, mtime_ns, ctime_ns, inode, is_link))


def joined(names: Iterable[str]) -> str:
    """Join names of entries to one text."""
    return BETWEEN.join(sorted(names))


def divided(names: str) -> list[str]:
    """Split the text that `joined` made into names."""
    return names.split(BETWEEN) if names else []


class FolderFiles(Sequence[FileEntry]):
    """The files of a directory, sorted by path, none of them a link.

    Their entries are made, all at once, when the first one is needed: a start lists every file,
    and few are needed soon, or ever. Until then a file takes only its name and its stamp.
    """

    __slots__ = ("_begin", "_entries", "_names", "inside", "stamps")

    def __init__(self, inside: str, begin: int, names: str, stamps: bytes) -> None:
        """`inside` begins every path; the relative path begins at the character `begin` of it.

        `names` are joined by `joined`, `stamps` hold a `STAMP` for each file.
        """
        self.inside = inside
        self.stamps = stamps
        self._names = names
        self._begin = begin
        self._entries: tuple[FileEntry, ...] | None = None

    def __len__(self) -> int:
        return len(self.stamps) // STAMP.size

    @overload
    def __getitem__(self, at: int) -> FileEntry: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[FileEntry, ...]: ...
    def __getitem__(self, at: int | slice) -> FileEntry | tuple[FileEntry, ...]:
        return self._made()[at]

    def __iter__(self) -> Iterator[FileEntry]:
        return iter(self._made())

    def place(self, path: str) -> int | None:
        """Like `place_of`, but makes no entries."""
        if self._entries is not None:
            return place_of(path, self._entries)
        names, name = divided(self._names), path[len(self.inside) :]
        at = bisect_left(names, name)
        return at if at < len(names) and names[at] == name else None

    def paths(self) -> Iterator[str]:
        """Like `paths_of`, but makes no entries."""
        return map(self.inside.__add__, divided(self._names))

    def are(self, files: Sequence[FileEntry]) -> bool:
        """Whether these are the files, without making entries."""
        return len(files) == len(self) and all(
            each[2:] == (*stamp, False) and each.path == self.inside + name
            for each, (name, stamp) in zip(files, self._facts(), strict=True)
        )

    def paths_from(self, begin: int) -> bytes:
        """The rest of each path from the character `begin` of the directory's on, and a NUL."""
        inside = self.inside[begin:]
        return os.fsencode(inside + self._names.replace(BETWEEN, "\0" + inside) + "\0")

    def _facts(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        return zip(divided(self._names), STAMP.iter_unpack(self.stamps), strict=True)

    def _made(self) -> tuple[FileEntry, ...]:
        if self._entries is None:
            made = tuple(self._make())
            with _publishing:  # callers compare by identity
                if self._entries is None:
                    self._entries = made
        return self._entries

    def _make(self) -> Iterator[FileEntry]:
        for name, (size, mtime_ns, ctime_ns, inode) in self._facts():
            yield new_entry(self.inside + name, self._begin, size, mtime_ns, ctime_ns, inode)


def are_same(known: Sequence[FileEntry], files: Sequence[FileEntry]) -> bool:
    """Whether two looks at a directory found the same, without making entries of known files."""
    return known.are(files) if isinstance(known, FolderFiles) else known == tuple(files)


def paths_of(files: Sequence[FileEntry]) -> Iterator[str]:
    """The paths of the files of a directory."""
    return files.paths() if isinstance(files, FolderFiles) else map(_by_path, files)


def place_of(path: str, files: Sequence[FileEntry]) -> int | None:
    """Where the file with this path is among those of its directory."""
    if isinstance(files, FolderFiles):
        return files.place(path)
    at = bisect_left(files, path, key=_by_path)
    return at if at < len(files) and files[at].path == path else None


def find(folders: Mapping[str, Sequence[FileEntry]], path: str) -> FileEntry | None:
    """The file with this absolute path, among files by directory."""
    files = folders.get(folder_of(path), ())
    at = place_of(path, files)
    return None if at is None else files[at]


class Files(Mapping[str, FileEntry]):
    """Listed files by absolute path, as they lie in their `folders`, each sorted by path."""

    def __init__(self, folders: Mapping[str, Sequence[FileEntry]]) -> None:
        self.folders = folders

    @classmethod
    def of(cls, entries: Iterable[FileEntry]) -> Self:
        """Make it of files in any order; of several with one path the last counts."""
        by_path = {entry.path: entry for entry in entries}
        folders: defaultdict[str, list[FileEntry]] = defaultdict(list)
        for path in sorted(by_path):
            folders[folder_of(path)].append(by_path[path])
        return cls(dict(folders))

    def __len__(self) -> int:
        return sum(map(len, self.folders.values()))

    def __getitem__(self, path: str) -> FileEntry:
        entry = find(self.folders, path)
        if entry is None:
            raise KeyError(path)
        return entry

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str):
            return False
        return place_of(path, self.folders.get(folder_of(path), ())) is not None

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(map(paths_of, self.folders.values()))

    @property
    def entries(self) -> Iterator[FileEntry]:
        """All files."""
        return chain.from_iterable(self.folders.values())

    @property
    def total_bytes(self) -> int:
        """The size of all files together."""
        stamps: list[bytes] = []
        total = 0
        for files in self.folders.values():
            if isinstance(files, FolderFiles):
                stamps.append(files.stamps)
            else:
                total += sum(map(_by_size, files))
        return total + sum(memoryview(b"".join(stamps)).cast("q")[_sizes])


class PathSet(AbstractSet[str]):
    """The paths of some files and more paths, without making a set of so many."""

    def __init__(self, files: Files, others: Collection[str]) -> None:
        self._files = files
        self._others = frozenset(others)

    def __contains__(self, path: object) -> bool:
        return path in self._others or path in self._files

    def __iter__(self) -> Iterator[str]:
        yield from self._others
        yield from (path for path in self._files if path not in self._others)

    def __len__(self) -> int:
        return len(self._files) + sum(path not in self._files for path in self._others)

    def __bool__(self) -> bool:
        return bool(self._files.folders or self._others)

    @classmethod
    def _from_iterable(cls, paths: Iterable[str]) -> frozenset[str]:  # type: ignore[override]
        """Give a plain set for set operations."""
        return frozenset(paths)
