"""The listed files by name, newest first: one pass of RE2 over all paths joined.

Paths with the same ending lie together, and those of a folder within them, so that what a pattern
matches is a few runs of neighbours. A table serves many listings: what changed since it was made
is tested path by path.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
import re2
from numpy.typing import NDArray

from glossator.core.glob import compile_glob, compile_listed
from glossator.workspace.files.entries import TIMES, FileEntry, relative_paths

Folders = Mapping[str, Sequence[FileEntry]]  # the files of each directory

_by_time = attrgetter("mtime_ns")
_PATHS_A_STEP = 20_000  # paths that exist twice in memory for a moment
_MAX_SINGLE = 2_000  # files tested one by one; more are worth a new table


@dataclass(frozen=True, slots=True)
class Paths:
    """All files: a table, the files in it that are no longer listed, and those that it lacks."""

    table: PathTable
    stale: tuple[FileEntry, ...] = ()
    fresh: tuple[FileEntry, ...] = ()

    @staticmethod
    def of(
        folders: Folders, files: Callable[[], tuple[FileEntry, ...]], earlier: PathTable | None
    ) -> Paths:
        """Make it of the listed files, with an earlier table if most files are the same."""
        if earlier is not None:
            stale = tuple(_missing(earlier.folders, folders))
            fresh = tuple(_missing(folders, earlier.folders))
            if len(stale) + len(fresh) <= max(_MAX_SINGLE, len(earlier) // 64):
                return Paths(earlier, stale, fresh)
        return Paths(PathTable(folders, files()))

    def newest(
        self, pattern: str, under: str, limit: int, also: Iterable[FileEntry] = ()
    ) -> tuple[list[FileEntry], int]:
        """The `limit` newest files whose path begins with `under` and matches, and their number.

        `under` is what relative paths begin with ("" or a folder and a "/"); the pattern is about
        the rest. `also` are files that are not listed. Raises `UsageError` for a malformed pattern.
        """
        matches = compile_glob(pattern)

        def matching(entries: Iterable[FileEntry]) -> list[FileEntry]:
            relatives = ((entry, entry.relative) for entry in entries)
            return [
                entry
                for entry, path in relatives
                if path.startswith(under) and matches(path[len(under) :])
            ]

        stale = set(matching(self.stale))
        single = matching(self.fresh) + matching(also)
        newest, count = self.table.newest(pattern, under, limit + len(stale))
        both = [entry for entry in newest if entry not in stale] + single
        return heapq.nsmallest(limit, both, key=_order), count - len(stale) + len(single)

    def fitting(
        self, runs: re2.Pattern[bytes], limit: int, also: Iterable[FileEntry] = ()
    ) -> list[FileEntry]:
        """The `limit` files changed last whose path is in a run, in any order.

        `runs` finds runs of paths as an expression of `compile_listed` does.
        """

        def matching(entries: Iterable[FileEntry]) -> list[FileEntry]:
            return [entry for entry in entries if runs.fullmatch(_joined([entry.relative]))]

        stale = set(matching(self.stale))
        newest = self.table.fitting(runs, limit + len(stale))
        both = [entry for entry in newest if entry not in stale] if stale else newest
        both += matching(self.fresh) + matching(also)
        return both if len(both) <= limit else heapq.nsmallest(limit, both, key=_order)


class PathTable:
    """The paths of `files`, which are sorted by path and lie in `folders`."""

    def __init__(self, folders: Folders, files: tuple[FileEntry, ...]) -> None:
        self.folders = folders
        self._files = files
        self._times = _times(files)
        self._text, self._order = _grouped(files)  # order: row -> file
        self._begins = _nul_positions(self._text)  # of each row, and the end

    def __len__(self) -> int:
        return len(self._files)

    def newest(self, pattern: str, under: str, limit: int) -> tuple[list[FileEntry], int]:
        """The `limit` matching files changed last, in any order, and how many match."""
        runs, as_matched = compile_listed(pattern, under)
        chosen = self._rows(runs)
        if not as_matched:
            chosen = self._rows(compile_listed("**", under)[0]) & ~chosen
        return self._newest(chosen, limit)

    def fitting(self, runs: re2.Pattern[bytes], limit: int) -> list[FileEntry]:
        """The `limit` files changed last whose path lies in a run, in any order."""
        return self._newest(self._rows(runs), limit)[0]

    def _newest(self, chosen: NDArray[np.bool_], limit: int) -> tuple[list[FileEntry], int]:
        numbers = self._order[np.flatnonzero(chosen)]
        count = len(numbers)
        if count > limit:
            times = self._times[numbers]
            oldest = np.partition(times, count - limit)[count - limit]
            newer, level = numbers[times > oldest], numbers[times == oldest]
            wanted = limit - len(newer)
            numbers = np.concatenate([newer, np.partition(level, wanted - 1)[:wanted]])
        return [self._files[number] for number in numbers.tolist()], count

    def _rows(self, runs: re2.Pattern[bytes]) -> NDArray[np.bool_]:
        """Which rows lie in a run that the expression finds."""
        spans = [match.span() for match in runs.finditer(self._text)]
        steps = np.zeros(len(self._begins), np.int8)
        if spans:
            edges = np.searchsorted(self._begins, np.array(spans) - (0, 1))
            steps[edges[:, 0]] = 1
            steps[edges[:, 1]] = -1  # no other run begins there: it would be part of this one
        return np.cumsum(steps[:-1], dtype=np.int8).view(np.bool_)


def _times(files: Sequence[FileEntry]) -> NDArray[np.int64]:
    """When each was changed last; a time that is too far off becomes the farthest possible."""
    try:
        return np.fromiter(map(_by_time, files), np.int64, len(files))
    except OverflowError:
        first, last = TIMES[0], TIMES[-1]
        nearest = (min(max(first, file.mtime_ns), last) for file in files)
        return np.fromiter(nearest, np.int64, len(files))


def _missing(folders: Folders, others: Folders) -> Iterator[FileEntry]:
    """The files in `folders` that `others` lacks or has in another state."""
    for folder, files in folders.items():
        there = others.get(folder, ())
        if there is not files:
            same = set(map(id, there))
            yield from (entry for entry in files if id(entry) not in same)


def _order(entry: FileEntry) -> tuple[int, str]:
    return -entry.mtime_ns, entry.relative


def _grouped(files: Sequence[FileEntry]) -> tuple[bytes, NDArray[np.intp]]:
    """The joined paths by their endings, and the number of the file in each row."""
    texts: defaultdict[int, list[bytes]] = defaultdict(list)
    numbers: defaultdict[int, list[NDArray[np.intp]]] = defaultdict(list)
    for at in range(0, len(files), _PATHS_A_STEP):
        paths = relative_paths(files[at : at + _PATHS_A_STEP])
        endings = _endings(_joined(paths))
        order = np.argsort(endings, kind="stable")
        for alike in np.split(order, np.flatnonzero(np.diff(endings[order])) + 1):
            ending = int(endings[alike[0]])
            texts[ending].append(_joined([paths[number] for number in alike.tolist()])[:-1])
            numbers[ending].append(alike + at)
    text = b"".join([part for parts in texts.values() for part in parts])
    rows = [part for parts in numbers.values() for part in parts]
    return text + b"\0", np.concatenate(rows) if rows else np.empty(0, np.intp)


def _joined(paths: list[str]) -> bytes:
    """The paths, a NUL before each and at the end."""
    return "\0".join(["", *paths, ""]).encode("utf-8", "replace")  # not all are Unicode


def _nul_positions(text: bytes) -> NDArray[np.intp]:
    return np.flatnonzero(np.frombuffer(text, np.uint8) == 0)


def _endings(text: bytes) -> NDArray[np.uint16]:
    """The last two bytes of each path: enough to bring most extensions together."""
    codes = np.frombuffer(text, np.uint8)
    ends = _nul_positions(text)[1:]
    return (codes[ends - 1] + (codes[ends - 2].astype(np.uint16) << 8)).astype(np.uint16)
