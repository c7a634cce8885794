"""Which documents of a root's segments are valid, found in a thread.

A document is valid when its stamp is that of the file now listed at its path. So nothing has to be
invalidated, and a file that comes back unchanged is valid again.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from pyroaring import BitMap

from glossator.workspace.entries import FileEntry
from glossator.workspace.text.candidates import Candidates, Ranges

if TYPE_CHECKING:  # it imports numpy, which an index without segments does without
    from glossator.workspace.text.required import Query
    from glossator.workspace.text.segment import Segment, Stamp

_stamp: Callable[[FileEntry], Stamp] = itemgetter(slice(2, 6))  # size to inode
_NONE = FileEntry("", "", 0, 0)  # of documents that never were valid; never looked at


def stamp_of(entry: FileEntry) -> Stamp | None:
    """What a document's stamp must be for this entry; None: its document is never valid.

    What a link leads to may change without a change of the listing.
    """
    return None if entry.is_link else _stamp(entry)


@dataclass(frozen=True, slots=True)
class PlacedView:
    """The valid documents of a segment at one moment; safe from any thread."""

    segment: Segment
    entries: Sequence[FileEntry]  # by document, of those that are or were valid
    live: BitMap
    numbers: Mapping[str, int]  # of the documents, by absolute path

    def candidates(self, query: Query, masked: Iterable[str] = ()) -> Candidates:
        """The files in which a match may lie, but for those at the `masked` paths."""
        found, long, passages = self.segment.find(query)
        found &= self.live
        found -= BitMap(self.numbers[path] for path in masked if path in self.numbers)
        plain = found & self.segment.plain
        return Candidates(
            _Documents(self, plain),
            list(self.at(found - plain)),
            _LongDocuments(self, long & plain, passages),
        )

    def knows_plain(self, entry: FileEntry) -> bool:
        """Whether there is a valid document of the file, and it is plain text."""
        number = self.number(entry, self.live)
        return number is not None and number in self.segment.plain

    def files(self) -> Iterator[FileEntry]:
        """All files."""
        return self.at(self.live)

    def unsearchable(self) -> Iterator[FileEntry]:
        """The files that are binary."""
        return self.at(self.segment.binary & self.live)

    def number(self, entry: FileEntry, among: BitMap) -> int | None:
        """The number of the file's document, if it is one of these."""
        number = self.numbers.get(entry.path)
        if number is None or number not in among or self.entries[number] != entry:
            return None
        return number

    def at(self, documents: BitMap) -> Iterator[FileEntry]:
        """The files of these documents."""
        return map(self.entries.__getitem__, documents)


@dataclass(frozen=True, slots=True)
class _Documents(Collection[FileEntry]):
    """Some documents' files."""

    view: PlacedView
    numbers: BitMap

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[FileEntry]:
        return self.view.at(self.numbers)

    def __contains__(self, entry: object) -> bool:
        return isinstance(entry, FileEntry) and self.view.number(entry, self.numbers) is not None


@dataclass(frozen=True, slots=True)
class _LongDocuments(Mapping[FileEntry, Ranges]):
    """Where in some documents' files matches may lie."""

    view: PlacedView
    numbers: BitMap
    passages: BitMap

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[FileEntry]:
        return self.view.at(self.numbers)

    def __getitem__(self, entry: FileEntry) -> Ranges:
        number = self.view.number(entry, self.numbers)
        if number is None:
            raise KeyError(entry)
        return self.view.segment.ranges(number, self.passages)


class PlacedSegment:
    """A segment of one root, and which of its documents are valid."""

    def __init__(self, segment: Segment, root: str) -> None:
        self.segment = segment
        self._prefix = root if root.endswith(os.sep) else root + os.sep
        self._entries = [_NONE] * segment.documents
        self._numbers: dict[str, int] = {}  # by absolute path, from the first `take` on
        self._live = BitMap()
        self._view: PlacedView | None = None

    def __len__(self) -> int:
        return len(self._live)

    @property
    def memory_bytes(self) -> int:
        """About so much memory is in use, beside the listing's."""
        kept = sys.getsizeof(self._numbers) + sys.getsizeof(self._entries)
        return kept + self.segment.memory_bytes

    def place(self, path: str, entry: FileEntry | None) -> bool:
        """Make the document of `path`, if there is one, valid or not; returns whether it is."""
        number = self._numbers.get(path)
        if number is None:
            return False
        self._view = None
        if entry is None or self.segment.stamp(number) != stamp_of(entry):
            self._live.discard(number)
            return False
        self._entries[number] = entry
        self._live.add(number)
        return True

    def take(self, unplaced: dict[str, FileEntry]) -> BitMap:
        """The documents valid for some of the entries, which are taken out; from any thread."""
        taken: list[int] = []
        numbers: dict[str, int] = {}
        documents = enumerate(self.segment.stamps())
        for paths in self.segment.paths_below(self._prefix):
            for path, (number, stamp) in zip(paths, documents):  # noqa: B905 - some of them
                entry = unplaced.pop(path, None)
                if entry is None:
                    numbers[path] = number
                    continue
                numbers[entry.path] = number  # the listing's own string takes no further memory
                if stamp == _stamp(entry) and not entry.is_link:
                    self._entries[number] = entry  # equal to one that may be there
                    taken.append(number)
                else:
                    unplaced[entry.path] = entry
            time.sleep(0)  # after about 1 ms of work: the event loop gets its turn
        self._numbers = numbers
        return BitMap(taken)

    def replace(self, live: BitMap) -> None:
        """Make these documents, of which `take` told, the valid ones."""
        self._live, self._view = live, None

    def freeze(self) -> PlacedView:
        """The valid documents now."""
        if self._view is None:
            self._view = PlacedView(self.segment, self._entries, self._live.copy(), self._numbers)
        return self._view


@dataclass(frozen=True, eq=False, slots=True)
class Placement:
    """What `TextIndex.adopt` takes: segments with their valid documents, and what is pending."""

    preparation: Preparation
    placed: tuple[tuple[PlacedSegment, BitMap], ...]
    pending: dict[str, FileEntry]


@dataclass(frozen=True, eq=False, slots=True)
class Preparation:
    """The index when a placement was begun; `touched` paths changed since."""

    root: str
    placed: tuple[PlacedSegment, ...]
    views: tuple[PlacedView, ...]  # of `placed`
    unplaced: dict[str, FileEntry]  # the entries in no segment
    touched: set[str]

    def place(self, segments: Sequence[Segment]) -> Placement:
        """Find the valid documents when `segments` are all there are; once, in a thread."""
        known = {id(placed.segment): placed for placed in self.placed}
        pending = self.unplaced
        for view in self.views:
            pending.update((entry.path, entry) for entry in view.files())
        found = []
        for segment in segments:
            placed = known.get(id(segment)) or PlacedSegment(segment, self.root)
            found.append((placed, placed.take(pending)))
        return Placement(self, tuple(found), pending)
