"""Which documents of a root's segments are valid.

A document is valid when its stamp equals that of the file now listed at its path. So nothing has to
be invalidated, and a file that comes back unchanged is valid again (docs/decisions/0010).
"""

from __future__ import annotations

import os
import sys
import time
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from pyroaring import BitMap

from glossator.workspace.files.entries import FileEntry, Files, FolderFiles, place_of
from glossator.workspace.files.roots import folder_of, is_inside
from glossator.workspace.index.searchable import listed_stamp
from glossator.workspace.index.trigrams import Candidates, Ranges

if TYPE_CHECKING:
    from glossator.workspace.index.segment import DocumentStamp, Segment
    from glossator.workspace.index.trigrams import Query


_DOCUMENTS_A_TURN = (
    1_000  # documents, gone through in about 1 ms; then the event loop gets its turn
)


def stamp_of(entry: FileEntry) -> DocumentStamp | None:
    """The stamp that a valid document of this entry has; None for a link, which has none.

    The target of a link may change without a change of the listing.
    """
    return None if entry.is_link else listed_stamp(entry)


@dataclass(frozen=True, slots=True)
class ValidDocuments:
    """The valid documents of a segment at one moment; safe from any thread."""

    segment: Segment
    documents: DocumentFiles
    live: BitMap

    def candidates(self, query: Query, masked: Iterable[str] = ()) -> Candidates:
        """The files that may hold a match, without those at the `masked` paths."""
        found, long, passages = self.segment.find(query)
        found &= self.live
        numbers = map(self.documents.number, masked)
        found -= BitMap(number for number in numbers if number is not None)
        plain = found & self.segment.plain
        long &= plain

        def ranges(entry: FileEntry) -> Ranges | None:
            number = self.number(entry, long)
            return None if number is None else self.segment.ranges(number, passages)

        return Candidates(_Documents(self, plain), list(self.at(found - plain)), ranges)

    def knows_plain(self, entry: FileEntry) -> bool:
        """Whether the file has a valid document and is plain text."""
        number = self.number(entry, self.live)
        return number is not None and number in self.segment.plain

    def files(self) -> Iterator[FileEntry]:
        """All files."""
        return self.at(self.live)

    def unsearchable(self) -> Iterator[FileEntry]:
        """The files that are binary."""
        return self.at(self.segment.binary & self.live)

    def number(self, entry: FileEntry, among: BitMap) -> int | None:
        """The number of the file's document, if it is `among` these."""
        number = self.documents.number(entry.path)
        if number is None or number not in among or self.documents[number] != entry:
            return None
        return number

    def at(self, documents: BitMap) -> Iterator[FileEntry]:
        """The files of these documents."""
        return map(self.documents.__getitem__, documents)


@dataclass(frozen=True, slots=True)
class _Documents(Collection[FileEntry]):
    """Some documents' files."""

    view: ValidDocuments
    numbers: BitMap

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[FileEntry]:
        return self.view.at(self.numbers)

    def __contains__(self, entry: object) -> bool:
        return isinstance(entry, FileEntry) and self.view.number(entry, self.numbers) is not None


class PlacedSegment:
    """A segment of one root, and which of its documents are valid."""

    def __init__(self, segment: Segment, documents: DocumentFiles, live: BitMap) -> None:
        self.segment = segment
        self._documents = documents
        self._live = live
        self._view: ValidDocuments | None = None

    def __len__(self) -> int:
        return len(self._live)

    @property
    def memory_bytes(self) -> int:
        """About how much memory is in use, beside the listing's."""
        return self._documents.memory_bytes + self.segment.memory_bytes

    def place(self, path: str, entry: FileEntry | None) -> bool:
        """Mark the document of `path`, if there is one, as valid or not; returns which."""
        number = self._documents.number(path)
        if number is None:
            return False
        self._view = None
        if entry is None or self.segment.stamp(number) != stamp_of(entry):
            self._live.discard(number)
            return False
        self._documents.put(number, entry)
        self._live.add(number)
        return True

    def freeze(self) -> ValidDocuments:
        """The valid documents now."""
        if self._view is None:
            self._view = ValidDocuments(self.segment, self._documents, self._live.copy())
        return self._view


