"""Candidates are read and searched in blocks, in their order.

Most candidates hold no match, and starting the search of a text takes longer than searching it. So
the texts of a block are searched as one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from time import monotonic
from typing import Generic, NamedTuple, TypeVar

from glossator.files import FileEntry, Parts
from glossator.index import Ranges, read_parts, with_plain_line_ends
from glossator.search.scan import Pattern, holds_match, places_by_text

OPENING = 15_000  # bytes that take as long as opening a file
SHOWN = 20  # lines of a file that are looked for before it is shown; there may not be room for more
FIRST = 1 << 16  # bytes of the first block; each further one has twice as many, …
MOST = 1 << 20  # … and so many at most

_T = TypeVar("_T")


class FileMatch(NamedTuple):
    """A file that holds a match, with what was read of it.

    `lines` is how many lines match, of each part up to as many as were asked for; None where that
    cannot be told, because the file is not plain or not as it was listed. Of a file that was read
    as a whole `places` is where the matches of these lines begin, unless the pattern is multiline.
    """

    entry: FileEntry
    lines: int | None
    parts: Parts | None
    places: Sequence[int]


class Reader:
    """Reads candidates of a search for `pattern`, of which `others` are not plain.

    Of files for which `ranges` gives some only these are read, others have at most `limit` bytes.
    The `others` are given by absolute path.
    """

    def __init__(
        self,
        limit: int,
        others: Container[str],
        ranges: Callable[[FileEntry], Ranges | None],
        pattern: Pattern,
        cancelled: Callable[[], bool],
    ) -> None:
        self.limit = limit
        self._others = others
        self._ranges = ranges
        self.pattern = pattern
        self._cancelled = cancelled

    def parts(self, entry: FileEntry) -> Parts | None:
        """What is to be searched of a plain file that is as it was listed."""
        if entry.path in self._others:
            return None
        return read_parts(entry, self._ranges(entry), self.limit)

    def amount(self, entry: FileEntry) -> int:
        """How long it takes to look into a file, in bytes that are searched in the same time."""
        if ranges := self._ranges(entry):
            return OPENING + sum(end - start for start, end in ranges)
        return OPENING + (entry.size if entry.size <= self.limit else 0)

    def is_other(self, entry: FileEntry) -> bool:
        """Whether the file is not plain."""
        return entry.path in self._others

    def block(
        self, files: Iterator[FileEntry], size: int, largest: float
    ) -> tuple[list[FileEntry], int, Iterator[FileEntry]]:
        """The first files, up to an `amount` of about `size` and before any of more than `largest`.

        Also gives their amount, and the other files.
        """
        block: list[FileEntry] = []
        taken = 0
        for entry in files:
            amount = self.amount(entry)
            if amount > largest:
                return block, taken, chain((entry,), files)
            block.append(entry)
            taken += amount
            if taken > size:
                break
        return block, taken, files

    def holding(self, block: Iterable[FileEntry], most: float) -> Iterator[FileMatch]:
        """Those that hold a match, or may; all are read before the first is given.

        Of each part of a file at most so many matching lines are looked for.
        """
        read: list[tuple[FileEntry, Parts | None]] = []
        texts: list[bytes] = []
        owners: list[int] = []  # the file of each text
        for entry in block:
            if self._cancelled():
                return
            parts = self.parts(entry)
            if parts is not None:
                texts += map(with_plain_line_ends, parts.contents)
                owners += [len(read)] * len(parts.contents)
            read.append((entry, parts))
        found: dict[int, list[Sequence[int]]] = {}
        for place, places in self._places(texts, most).items():
            found.setdefault(owners[place], []).append(places)
        for number, (entry, parts) in enumerate(read):
            if parts is None:
                yield FileMatch(entry, None, None, ())
            elif places_of_parts := found.get(number):
                yield FileMatch(entry, sum(map(len, places_of_parts)), parts, places_of_parts[0])

    def _places(self, texts: Sequence[bytes], most: float) -> Mapping[int, Sequence[int]]:
        pattern, cancelled = self.pattern, self._cancelled
        if not pattern.multiline:
            return places_by_text(texts, pattern, cancelled, most=most)
        holding = (not cancelled() and holds_match(text, pattern) for text in texts)
        return {place: (0,) for place, holds in enumerate(holding) if holds}


@dataclass(frozen=True, slots=True)
class MatchCollector(Generic[_T]):
    """What a search makes of a file that holds a match; None or 0 if it holds none.

    `look`: by looking into it. `told`: of the number of its matching lines, or 1 unless it is
    `counting`, and of what was read if it was here. If it is `showing` lines, it must have them.
    """

    look: Callable[[FileEntry], _T | None]
    told: Callable[[FileEntry, int, FileMatch | None], _T | None]
    counting: bool = False
    showing: bool = False

    @property
    def most(self) -> float:
        """How many matching lines to look for in a file."""
        if self.counting:
            return math.inf
        return SHOWN if self.showing else 1


class Blocks(Generic[_T]):
    """Goes through the candidates of a search, once; blocks grow while few files hold a match.

    `done` files were read, `held` of them held a match. `amount` is what reading them took (see
    `Reader.amount`), `apart` the seconds in which the caller used what was found.
    """

    def __init__(
        self, reader: Reader, way: MatchCollector[_T], cancelled: Callable[[], bool]
    ) -> None:
        self.done = 0
        self.held = 0
        self.amount = 0
        self.apart = 0.0
        self._reader = reader
        self._way = way
        self._cancelled = cancelled
        self._size = FIRST

    def found(
        self, files: Iterator[FileEntry], largest: float, enough: Callable[[], bool]
    ) -> Generator[tuple[FileEntry, _T], None, Iterator[FileEntry]]:
        """The files that hold a match, in their order; returns the files that are left.

        It ends when there is `enough`, and before a file of more than `largest` bytes.
        """
        while not (self._cancelled() or enough()):
            block, amount, files = self._reader.block(files, self._size, largest)
            if not block:
                break
            self.done += len(block)
            self.amount += amount
            before = self.held
            for match in self._reader.holding(block, self._way.most):
                if self._cancelled():
                    break
                if result := self._collect(match):
                    self.held += 1
                    since = monotonic()
                    yield match.entry, result
                    self.apart += monotonic() - since
            if 4 * (self.held - before) < len(block):  # else few more of them may be asked for
                self._size = min(2 * self._size, MOST)
        return files

    def _collect(self, match: FileMatch) -> _T | None:
        if match.lines is None:
            return self._way.look(match.entry)
        since = monotonic()
        result = self._way.told(match.entry, match.lines, match)
        self.apart += monotonic() - since
        return result
