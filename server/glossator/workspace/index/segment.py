"""A segment: an immutable file with the trigrams of documents, passage by passage.

A long text is divided into passages of whole lines: that a text of megabytes holds all trigrams of
a pattern says little. Unless a match may span lines, it lies within one passage.

Opening reads and checks the tables; a posting is read when a query needs it, and its checksum is
verified each time. Other processes may unlink a segment's file, but never change it. It is not
memory-mapped: if a map's file is cut short, reading it ends the process (docs/decisions/0010).
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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from pyroaring import BitMap

from glossator.workspace.files.entries import STAMP, FolderFiles
from glossator.workspace.files.roots import folder_of
from glossator.workspace.index import layout
from glossator.workspace.index.layout import Form, Sections
from glossator.workspace.index.searchable import Traits
from glossator.workspace.index.trigrams import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DocumentStamp = tuple[int, int, int, int]  # size, mtime_ns, ctime_ns, inode

_PATHS = 1 << 16  # bytes of paths decoded at once
_CHECKSUM_AT = layout.HEADER.size - layout.CHECKSUM.size


class Matches(NamedTuple):
    """The documents that may hold a match; the `long` ones only in these passages."""

    documents: BitMap
    long: BitMap
    passages: BitMap


class CorruptSegment(Exception):
    """A segment file that cannot be used; the message says why."""


class Segment:
    """The documents of one file, numbered from 0; safe from any thread."""

    def __init__(self, name: str, descriptor: int, tables: bytes, sections: Sections) -> None:
        """Owns the descriptor; `tables` is the file up to the postings."""
        weakref.finalize(self, os.close, descriptor)
        self.name = name
        self.bytes = sections.end
        self.memory_bytes = len(tables)
        (self.checksum,) = layout.CHECKSUM.unpack_from(tables, _CHECKSUM_AT)
        self.documents = sections.documents
        self.damage: str | None = None  # found by a search
        self._descriptor = descriptor
        self._content = tables
        self._tables = memoryview(tables)  # of which parts are no copies
        self._sections = sections
        documents, passages, keys = sections.documents, sections.passages, sections.keys
        self._keys = self._table("I", keys, sections.key_table)
        self._starts = self._table("I", keys + 1, sections.starts)
        self._sums = self._table("I", keys, sections.sums)
        self._counts = self._table("H", keys, sections.counts)
        self._owners = self._table("H", passages, sections.owners)  # by passage, ascending
        self._ends = self._table("Q", passages, sections.ends)  # by passage, in its document
        traits = tables[sections.traits : sections.paths]
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
        return self._content[self._sections.paths :].split(b"\0")[:-1]

    def paths_below(self, root: str) -> Iterator[list[str]]:
        """The documents' paths with `root`, which ends with a separator, some 1,000 at a time."""
        start = self._sections.paths  # up to the end of the tables
        while start < len(self._content):
            end = self._content.find(b"\0", start + _PATHS) + 1 or len(self._content)
            paths = os.fsdecode(self._content[start:end])
            yield (root + paths.replace("\0", "\0" + root)).split("\0")[:-1]
            start = end

    def runs_below(
        self, root: str, folders: Mapping[str, FolderFiles]
    ) -> Iterator[tuple[int, str, FolderFiles | None]]:
        """Number and path of each document; of a run the first number, the folder and its files.

        The documents of a run are all files of one of the `folders`, as they are listed, one after
        the other. `root` as in `paths_below`.
        """
        content, size = self._content, STAMP.size
        at, number = self._sections.paths, 0
        while number < self.documents:
            end = content.index(b"\0", at)
            path = root + os.fsdecode(content[at:end])
            files = folders.get(folder := folder_of(path))
            if files and content.startswith(files.stamps, self._sections.stamps + size * number):
                paths = files.paths_from(len(root))
                if content.startswith(paths, at):
                    yield number, folder, files
                    at += len(paths)
                    number += len(files)
                    continue
            yield number, path, None
            at = end + 1
            number += 1

    def stamps(self) -> Iterator[DocumentStamp]:
        """The documents' stamps."""
        table = self._tables[self._sections.stamps : self._sections.key_table]
        return STAMP.iter_unpack(table)

    def stamp(self, document: int) -> DocumentStamp:
        """The stamp of one document."""
        at = self._sections.stamps + STAMP.size * document
        size, mtime_ns, ctime_ns, inode = STAMP.unpack_from(self._tables, at)
        return size, mtime_ns, ctime_ns, inode

    def candidates(self, query: Query) -> BitMap:
        """The documents that may hold a match: all texts, once `damage` was found."""
        return self.find(query).documents

    def find(self, query: Query) -> Matches:
        """Like `candidates`, with the passages of long documents."""
        documents, passages = self.all, self._passages
        if self.damage is None:
            try:
                if query.spans:

                    def documents_with(place: int) -> BitMap:
                        return self._owning(self._passages_with(place))

                    documents = self._meeting(query, self.all, documents_with)
                else:
                    passages = self._meeting(query, self._passages, self._passages_with)
                    documents = self._owning(passages)
            except CorruptSegment as error:
                self.damage = str(error)
        long = BitMap()
        if documents and len(passages) < len(self._passages):
            long = documents & self._long
        if query.folds:
            documents, long = documents | self.exotic, long - self.exotic
        return Matches(documents - self.binary, long, passages)

    def holds(self, document: int, keys: Iterable[int]) -> bool:
        """Whether each of the keys is in one of the document's passages.

        Raises `CorruptSegment`.
        """
        passages = self._bounds[document : document + 2]
        return all(
            place >= 0 and self._passages_with(place).range_cardinality(*passages)
            for place in self._places(keys)
        )

    def ranges(self, document: int, passages: BitMap) -> list[tuple[int, int]]:
        """The byte ranges of those `passages` that belong to this document."""
        ranges: list[tuple[int, int]] = []
        start = 0
        for passage in range(*self._bounds[document : document + 2]):
            end = self._ends[passage]
            if passage in passages:
                before = ranges.pop()[0] if ranges and ranges[-1][1] == start else start
                ranges.append((before, end))
            start = end
        return ranges

    @cached_property
    def _long(self) -> BitMap:
        """The documents that have several passages."""
        bounds = _array(memoryview(self._bounds))
        return _bitmap((bounds[1:] - bounds[:-1] > 1).nonzero()[0])

    @cached_property
    def _bounds(self) -> array[int]:
        """The first passage of each document, and that behind the last one."""
        owners = _array(self._owners)
        (lasts,) = (owners[1:] != owners[:-1]).nonzero()  # each document has a passage
        return array("I", (0, *(lasts + 1).tolist(), len(owners)))

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
        """Those of `every` passage or document that meet the query; `having` looks up a key."""
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

    def _owning(self, passages: BitMap) -> BitMap:
        """The documents of these passages."""
        if len(self._passages) == self.documents:
            return passages  # the first of the one is the first of the other, and so on
        if len(passages) == len(self._passages):
            return self.all
        return _bitmap(_array(self._owners)[_array(memoryview(passages.to_array()))])

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
        start, end = self._starts[place : place + 2]
        try:
            data = os.pread(self._descriptor, end - start, self._sections.postings + start)
        except OSError as error:
            raise CorruptSegment(f"{self.name} cannot be read ({error.strerror})") from error
        if zlib.crc32(data) != self._sums[place]:
            raise CorruptSegment(f"{self.name} is damaged: a posting has another checksum")
        total = self._sections.passages
        match layout.form(count, total):
            case Form.NUMBERS:
                return _roaring(count, data)
            case Form.ELIAS_FANO:
                return _roaring(count, layout.decode_ascending(data, count, total).tobytes())
            case Form.BITS:
                # roaring takes bits only of more than `ROARING_ARRAY` members: all others are added
                bits = data.ljust(layout.MAX_PASSAGES // 8, b"\xff")
                members = count + 8 * (len(bits) - len(data))
                return _roaring(members, bits) & self._passages


def _having(traits: bytes, trait: Traits) -> BitMap:
    chosen = bytes(1 if byte & trait.value else 0 for byte in range(256))
    return BitMap(compress(range(len(traits)), traits.translate(chosen)))


def _array(numbers: memoryview) -> NDArray[Any]:
    """The numbers as an array."""
    import numpy as np  # noqa: PLC0415 - takes long, and the server starts without it

    return np.asarray(numbers)


def _bitmap(numbers: NDArray[np.integer[Any]]) -> BitMap:
    """The numbers, ascending, each once."""
    return BitMap(array("I", numbers.astype("=u4").tobytes()))


def _roaring(members: int, container: bytes) -> BitMap:
    """One container with so many members."""
    head = layout.ROARING.pack(layout.ROARING_COOKIE, 1, 0, members - 1, layout.ROARING.size)
    return BitMap.deserialize(head + container)


def _read_tables(name: str, descriptor: int) -> tuple[Sections, bytes]:
    """The file up to the postings, checked. Raises `CorruptSegment` or `OSError`."""
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