class _Placing:
    """Finds the valid documents of a segment."""

    def __init__(self, segment: Segment, prefix: str) -> None:
        self._segment = segment
        self._prefix = prefix
        self._documents = DocumentFiles(segment.documents)
        self._live = BitMap()
        paths = chain.from_iterable(segment.paths_below(prefix))
        self._single: Iterable[tuple[int, str]] = enumerate(paths)

    def take_folders(self, folders: dict[str, FolderFiles]) -> None:
        """Find runs that are all files of one of the folders; removes these folders."""
        single: list[tuple[int, str]] = []
        runs = self._segment.runs_below(self._prefix, folders)
        for turn, (number, path, files) in enumerate(runs, 1):
            if files is None:
                single.append((number, path))
            else:
                self._documents.put_run(number, path, folders.pop(path))
                self._live.add_range(number, number + len(files))
            if turn % _DOCUMENTS_A_TURN == 0:
                time.sleep(0)
        self._single = single

    def take(self, unplaced: dict[str, FileEntry]) -> PlacedSegment:
        """Find the other valid documents; removes their entries from `unplaced`."""
        documents, stamp = self._documents, self._segment.stamp
        for turn, (number, path) in enumerate(self._single, 1):
            entry = unplaced.pop(path, None)
            if entry is None:
                documents.put_single(number, path)
            else:
                documents.put_single(number, entry.path)  # a string that is there anyway
                if stamp(number) == stamp_of(entry):
                    documents.put(number, entry)
                    self._live.add(number)
                else:
                    unplaced[entry.path] = entry
            if turn % _DOCUMENTS_A_TURN == 0:
                time.sleep(0)
        return PlacedSegment(self._segment, documents, self._live)


@dataclass(frozen=True, eq=False, slots=True)
class Placement:
    """Segments with their valid documents, and pending files, for `TextIndex.adopt`."""

    preparation: Preparation
    placed: tuple[PlacedSegment, ...]
    pending: dict[str, FileEntry]
    folders: dict[str, FolderFiles]  # of other roots, that are pending as a whole


@dataclass(frozen=True, eq=False, slots=True)
class Preparation:
    """The index at the start of a placement; `touched` paths changed since."""

    root: str
    views: tuple[ValidDocuments, ...]  # of the segments so far
    unplaced: dict[str, FileEntry]  # the entries in no segment, …
    folders: dict[str, FolderFiles]  # … and whole folders of such
    touched: set[str]

    def place(self, segments: Sequence[Segment]) -> Placement:
        """Find the valid documents of `segments`, all that exist; once, in a thread."""
        prefix = self.root if self.root.endswith(os.sep) else self.root + os.sep
        placings = [_Placing(segment, prefix) for segment in segments]
        folders = self.folders
        for placing in placings:
            if folders:
                placing.take_folders(folders)
        own = {name: files for name, files in folders.items() if is_inside(name, self.root)}
        others = {name: files for name, files in folders.items() if name not in own}
        pending = self.unplaced
        for view in self.views:
            pending.update((entry.path, entry) for entry in view.files())
        pending.update((entry.path, entry) for entry in Files(own).entries)
        placed = tuple([placing.take(pending) for placing in placings])
        return Placement(self, placed, pending, others)


class DocumentFiles:
    """The files of documents by number, and the number by absolute path.

    A run of documents that are all files of one folder is stored as such: a start makes no path and
    no entry for its files.
    """

    def __init__(self, documents: int) -> None:
        self._entries: list[FileEntry | None] = [None] * documents  # of those asked for or put
        self._numbers: dict[str, int] = {}  # by path, of those in no run or asked for
        self._runs: dict[str, tuple[int, Sequence[FileEntry]]] = {}  # by folder: the first document
        self._firsts: list[int] = []  # of the runs, ascending, …
        self._folders: list[Sequence[FileEntry]] = []  # … and the files of each

    @property
    def memory_bytes(self) -> int:
        """About how much memory is in use, beside the listing's."""
        parts = (self._entries, self._numbers, self._runs, self._firsts, self._folders)
        return sum(map(sys.getsizeof, parts))

    def number(self, path: str) -> int | None:
        """The document of the file at this path, valid or not."""
        number = self._numbers.get(path)
        if number is None and (run := self._runs.get(folder_of(path))):
            first, files = run
            if (at := place_of(path, files)) is not None:
                self._numbers[path] = number = first + at
        return number

    def __getitem__(self, number: int) -> FileEntry:
        """The file of a document that is or was valid."""
        entry = self._entries[number]
        if entry is None:
            at = bisect_right(self._firsts, number) - 1
            entry = self._folders[at][number - self._firsts[at]]
            self._entries[number] = entry
        return entry

    def put(self, number: int, entry: FileEntry) -> None:
        """The document is valid, for this file."""
        self._entries[number] = entry

    def put_single(self, number: int, path: str) -> None:
        """The document, which is in no run, is of the file at this path."""
        self._numbers[path] = number

    def put_run(self, first: int, folder: str, files: Sequence[FileEntry]) -> None:
        """The documents from `first` on, after all runs so far, are the files of a folder."""
        self._runs[folder] = first, files
        self._firsts.append(first)
        self._folders.append(files)
