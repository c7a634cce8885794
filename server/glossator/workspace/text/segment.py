"""A segment: an immutable file with the trigrams of documents, passage by passage.

A long text is divided into passages of whole lines, and what is looked for lies within one, unless
it may span lines: that a text of megabytes holds all of the trigrams says little.

Opening reads and checks the tables; a posting is read when it is asked for, and checked each time,
so what a damaged file holds is never taken for an answer. Other processes may unlink a segment's
file, nobody changes it. It is not mapped: one that is cut short all the same, by whatever mends or
fills the disk, would end the process that looks at the map.
"""

from __future__ import annotations

import functools
import operator
import os
import struct
import weakref
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pyroaring import BitMap

from glossator.workspace.text import layout
from glossator.workspace.text.layout import Sections
from glossator.workspace.text.plain import Traits
from glossator.workspace.text.required import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Stamp = tuple[int, int, int, int]  # size, mtime_ns, ctime_ns, inode

_PATHS = 1 << 16  # bytes of paths decoded at once
_CHECKSUM_AT = layout.HEADER.size - layout.CHECKSUM.size


class CorruptSegment(Exception):
    """A segment file that cannot be used; the message says why."""


class Segment:
    """The documents of one file, numbered from 0; safe from any thread."""

    def __init__(self, name: str, descriptor: int, tables: bytes, sections: Sections) -> None:
        """Takes over the descriptor; `tables` is all that stands before the postings."""
        weakref.finalize(self, os.close, descriptor)
        self.name = name
        self.bytes = sections.end
        self.memory_bytes = len(tables)
        (self.checksum,) = layout.CHECKSUM.unpack_from(tables, _CHECKSUM_AT)
        self.documents = sections.documents
        self.damage: str | None = None  # found by a search
        self._descriptor = descriptor
        self._tables = memoryview(tables)
        self._sections = sections
        documents, passages, keys = sections.documents, sections.passages, sections.keys
        self._keys = self._table("I", keys, sections.key_table)
        self._starts = self._table("I", keys, sections.starts)
        self._sums = self._table("I", keys, sections.sums)
        self._counts = self._table("H", keys, sections.counts)
        traits = tables[sections.traits : sections.paths]
        self._bits_units = layout.bits_units(passages)
        self._passages = BitMap(range(passages))
        self.all = BitMap(range(documents))
        self.plain = _having(traits, Traits.PLAIN)
        self.exotic = _having(traits, Traits.EXOTIC)
        self.binary = _having(traits, Traits.BINARY)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a file. Raises `CorruptSegment`, or `OSError` when it cannot be read."""
        with ExitStack() as until_kept:
            descriptor = os.open(path, os.O_RDONLY)
            until_kept.callback(os.close, descriptor)
            sections, tables = _read_tables(path.name, descriptor)
            segment = cls(path.name, descriptor, tables, sections)
            until_kept.pop_all()
        return segment

    def paths(self) -> list[bytes]:
        """The documents' paths, relative to their root."""
        return bytes(self._tables[self._sections.paths :]).split(b"\0")[:-1]

    def paths_below(self, root: str) -> Iterator[list[str]]:
        """The documents' paths with `root`, which ends with a separator, some 1,000 at a time."""
        joined = bytes(self._tables[self._sections.paths :])
        start = 0
        while start < len(joined):
            end = joined.find(b"\0", start + _PATHS) + 1 or len(joined)
            paths = os.fsdecode(joined[start:end])
            yield (root + paths.replace("\0", "\0" + root)).split("\0")[:-1]
            start = end

    def stamps(self) -> Iterator[Stamp]:
        """The documents' stamps."""
        table = self._tables[self._sections.stamps : self._sections.key_table]
        return layout.STAMP.iter_unpack(table)

    def stamp(self, document: int) -> Stamp:
        """The stamp of one document."""
        at = self._sections.stamps + layout.STAMP.size * document
        size, mtime_ns, ctime_ns, inode = layout.STAMP.unpack_from(self._tables, at)
        return size, mtime_ns, ctime_ns, inode

    def candidates(self, query: Query) -> BitMap:
        """The documents in which a match may lie: all texts, once `damage` was found."""
        return self.find(query)[0]

    def find(self, query: Query) -> tuple[BitMap, dict[int, list[tuple[int, int]]]]:
        """As `candidates`; of long documents also the bytes outside of which no match lies."""
        found, ranges = self.all, dict[int, list[tuple[int, int]]]()
        if self.damage is None:
            try:
                if query.spans:
                    found = self._meeting(query, self.all, self._documents_with)
                else:
                    passages = self._meeting(query, self._passages, self._passages_with)
                    found, ranges = self._owning(passages), self._ranges(passages)
            except CorruptSegment as error:
                self.damage = str(error)
        if query.folds:
            found = found | self.exotic
            for document in self.exotic & BitMap(ranges):
                del ranges[document]
        return found - self.binary, ranges

    def verify(self) -> Iterator[None]:
        """Check all postings, a few at a step. Raises `CorruptSegment`."""
        for place in range(len(self._keys)):
            self._passages_with(place)
            if place % 1000 == 0:
                yield

    def _table(self, form: Literal["H", "I", "Q"], length: int, start: int) -> memoryview[int]:
        """Numbers of the tables, in the byte order of the machines that this runs on."""
        end = start + length * struct.calcsize(f"={form}")
        return self._tables[start:end].cast(form)

    def _meeting(self, query: Query, every: BitMap, having: Callable[[int], BitMap]) -> BitMap:
        """Those of `every` passage or document that meet the query; `having` tells who has what."""
        found = every
        if query.keys:
            for place in self._places(query.keys):
                found = found & having(place) if place >= 0 else BitMap()
                if not found:
                    return found
        for group in query.groups:
            members = (self._meeting(member, every, having) for member in group)
            found = found & functools.reduce(operator.or_, members, BitMap())
            if not found:
                return found
        return found

    @cached_property
    def _of_long(self) -> BitMap:
        """The passages of documents that have several."""
        same = self._owners[1:] == self._owners[:-1]
        firsts = same.nonzero()[0]
        return _bitmap(firsts) | _bitmap(firsts + 1)

    @cached_property
    def _owners(self) -> NDArray[np.uint16]:
        """The document of each passage."""
        return _array(self._table("H", self._sections.passages, self._sections.owners))

    @cached_property
    def _ends(self) -> NDArray[np.uint64]:
        """Where each passage ends in its document."""
        return _array(self._table("Q", self._sections.passages, self._sections.ends))

    def _ranges(self, passages: BitMap) -> dict[int, list[tuple[int, int]]]:
        """Where these passages lie, by document, for documents that have several."""
        if not passages or len(passages) == len(self._passages):
            return {}
        import numpy as np  # noqa: PLC0415 - as below

        long = _array(memoryview((passages & self._of_long).to_array()))
        if not len(long):
            return {}
        owners, ends = self._owners, self._ends
        follows = (np.diff(long) == 1) & (owners[long[1:]] == owners[long[:-1]])
        begins = np.flatnonzero(np.concatenate(([True], ~follows)))
        first, last = long[begins], long[np.append(begins[1:], len(long)) - 1]
        before = np.maximum(first, 1) - 1
        starts = np.where((first > 0) & (owners[before] == owners[first]), ends[before], 0)
        ranges: dict[int, list[tuple[int, int]]] = {}
        for document, *bounds in zip(
            owners[first].tolist(), starts.tolist(), ends[last].tolist(), strict=True
        ):
            ranges.setdefault(document, []).append((bounds[0], bounds[1]))
        return ranges

    def _documents_with(self, place: int) -> BitMap:
        return self._owning(self._passages_with(place))

    def _owning(self, passages: BitMap) -> BitMap:
        """The documents of these passages."""
        if len(self._passages) == self.documents:
            return passages  # the first of the one is the first of the other, and so on
        if len(passages) == len(self._passages):
            return self.all
        return _bitmap(self._owners[_array(memoryview(passages.to_array()))])

    def _places(self, keys: Iterable[int]) -> list[int]:
        """Where the keys stand in the tables, the rarest first; [-1] when one is in no document."""
        places: list[int] = []
        for key in keys:
            place = bisect_left(self._keys, key)
            if place == len(self._keys) or self._keys[place] != key:
                return [-1]
            places.append(place)
        return sorted(places, key=self._counts.__getitem__)

    def _passages_with(self, place: int) -> BitMap:
        count = self._counts[place] + 1
        start = self._sections.postings + self._starts[place] * layout.POSTING_UNIT
        units = min(count, self._bits_units)
        try:
            data = os.pread(self._descriptor, units * layout.POSTING_UNIT, start)
        except OSError as error:
            raise CorruptSegment(f"{self.name} cannot be read ({error.strerror})") from error
        if zlib.crc32(data) != self._sums[place]:
            raise CorruptSegment(f"{self.name} is damaged: a posting has another checksum")
        if count > layout.ROARING_ARRAY:
            data = data.ljust(layout.MAX_PASSAGES // 8, b"\0")
        elif count > units:
            data = _members(data)
        head = layout.ROARING.pack(layout.ROARING_COOKIE, 1, 0, count - 1, layout.ROARING.size)
        return BitMap.deserialize(head + data)


def _having(traits: bytes, trait: Traits) -> BitMap:
    chosen = bytes(1 if byte & trait.value else 0 for byte in range(256))
    return BitMap(compress(range(len(traits)), traits.translate(chosen)))


def _array(numbers: memoryview) -> NDArray[Any]:
    """The same numbers."""
    import numpy as np  # noqa: PLC0415 - takes long, and the server starts without it

    return np.asarray(numbers)


def _bitmap(numbers: NDArray[np.integer[Any]]) -> BitMap:
    """The numbers, ascending, each once."""
    return BitMap(array("I", numbers.astype("=u4").tobytes()))


def _members(bits: bytes) -> bytes:
    """The numbers of the bits that are set, 16 bits each."""
    import numpy as np  # noqa: PLC0415 - takes long, and rare trigrams do without

    set_bits = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")
    return np.flatnonzero(set_bits).astype("<u2").tobytes()


def _read_tables(name: str, descriptor: int) -> tuple[Sections, bytes]:
    """All that stands before the postings, checked. Raises `CorruptSegment` or `OSError`."""
    header = os.pread(descriptor, layout.HEADER.size, 0)
    if len(header) < layout.HEADER.size:
        raise CorruptSegment(f"{name} is cut short")
    magic, version, *counts, checksum = layout.HEADER.unpack(header)
    if magic != layout.MAGIC:
        raise CorruptSegment(f"{name} is no segment of a text index")
    if version != layout.VERSION:
        raise CorruptSegment(f"{name} was written in format {version}, not {layout.VERSION}")
    sections, length = Sections(*counts), os.fstat(descriptor).st_size
    if sections.end != length:
        raise CorruptSegment(f"{name} has {length} bytes instead of {sections.end}")
    tables = os.pread(descriptor, sections.postings, 0)
    with memoryview(tables) as view:
        found = zlib.crc32(view[:_CHECKSUM_AT])
        found = zlib.crc32(view[layout.HEADER.size :], found)
    if found != checksum:
        raise CorruptSegment(f"{name} is damaged: its tables have another checksum")
    return sections, tables
