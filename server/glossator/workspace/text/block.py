"""Plain files that are read one after the other, and looked through together for a literal.

Most candidates of a word of few letters hold no match, and to ask each text by itself takes longer
than to look through all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import chain

from glossator.workspace.disk import Parts
from glossator.workspace.scan import compile_literal, holders
from glossator.workspace.text.candidates import Ranges
from glossator.workspace.text.parts import read_parts, with_plain_line_ends
from glossator.workspace.walk import FileEntry

OPENING = 15_000  # bytes that take as long as opening a file

FIRST = 1 << 16  # bytes of the first block; each further one has twice as many, …
MOST = 1 << 20  # … and so many at most


class Reader:
    """Reads candidates of a search: `others` are not plain, `needle` is in every match.

    Of files with `ranges` only these are read, others have at most `limit` bytes. Both are by
    absolute path.
    """

    def __init__(
        self,
        limit: int,
        others: Container[str],
        ranges: Mapping[str, Ranges],
        needle: bytes,
        cancelled: Callable[[], bool],
    ) -> None:
        self._limit = limit
        self._others = others
        self._ranges = ranges
        self._literal = compile_literal(needle) if needle else None
        self._spans = b"\n" in needle
        self._cancelled = cancelled

    def parts(self, entry: FileEntry) -> Parts | None:
        """What is to be searched of a plain file that is as it was listed."""
        if entry.path in self._others:
            return None
        return read_parts(entry, self._ranges.get(entry.path), self._limit)

    def is_other(self, entry: FileEntry) -> bool:
        """Whether the file is not plain."""
        return entry.path in self._others

    def plain(self, files: Iterable[FileEntry]) -> tuple[list[FileEntry], dict[str, Ranges]]:
        """The plain ones, and the ranges of the long ones."""
        plain = [entry for entry in files if entry.path not in self._others]
        ranges = self._ranges
        return plain, {entry.path: ranges[entry.path] for entry in plain if entry.path in ranges}

    def block(
        self, files: Iterator[FileEntry], size: int, largest: float
    ) -> tuple[list[FileEntry], Iterator[FileEntry]]:
        """The first files, of about so many bytes and before any `largest` one, and the others."""
        block: list[FileEntry] = []
        for entry in files:
            ranges = self._ranges.get(entry.path)
            amount = entry.size if ranges is None else sum(end - start for start, end in ranges)
            if amount > largest:
                return block, chain((entry,), files)
            block.append(entry)
            size -= amount + OPENING
            if size < 0:
                break
        return block, files

    def holding(self, block: Iterable[FileEntry]) -> Iterator[tuple[FileEntry, Parts | None]]:
        """Those that may hold a match, with their parts; all are read before the first is given."""
        read: list[tuple[FileEntry, Parts | None]] = []
        held: list[int] = []
        texts: list[bytes] = []
        owners: list[int] = []  # the file of each text
        for entry in block:
            if self._cancelled():
                return
            parts = self.parts(entry)
            if parts is None or self._literal is None or len(parts.contents[0]) > MOST:
                held.append(len(read))
            else:
                texts += parts.contents
                owners += [len(read)] * len(parts.contents)
            read.append((entry, parts))
        if self._literal is not None and texts:
            if self._spans:
                texts = list(map(with_plain_line_ends, texts))
            held += map(owners.__getitem__, holders(texts, self._literal))
        for number in sorted(set(held)):
            yield read[number]
