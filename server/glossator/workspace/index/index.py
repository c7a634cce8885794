"""The text index of all roots: which listed files can hold a match.

A listed file has at most one valid document, in a segment or in memory; a file without one is
pending, and a candidate for every query. For the event-loop thread; its views are for any thread.
"""

from __future__ import annotations

import heapq
from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from glossator.workspace.files.cache import is_racy
from glossator.workspace.files.entries import FileEntry, Files, FolderFiles
from glossator.workspace.files.roots import folder_of
from glossator.workspace.index.merge_policy import SegmentFigures
from glossator.workspace.index.placement import (
    PlacedSegment,
    Placement,
    Preparation,
    ValidDocuments,
    stamp_of,
)
from glossator.workspace.index.trigrams import Candidates, Joined, Ranges
from glossator.workspace.status import TextStatistics

if TYPE_CHECKING:  # numpy takes long to import, and an empty index does without
    import numpy as np
    from numpy.typing import NDArray

    from glossator.workspace.index.memory_segment import BlockView, MemorySegment
    from glossator.workspace.index.searchable import Traits
    from glossator.workspace.index.trigrams import Query

_MAX_RACY = 500  # racy files that searches read although they are indexed
_by_time = attrgetter("ctime_ns")


@dataclass(frozen=True, slots=True)
class TextView:
    """The index at one moment; safe from any thread."""

    single: tuple[FileEntry, ...]  # pending files, …
    parts: tuple[ValidDocuments | BlockView, ...] = ()
    folders: Mapping[str, FolderFiles] = field(default_factory=dict)  # … and folders of such
    racy: tuple[FileEntry, ...] = ()  # see `TextIndex.note_racy`

    @property
    def pending(self) -> tuple[FileEntry, ...]:
        """The files without a valid document."""
        return (*self.single, *Files(self.folders).entries)

    def candidates(self, query: Query, masked: Collection[str] = ()) -> Candidates:
        """Every listed file that is pending or may meet `query`.

        Files at the `masked` absolute paths are left out.
        """
        found = [part.candidates(query, masked) for part in self.parts]
        pending = chain(self.single, Files(self.folders).entries)
        others = [entry for entry in pending if entry.path not in masked]
        for part in found:
            others += part.others

        def ranges(entry: FileEntry) -> Ranges | None:
            return next((some for part in found if (some := part.ranges(entry))), None)

        return Candidates(Joined([part.plain for part in found]), others, ranges)

    def knows_plain(self, entry: FileEntry) -> bool:
        """Whether the file has a valid document and is plain text."""
        return any(part.knows_plain(entry) for part in self.parts)

    def unsearchable(self) -> Iterable[FileEntry]:
        """The listed files known to be binary."""
        for part in self.parts:
            yield from part.unsearchable()


@dataclass(frozen=True, slots=True)
class Damage:
    """A segment in which a search found damage; it is searched by reading its files."""

    root: str
    segment: str
    reason: str


