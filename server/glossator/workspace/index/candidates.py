"""The files in which a pattern may be found, as the index knows them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from glossator.workspace.files.entries import FileEntry

Ranges: TypeAlias = Sequence[tuple[int, int]]  # from, up to; ascending, and none touches another


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file to search; `plain`: it was plain text when it was indexed (`plain.py`)."""

    entry: FileEntry
    plain: bool


def _never(_: FileEntry) -> bool:
    return False


def _nowhere(_: FileEntry) -> Ranges | None:
    return None


@dataclass(frozen=True, slots=True)
class Candidates:
    """Files to search, each once, in no order: known to be plain text, and all others.

    Links are among the others; `misses` is true for a link to a file that is no candidate.
    `ranges` gives, for some long plain files, the bytes in which a match can lie. No object is made
    for each file and no list of the plain ones, so an answer of 100,000 files is cheap.
    """

    plain: Collection[FileEntry]
    others: Sequence[FileEntry]
    ranges: Callable[[FileEntry], Ranges | None] = _nowhere
    misses: Callable[[FileEntry], bool] = _never

    def __len__(self) -> int:
        return len(self.plain) + len(self.others)

    def __iter__(self) -> Iterator[Candidate]:
        for entry in self.plain:
            yield Candidate(entry, plain=True)
        for entry in self.others:
            yield Candidate(entry, plain=False)


@dataclass(frozen=True, slots=True)
class Joined(Collection[FileEntry]):
    """The files of several collections, that are disjoint."""

    parts: Sequence[Collection[FileEntry]]

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __iter__(self) -> Iterator[FileEntry]:
        return chain.from_iterable(self.parts)

    def __contains__(self, entry: object) -> bool:
        return any(entry in part for part in self.parts)
