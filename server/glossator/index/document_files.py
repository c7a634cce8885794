"""Which file each document of a segment is of."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Sequence

from glossator.files import FileEntry, folder_of, place_of


class DocumentFiles:
    """The files of documents by number, and the number by absolute path.

    A run of documents that are all files of a folder is kept as such: a start puts no path and no
    entry of it anywhere.
    """

    def __init__(self, documents: int) -> None:
        self._entries: list[FileEntry | None] = [None] * documents  # of those asked for or put
        self._numbers: dict[str, int] = {}  # by path, of those in no run or asked for
        self._runs: dict[str, tuple[int, Sequence[FileEntry]]] = {}  # by folder: the first document
        self._firsts: list[int] = []  # of the runs, ascending, …
        self._folders: list[Sequence[FileEntry]] = []  # … and the files of each

    @property
    def memory_bytes(self) -> int:
        """About so much memory is in use, beside the listing's."""
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
        """The document, which is in no run, is of the file at this path, listed or not."""
        self._numbers[path] = number

    def put_run(self, first: int, folder: str, files: Sequence[FileEntry]) -> None:
        """The documents from the `first` on, behind all runs so far, are of a folder's files."""
        self._runs[folder] = first, files
        self._firsts.append(first)
        self._folders.append(files)