class TextIndex:
    """Which listed files are in the index, and which are pending.

    `look_up` gives the entry that is listed at an absolute path. Every change of the listing is
    followed by a call of `changed`.
    """

    def __init__(self, look_up: Callable[[str], FileEntry | None]) -> None:
        self._look_up = look_up
        self._pending: dict[str, FileEntry] = {}
        self._folders: dict[str, FolderFiles] = {}  # that are pending as a whole
        self._placed: dict[str, tuple[PlacedSegment, ...]] = {}  # by root
        self._memory: MemorySegment | None = None
        self._preparation: Preparation | None = None
        self._racy: tuple[FileEntry, ...] = ()
        self._view: TextView | None = None
        self._pending_view: tuple[FileEntry, ...] | None = None

    def changed(self, listed: Files, gone: Collection[str] = ()) -> None:
        """Take in new entries of the listing, and paths `gone` from it."""
        if self._placed or self._memory or self._preparation:
            for entry in listed.entries:
                self._place(entry.path, entry)
            for path in gone:
                self._place(path, None)
            return
        for folder in {*listed.folders, *map(folder_of, gone)}:
            self._single_out(folder)
        for folder, files in listed.folders.items():
            if isinstance(files, FolderFiles):
                self._folders[folder] = files
            else:
                self._pending.update((entry.path, entry) for entry in files)
        for path in gone:
            self._pending.pop(path, None)
        self._view = self._pending_view = None

    def keep(self, entry: FileEntry, keys: NDArray[np.intp], traits: Traits) -> bool:
        """Index a file in memory; `keys` and `traits` were read under the stamp of `entry`.

        Does nothing if another entry is listed now. False when there is no room.
        """
        if self._look_up(entry.path) != entry or stamp_of(entry) is None:
            return True
        if self._memory is None:
            from glossator.workspace.index.memory_segment import MemorySegment  # noqa: PLC0415 - for the reason above

            self._memory = MemorySegment()
        if not self._memory.add(entry, keys, traits):
            return False
        self._place(entry.path, entry)
        return True

    def note_racy(self, entries: Iterable[FileEntry], now: int) -> None:
        """Remember which files were indexed so soon after a change that their stamp is racy.

        Searches read these for a while nevertheless. Of very many, as after a checkout, only the
        newest are remembered.
        """
        known = {each.path: each for each in (*self._racy, *entries)}
        racy = (e for e in known.values() if is_racy(e.mtime_ns, e.ctime_ns, now))
        self._racy = tuple(heapq.nlargest(_MAX_RACY, racy, key=_by_time))
        self._view = None

    def prepare(self, root: str) -> Preparation:
        """Begin to replace the segments of `root`: `place` them in a thread, then `adopt`.

        Only the last preparation can be adopted.
        """
        unplaced = dict(self._pending)
        if self._memory is not None:
            unplaced.update((entry.path, entry) for entry in self._memory.entries())
        views = tuple(segment.freeze() for segment in self._placed.get(root, ()))
        folders = dict(self._folders)
        self._preparation = Preparation(root, views, unplaced, folders, set())
        return self._preparation

    def adopt(self, placement: Placement) -> bool:
        """Use the placed segments; False, without effect, if it is not the last preparation."""
        preparation = placement.preparation
        if preparation is not self._preparation:
            return False
        self._preparation = None
        self._placed[preparation.root] = placement.placed
        self._pending, self._folders = placement.pending, placement.folders
        for path in preparation.touched.union(self._kept_paths()):
            self._place(path, self._look_up(path))
        if self._memory is not None and not self._memory:
            self._memory = None  # and its memory
        self._view = self._pending_view = None
        return True

    def pending(self) -> Mapping[str, FileEntry]:
        """The listed files without a valid document, by absolute path.

        A live view, until segments are adopted.
        """
        folders: Any = Files(self._folders)  # typed as if ChainMap put something into it
        return MappingProxyType(ChainMap(self._pending, folders))

    def kept(self) -> list[FileEntry]:
        """The files that are indexed in memory only."""
        return [] if self._memory is None else self._memory.entries()

    def figures(self, root: str) -> tuple[SegmentFigures, ...]:
        """The segments of `root`: their documents, and how many are valid."""
        return tuple(
            SegmentFigures(placed.segment.name, placed.segment.documents, len(placed))
            for placed in self._placed.get(root, ())
        )

    def damage(self) -> tuple[Damage, ...]:
        """The segments found to be damaged since they were adopted."""
        return tuple(
            Damage(root, placed.segment.name, placed.segment.damage)
            for root, segments in self._placed.items()
            for placed in segments
            if placed.segment.damage is not None
        )

    def freeze(self) -> TextView:
        """The index as it is now; the same object until something changes."""
        if self._pending_view is None:
            self._pending_view = tuple(self._pending.values())
        if self._view is None:
            kept = () if self._memory is None else self._memory.freeze()
            placed = (segment.freeze() for segment in self._segments())
            self._view = TextView(
                self._pending_view, (*placed, *kept), dict(self._folders), self._racy
            )
        return self._view

    def statistics(self) -> TextStatistics:
        """Figures for the user and for logs."""
        segments = list(self._segments())
        kept = 0 if self._memory is None else self._memory.memory_bytes
        return TextStatistics(
            len(segments),
            sum(map(len, segments)),
            len(self._pending) + len(Files(self._folders)),
            len(self._kept_paths()),
            sum(placed.segment.bytes for placed in segments),
            sum(placed.memory_bytes for placed in segments) + kept,
        )

    def _place(self, path: str, unplaced: FileEntry | None) -> None:
        """Find the valid document for `unplaced`, the entry that is listed at `path` now."""
        self._single_out(folder_of(path))
        for segment in self._segments():
            if segment.place(path, unplaced):
                unplaced = None
        if self._memory is not None and (kept := self._memory.get(path)) is not None:
            if kept == unplaced:
                unplaced = None
            else:
                self._memory.remove(path)
        if self._pending.get(path) is not unplaced:
            self._pending_view = None
            if unplaced is None:
                del self._pending[path]
            else:
                self._pending[path] = unplaced
        self._view = None
        if self._preparation is not None:
            self._preparation.touched.add(path)

    def _single_out(self, folder: str) -> None:
        """List the files of a folder that is pending as a whole one by one."""
        if files := self._folders.pop(folder, None):
            self._pending.update((entry.path, entry) for entry in files)
            self._pending_view = None

    def _segments(self) -> Iterator[PlacedSegment]:
        for segments in self._placed.values():
            yield from segments

    def _kept_paths(self) -> list[str]:
        return [entry.path for entry in self.kept()]
