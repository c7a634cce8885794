"""Plain files that are read one after the other, and searched together.

Most candidates hold no match, and to begin with each text takes longer than to search it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from glossator.files.disk import Parts
from glossator.files.entries import FileEntry
from glossator.index.candidates import Ranges
from glossator.index.parts import read_parts, with_plain_line_ends
from glossator.search.scan import Pattern, holds_match, places_by_text

OPENING = 15_000  # bytes that take as long as opening a file

FIRST = 1 << 16  # bytes of the first block; each further one has twice as many, …
MOST = 1 << 20  # … and so many at most


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

    def plain(self, files: Iterable[FileEntry]) -> tuple[list[FileEntry], dict[str, Ranges]]:
        """The plain ones, and the ranges of the long ones."""
        plain = [entry for entry in files if entry.path not in self._others]
        return plain, {entry.path: where for entry in plain if (where := self._ranges(entry))}

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
