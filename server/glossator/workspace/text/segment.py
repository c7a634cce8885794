"""A segment: an immutable file with the trigrams of up to 65,536 documents, read through a map.

Opening checks the tables; a posting is checked each time it is read, so what a damaged file holds
is never taken for an answer. Other processes may unlink a segment's file, nobody changes it.
"""

from __future__ import annotations

import functools
import mmap
import operator
import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

import numpy as np
from pyroaring import BitMap

from glossator.workspace.text import layout
from glossator.workspace.text.layout import Sections
from glossator.workspace.text.plain import Traits
from glossator.workspace.text.required import Query

Stamp = tuple[int, int, int, int]  # size, mtime_ns, ctime_ns, inode


class CorruptSegment(Exception):
    """A segment file that cannot be used; the message says why."""


class Segment:
    """The documents of one file, numbered from 0; safe from any thread."""

    def __init__(self, path: Path, content: mmap.mmap, sections: Sections, checksum: int) -> None:
        self.name = path.name
        self.bytes = sections.end
        self.checksum = checksum
        self.documents = sections.documents
        self.damage: str | None = None  # found by a search
        self._content = content
        self._sections = sections
        documents, keys = sections.documents, sections.keys
        self._keys = np.frombuffer(content, "<u4", keys, sections.key_table)
        self._starts = np.frombuffer(content, "<u4", keys, sections.starts)
        self._sums = np.frombuffer(content, "<u4", keys, sections.sums)
        self._counts = np.frombuffer(content, "<u2", keys, sections.counts)
        traits = np.frombuffer(content, np.uint8, documents, sections.traits)
        self._bits_units = layout.bits_units(documents)
        self.all = BitMap(range(documents))
        self.plain = _having(traits, Traits.PLAIN)
        self.exotic = _having(traits, Traits.EXOTIC)
        self.binary = _having(traits, Traits.BINARY)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Map a file. Raises `CorruptSegment`, or `OSError` when it cannot be read."""
        with path.open("rb") as file:
            length = os.fstat(file.fileno()).st_size
            if length < layout.HEADER.size:
                raise CorruptSegment(f"{path.name} is cut short")
            content = mmap.mmap(file.fileno(), length, access=mmap.ACCESS_READ)
        *counts, checksum = _check_header(path.name, content)
        sections = Sections(*counts)
        if sections.end != length:
            raise CorruptSegment(f"{path.name} has {length} bytes instead of {sections.end}")
        with memoryview(content) as view:
            found = zlib.crc32(view[: layout.HEADER.size - layout.CHECKSUM.size])
            found = zlib.crc32(view[layout.HEADER.size : sections.postings], found)
        if found != checksum:
            raise CorruptSegment(f"{path.name} is damaged: its tables have another checksum")
        return cls(path, content, sections, checksum)

    def paths(self) -> Iterator[bytes]:
        """The documents' paths, relative to their root."""
        sections = self._sections
        ends = np.frombuffer(self._content, "<u4", sections.documents, sections.path_ends).tolist()
        joined = self._content[sections.paths : sections.postings]
        start = 0
        for end in ends:
            yield joined[start:end]
            start = end

    def stamps(self) -> Iterator[Stamp]:
        """The documents' stamps."""
        table = self._content[self._sections.stamps : self._sections.key_table]
        yield from layout.STAMP.iter_unpack(table)

    def stamp(self, document: int) -> Stamp:
        """The stamp of one document."""
        at = self._sections.stamps + layout.STAMP.size * document
        size, mtime_ns, ctime_ns, inode = layout.STAMP.unpack_from(self._content, at)
        return size, mtime_ns, ctime_ns, inode

    def candidates(self, query: Query) -> BitMap:
        """The documents in which a match may lie: all texts, once `damage` was found."""
        found = self.all
        if self.damage is None:
            try:
                found = self._meeting(query)
                if query.folds:
                    found |= self.exotic
            except CorruptSegment as error:
                self.damage = str(error)
        return found - self.binary

    def verify(self) -> Iterator[None]:
        """Check all postings, a few at a step. Raises `CorruptSegment`."""
        for place in range(len(self._keys)):
            self._posting(place)
            if place % 1000 == 0:
                yield

    def _meeting(self, query: Query) -> BitMap:
        found = self.all
        if query.keys:
            for place in self._places(query.keys):
                found = found & self._posting(place) if place >= 0 else BitMap()
                if not found:
                    return found
        for group in query.groups:
            found = found & functools.reduce(operator.or_, map(self._meeting, group), BitMap())
            if not found:
                return found
        return found

    def _places(self, keys: Iterable[int]) -> list[int]:
        """Where the keys stand in the tables, the rarest first; [-1] when one is in no document."""
        wanted = np.fromiter(keys, np.uint32)
        places = np.searchsorted(self._keys, wanted)
        if len(self._keys) == 0 or (self._keys.take(places, mode="clip") != wanted).any():
            return [-1]
        by_count: list[int] = places[np.argsort(self._counts[places])].tolist()
        return by_count

    def _posting(self, place: int) -> BitMap:
        count = int(self._counts[place]) + 1
        start = self._sections.postings + int(self._starts[place]) * layout.POSTING_UNIT
        units = min(count, self._bits_units)
        data = self._content[start : start + units * layout.POSTING_UNIT]
        if zlib.crc32(data) != self._sums[place]:
            raise CorruptSegment(f"{self.name} is damaged: a posting has another checksum")
        if count > layout.ROARING_ARRAY:
            data = data.ljust(layout.MAX_DOCUMENTS // 8, b"\0")
        elif count > units:
            bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")
            data = np.flatnonzero(bits).astype("<u2").tobytes()
        head = layout.ROARING.pack(layout.ROARING_COOKIE, 1, 0, count - 1, layout.ROARING.size)
        return BitMap.deserialize(head + data)


def _having(traits: np.ndarray[tuple[int], np.dtype[np.uint8]], trait: Traits) -> BitMap:
    return BitMap(np.flatnonzero(traits & trait.value).tolist())


def _check_header(name: str, content: mmap.mmap) -> tuple[int, int, int, int, int]:
    """Documents, keys, path bytes, posting bytes, checksum."""
    magic, version, documents, keys, paths, postings, checksum = layout.HEADER.unpack_from(content)
    if magic != layout.MAGIC:
        raise CorruptSegment(f"{name} is no segment of a text index")
    if version != layout.VERSION:
        raise CorruptSegment(f"{name} was written in format {version}, not {layout.VERSION}")
    return documents, keys, paths, postings, checksum
