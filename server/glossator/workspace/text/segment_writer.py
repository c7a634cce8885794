"""Writing a segment: documents are added one by one, their postings grouped by key in batches.

Memory stays near two bytes a posting: 50 MB for 25,000 files of source code.
"""

from __future__ import annotations

import os
import secrets
import zlib
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from glossator.workspace.text import layout
from glossator.workspace.text.fold import KEYS
from glossator.workspace.text.layout import Sections
from glossator.workspace.text.plain import Traits
from glossator.workspace.text.segment import Stamp

SUFFIX = ".seg"
_BATCH = 1 << 19  # postings grouped at once
_RANGE = 1 << 20  # postings written at once


class TextDocument(NamedTuple):
    """What a segment keeps of a file: `keys` are its distinct trigrams, ascending."""

    path: bytes  # relative to the root
    stamp: Stamp
    traits: Traits
    keys: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class SegmentInfo:
    """A written segment as the catalogue names it."""

    name: str
    bytes: int
    checksum: int
    documents: int


class _Batch(NamedTuple):
    """Postings of a few documents: for each key, ascending, so many of `documents`."""

    keys: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    documents: NDArray[np.uint16]


class SegmentWriter:
    """Collects documents and writes them as one segment."""

    def __init__(self) -> None:
        self._paths: list[bytes] = []
        self._stamps: list[Stamp] = []
        self._traits = bytearray()
        self._loose: list[NDArray[np.intp]] = []  # keys of the last documents
        self._loose_postings = 0
        self._batches: list[_Batch] = []
        self._totals = np.zeros(KEYS, np.int64)  # documents by key, without the loose ones

    def __len__(self) -> int:
        return len(self._paths)

    def add(self, document: TextDocument) -> None:
        """Take in a document; a segment holds at most `layout.MAX_DOCUMENTS`."""
        if len(self) == layout.MAX_DOCUMENTS:
            raise ValueError("The segment is full; write it and begin another one.")
        self._paths.append(document.path)
        self._stamps.append(document.stamp)
        self._traits.append(document.traits)
        self._loose.append(document.keys)
        self._loose_postings += len(document.keys)
        if self._loose_postings >= _BATCH:
            self._group()

    def write(self, folder: Path) -> Generator[None, None, SegmentInfo]:
        """Write the file in small steps; it has its name when it is whole and safe on disk.

        Raises `OSError`.
        """
        self._group()
        name = secrets.token_hex(8) + SUFFIX
        unfinished = folder / f"{name}.tmp"
        try:
            descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                sections, checksum = yield from self._write(file)
                file.flush()
                os.fsync(descriptor)
            unfinished.rename(folder / name)
        finally:
            unfinished.unlink(missing_ok=True)
        sync_folder(folder)
        return SegmentInfo(name, sections.end, checksum, len(self))

    def _group(self) -> None:
        if not self._loose_postings:
            self._loose = []
            return
        counts = np.bincount(np.concatenate(self._loose), minlength=KEYS)
        free = np.cumsum(counts) - counts  # by key: where its next document goes
        documents = np.empty(self._loose_postings, np.uint16)
        for number, keys in enumerate(self._loose, len(self) - len(self._loose)):
            at = free[keys]
            documents[at] = number
            free[keys] = at + 1
        present = np.flatnonzero(counts)
        small = counts[present].astype(np.uint32)
        self._batches.append(_Batch(present.astype(np.uint32), small, documents))
        self._totals += counts
        self._loose, self._loose_postings = [], 0

    def _write(self, file: BinaryIO) -> Generator[None, None, tuple[Sections, int]]:
        keys = np.flatnonzero(self._totals)
        counts = self._totals[keys]
        units = layout.posting_units(counts, len(self))
        ends = np.cumsum(units)
        sums: list[int] = []
        paths = b"".join(self._paths)
        length = layout.POSTING_UNIT * int(units.sum())
        sections = Sections(len(self), len(keys), len(paths), length)
        file.seek(sections.postings)
        for first, last in _ranges(counts):
            pieces = list(_pieces(self._documents(keys[first:last]), counts[first:last], len(self)))
            sums.extend(map(zlib.crc32, pieces))
            file.write(b"".join(pieces))
            yield
        tables = b"".join(
            (
                b"".join(layout.STAMP.pack(*stamp) for stamp in self._stamps),
                keys.astype("<u4").tobytes(),
                (ends - units).astype("<u4").tobytes(),
                np.array(sums, "<u4").tobytes(),
                np.array([*accumulate(map(len, self._paths))], "<u4").tobytes(),
                (counts - 1).astype("<u2").tobytes(),
                self._traits,
                paths,
            )
        )
        head = layout.HEADER.pack(
            layout.MAGIC,
            layout.VERSION,
            sections.documents,
            sections.keys,
            sections.path_bytes,
            sections.posting_bytes,
            0,
        )[: -layout.CHECKSUM.size]
        checksum = zlib.crc32(tables, zlib.crc32(head))
        file.seek(0)
        file.write(head + layout.CHECKSUM.pack(checksum) + tables)
        return sections, checksum

    def _documents(self, keys: NDArray[np.intp]) -> NDArray[np.uint16]:
        """The documents of some keys that follow each other, key by key, ascending."""
        low, high = keys[0], keys[-1] + 1
        totals = self._totals[low:high]
        free = np.cumsum(totals) - totals  # by key above `low`: where its next document goes
        documents = np.empty(int(totals.sum()), "<u2")
        for batch in self._batches:
            start, stop = np.searchsorted(batch.keys, (low, high))
            counts = batch.counts[start:stop].astype(np.int64)
            places = batch.keys[start:stop].astype(np.intp) - low
            skipped = int(batch.counts[:start].sum())
            source = batch.documents[skipped : skipped + int(counts.sum())]
            shift = free[places] - (np.cumsum(counts) - counts)
            documents[np.arange(len(source)) + np.repeat(shift, counts)] = source
            free[places] += counts
        return documents


def write_segment(folder: Path, documents: Iterable[TextDocument]) -> SegmentInfo:
    """Write a segment at once; see `SegmentWriter`."""
    writer = SegmentWriter()
    for document in documents:
        writer.add(document)
    steps = writer.write(folder)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            info: SegmentInfo = done.value
            return info


def sync_folder(folder: Path) -> None:
    """Make what was renamed in `folder` safe on disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _ranges(counts: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Ranges of places that have about `_RANGE` postings each."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    cuts = np.searchsorted(ends, np.arange(_RANGE, total, _RANGE)).tolist()
    yield from pairwise(sorted({0, *cuts, len(counts)}))


def _pieces(
    documents: NDArray[np.uint16], counts: NDArray[np.int64], total: int
) -> Iterator[bytes]:
    """The posting of each key, in a segment of `total` documents."""
    data = documents.tobytes()
    units = layout.bits_units(total)
    start = 0
    for count in counts.tolist():
        end = start + count
        if count > units:
            bits = np.zeros(8 * layout.POSTING_UNIT * units, np.bool_)
            bits[documents[start:end]] = True
            yield np.packbits(bits, bitorder="little").tobytes()
        else:
            yield data[start * 2 : end * 2]
        start = end
