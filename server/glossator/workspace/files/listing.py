"""The file index: every listed file by directory, frozen for readers.

The files of a directory are replaced as a whole when one of them changes, and shared by the index
and all listings: freezing costs a pointer a directory, and a million files no second dictionary.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING

from glossator.workspace.files.entries import FileEntry, Files, FolderFiles, find
from glossator.workspace.files.roots import Roots, folder_of, is_inside
from glossator.workspace.files.walk import LINK_BROKEN, LINK_OUT, LINK_TO_FOLDER, Found
from glossator.workspace.status import Skipped

if TYPE_CHECKING:
    from glossator.workspace.files.path_table import Paths, PathTable

_MAX_SORTED = 30_000  # files, sorted in 5 ms, in which no other thread gets its turn
_LINKS = frozenset({LINK_BROKEN, LINK_OUT, LINK_TO_FOLDER})
_by_path = attrgetter("path")
_by_relative = attrgetter("relative")
_first = itemgetter(0)


@dataclass(frozen=True)
class Listing:
    """The index at one moment."""

    folders: Mapping[str, Sequence[FileEntry]]  # by directory, the files sorted by path
    skipped: Mapping[str, str]  # path -> rule
    earlier: PathTable | None = None  # the paths at an earlier moment

    def __len__(self) -> int:
        return self._count

    @cached_property
    def files(self) -> tuple[FileEntry, ...]:
        """All files, sorted by relative path."""
        few = len(self) <= _MAX_SORTED
        return tuple((_sorted if few else _in_order)(self.folders.values()))

    @cached_property
    def total_bytes(self) -> int:
        """What all files hold together."""
        return Files(self.folders).total_bytes

    @cached_property
    def paths(self) -> Paths:
        """The files by name, newest first."""
        from glossator.workspace.files.path_table import Paths  # noqa: PLC0415 - numpy takes long to import

        return Paths.of(self.folders, lambda: self.files, self.earlier)

    def leaving_out(self, skipped: Mapping[str, str]) -> Listing:
        """The listing with further paths that are left out."""
        return Listing(self.folders, skipped, self.last_paths)

    @property
    def last_paths(self) -> PathTable | None:
        """The current paths if they were needed, or those of an earlier moment."""
        paths = self.__dict__.get("paths")
        return self.earlier if paths is None else paths.table

    @property
    def dead_ends(self) -> list[str]:
        """The links that no rule leaves out, but that lead to no file of the workspace."""
        return [path for path, reason in self.skipped.items() if reason in _LINKS]

    def get(self, path: str) -> FileEntry | None:
        """The file listed at the absolute path `path`."""
        return find(self.folders, path)

    def summarise_skipped(self, roots: Roots, within: str | None = None) -> tuple[Skipped, ...]:
        """What was left out, at or below `within` if given, by rule, most first.

        The examples are workspace-relative.
        """
        skipped = self.skipped
        if within is not None:
            skipped = {path: rule for path, rule in skipped.items() if is_inside(path, within)}
        counts = Counter(skipped.values())
        examples: dict[str, str] = {}
        for path, rule in skipped.items():
            examples.setdefault(rule, path)
        return tuple(
            Skipped(rule, count, roots.relative(examples[rule]))
            for rule, count in counts.most_common()
        )

    def left_out(self, path: str) -> str | None:
        """The rule or reason that leaves out the absolute path or a folder above it, if any."""
        above = path
        while (rule := self.skipped.get(above)) is None and (higher := folder_of(above)) != above:
            above = higher
        return rule

    @cached_property
    def _count(self) -> int:
        return sum(map(len, self.folders.values()))


class FileIndex:
    """Files and skipped paths by absolute path; only the host changes it, any thread reads it."""

    def __init__(self) -> None:
        self._folders: dict[str, Sequence[FileEntry]] = {}
        self._skipped: dict[str, str] = {}
        self._above: set[str] = set()  # all directories with a known path below, ever
        self._last = Listing({}, {})
        self._listing: Listing | None = self._last  # None: something changed

    def __len__(self) -> int:
        return sum(map(len, tuple(self._folders.values())))

    def __contains__(self, path: object) -> bool:
        return path in Files(self._folders)

    def __iter__(self) -> Iterator[str]:
        return iter(Files(self._folders.copy()))

    @property
    def skipped(self) -> Mapping[str, str]:
        """The paths left out, with the rule; never changed, but replaced."""
        return self._skipped

    def get(self, path: str) -> FileEntry | None:
        """The file listed at the absolute path `path`."""
        return find(self._folders, path)

    def folders(self) -> tuple[tuple[str, Sequence[FileEntry]], ...]:
        """The listed files by directory, those of one sorted by path."""
        return tuple(self._folders.items())

    def within(self, folder: str) -> Sequence[FileEntry]:
        """The files of one of the `folders`; none if it is not among them."""
        return self._folders.get(folder, ())

    def holds_folder(self, path: str) -> bool:
        """Whether anything at or below the directory `path` may be known."""
        return path in self._above

    def knows(self, path: str) -> bool:
        """Whether anything at or below `path` may be listed or left out."""
        return path in self._above or path in self or path in self._skipped

    def add(self, found: Found) -> Files:
        """Take in what was found; returns the files that are new or changed."""
        new: dict[str, Sequence[FileEntry]] = {}
        for folder, files in found.folders.items():
            known = self._folders.get(folder)
            if known is None:
                made = files if isinstance(files, FolderFiles) else tuple(files)
                self._folders[folder] = new[folder] = made
                self._note(folder)
                continue
            merged = list(known)
            if changed := [entry for entry in files if _put(merged, entry)]:
                new[folder] = changed
                self._folders[folder] = tuple(merged)
        if found.skipped:
            self._skipped = self._skipped | found.skipped
            for path in found.skipped:
                self._note(os.path.dirname(path))
        if new or found.skipped:
            self._listing = None
        return Files(new)

    def remove(self, gone: Iterable[str], lifted: Iterable[str]) -> set[str]:
        """Drop files, and skipped paths that are `lifted`; returns the files that were listed."""
        removed = {path for path in gone if path in self}
        for folder in set(map(folder_of, removed)):
            kept = tuple(entry for entry in self._folders[folder] if entry.path not in removed)
            if kept:
                self._folders[folder] = kept
            else:
                del self._folders[folder]
        if known := self._skipped.keys() & set(lifted):
            self._skipped = {path: why for path, why in self._skipped.items() if path not in known}
        if removed or known:
            self._listing = None
        return removed

    def replace(self, path: str, found: Found) -> set[str]:
        """Make `found` all there is at and below `path`; returns the paths that changed."""
        now = {entry.path for entry in found.files}
        if path in self._above:
            gone = {known for known in self if is_inside(known, path)} - now
            lifted = {known for known in self._skipped if is_inside(known, path)}
        else:
            gone, lifted = {path} - now, {path}
        removed = self.remove(gone, lifted)
        return removed.union(self.add(found))

    def freeze(self) -> Listing:
        """The listing now; the same object until something changes."""
        if self._listing is None:
            earlier = self._last.last_paths
            self._last = self._listing = Listing(dict(self._folders), self._skipped, earlier)
        return self._listing

    def _note(self, folder: str) -> None:
        while folder not in self._above:
            self._above.add(folder)
            folder = folder_of(folder)


def _put(files: list[FileEntry], entry: FileEntry) -> bool:
    """Put an entry in its place among `files`; whether that changed anything."""
    if not files or files[-1].path < entry.path:
        files.append(entry)
        return True
    at = bisect_left(files, entry.path, key=_by_path)
    if files[at].path != entry.path:
        files.insert(at, entry)
        return True
    if files[at] == entry:
        return False
    files[at] = entry
    return True


def _sorted(folders: Collection[Sequence[FileEntry]]) -> list[FileEntry]:
    """The files of all directories by relative path."""
    files = sorted(chain.from_iterable(folders), key=_by_path)
    begins = {inside[0].shown for inside in folders}
    begin = begins.pop() if len(begins) == 1 else None
    if isinstance(begin, int) and files[0].path[:begin] == files[-1].path[:begin]:
        return files  # all paths begin alike
    return sorted(files, key=_by_relative)


def _in_order(folders: Iterable[Sequence[FileEntry]]) -> list[FileEntry]:
    """The files of all directories by relative path, without sorting them again.

    A directory's files come before and between those of the directories in it.
    """
    ordered: list[FileEntry] = []
    unfinished: list[tuple[str, Sequence[FileEntry], int]] = []  # each within the one before
    for prefix, files in sorted(((_shown_folder(files), files) for files in folders), key=_first):
        while unfinished and not prefix.startswith(unfinished[-1][0]):
            _, rest, at = unfinished.pop()
            ordered += rest[at:]
        if unfinished:
            above, rest, at = unfinished.pop()
            inner = files[0].path
            before = bisect_left(rest, inner[: inner.rfind(os.sep) + 1], at, key=_by_path)
            ordered += rest[at:before]
            unfinished.append((above, rest, before))
        unfinished.append((prefix, files, 0))
    for _, rest, at in reversed(unfinished):
        ordered += rest[at:]
    return ordered


def _shown_folder(files: Sequence[FileEntry]) -> str:
    """The beginning of the relative paths of a directory's files: "" or a path and "/"."""
    relative = files[0].relative
    return relative[: relative.rfind("/") + 1]
