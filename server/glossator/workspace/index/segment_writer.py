"""Writes a segment from files: reads their trigrams, groups postings by key in batches.

A file's trigrams are valid under the stamp that it had when it was read. Eight passages mark their
trigrams side by side, in the eight bytes of one word for each key. It takes about two bytes of
memory a posting: 60 to 100 MB for 20,000 files of source code.
"""

from __future__ import annotations

import os
import secrets
import time
import zlib
from array import array
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from itertools import accumulate, pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from glossator.core.document import Missing
from glossator.core.errors import GlossatorError
from glossator.worker import Item, Trouble, attempt_steps
from glossator.workspace.files.disk import load_listed
from glossator.workspace.files.entries import STAMP, TIMES, ripe_at
from glossator.workspace.files.roots import Roots
from glossator.workspace.index import layout
from glossator.workspace.index.layout import Form, Sections
from glossator.workspace.index.manifest import SUFFIX, SegmentInfo, sync_folder
from glossator.workspace.index.searchable import Traits, searchable, traits, version_of
from glossator.workspace.index.segment import DocumentStamp
from glossator.workspace.index.trigrams import FOLD, KEYS

_ABREAST = 8  # passages whose trigrams are marked side by side: the bytes of a word
_BATCH = 1 << 20  # postings grouped at once
_RANGE = 1 << 20  # postings written at once


class Facts(NamedTuple):
    """What the index stores of a file beside its trigrams."""

    stamp: DocumentStamp
    traits: Traits


class Reading(NamedTuple):
    """What the index stores of a file; `keys` are distinct and ascending."""

    stamp: DocumentStamp
    traits: Traits
    keys: NDArray[np.intp]


class Marks(Protocol):
    """Where `mark_file` marks the trigrams of a file, passage by passage."""

    @property
    def seen(self) -> NDArray[np.bool_]:
        """The trigrams seen in the current passage, by key."""
        ...

    def end_passage(self, end: int) -> None:
        """The passage ends at the byte `end`; another one of the same file follows."""
        ...


class _Together:
    """One set of trigrams for all passages."""

    def __init__(self) -> None:
        self.seen = np.zeros(KEYS, np.bool_)

    def end_passage(self, end: int) -> None:
        """Go on as before."""


class LeftOut(Enum):
    """Why a file is not indexed for now."""

    RACY = "racy"  # changed too recently: its stamp may not show the next change
    MISDATED = "misdated"  # with a time that a stamp cannot hold, as damaged archives leave it
    UNREADABLE = "unreadable"  # absent, too large, forbidden, changing, or now a link
    FAILED = "failed"  # as it is, reading it for the index fails


class Spoilt(GlossatorError):
    """Reading a file failed when some of it was marked; the next try leaves it out.

    Marks cannot be taken back, so the whole segment is begun again (docs/decisions/0053).
    """


def read_file(roots: Roots, path: str, limit: int) -> Generator[None, None, Reading | LeftOut]:
    """Read the absolute `path` of at most `limit` bytes; the generator returns the result.

    A long text takes several steps.
    """
    marks = _Together()
    try:
        facts = yield from mark_file(roots, path, limit, marks)
    except Spoilt:
        return LeftOut.FAILED
    return facts if isinstance(facts, LeftOut) else Reading(*facts, np.flatnonzero(marks.seen))


def mark_file(
    roots: Roots, path: str, limit: int, marks: Marks
) -> Generator[None, None, Facts | LeftOut]:
    """Like `read_file`, but marks trigrams in `marks`; the last passage is not ended there.

    Nothing is marked for a file that is left out. Raises `Spoilt`.
    """
    began = False

    def steps() -> Generator[None, None, Facts | LeftOut]:
        nonlocal began
        began = True
        return (yield from _mark_file(roots, path, limit, marks))

    item = Item(path, "is read by every search", _version(path))
    facts = yield from attempt_steps(item, steps())
    if not isinstance(facts, Trouble):
        return facts
    if began:
        raise Spoilt(f"{facts.in_words}.")
    return LeftOut.FAILED


def _version(path: str) -> str:
    """What changes with the file; "" if it cannot be looked at."""
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return ""
    return version_of(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _mark_file(
    roots: Roots, path: str, limit: int, marks: Marks
) -> Generator[None, None, Facts | LeftOut]:
    now = time.time_ns()  # before the reading: a change after it is younger still
    raw = load_listed(roots, path, limit)
    if isinstance(raw, Missing) or raw.path != path:
        return LeftOut.UNREADABLE
    size, mtime_ns, ctime_ns, inode, _ = raw.stamp
    if ripe_at(mtime_ns, ctime_ns) > now:
        return LeftOut.RACY
    if mtime_ns not in TIMES or ctime_ns not in TIMES:
        return LeftOut.MISDATED
    content = searchable(raw.content, roots.encoding(path))
    if content is not None:
        # a text that differs from the file's bytes is always searched as a whole
        whole = not (content.plain and raw.content == content.text)
        divided = ((0, framed(content.text)),) if whole else passages(content.text)
        end = 0
        for following, passage in divided:
            if end:
                marks.end_passage(end)
            yield from mark(passage, marks.seen)
            end = following
    return Facts((size, mtime_ns, ctime_ns, inode), traits(content))


LONG = 3 << 12  # bytes; a longer text is divided
PASSAGE = 2 << 12  # bytes, and the rest of a line
PASSAGES_OF_TEXT = 1 << 12  # of one text; those of a longer one are longer
_PIECE = 1 << 15  # bytes; what is computed of them fits into the processor's cache
_STEP = 1 << 20  # bytes that are marked without a pause


def trigrams(text: bytes) -> NDArray[np.intp]:
    """The distinct keys of `text`, ascending."""
    seen = np.zeros(KEYS, np.bool_)
    for _ in mark(text, seen):
        pass
    return np.flatnonzero(seen)


def framed(text: bytes) -> bytes:
    """The text with a LF before its first and after its last line, as between any two lines.

    So trigrams with a LF find where lines begin and end.
    """
    return b"\n" + text + (b"" if text.endswith(b"\n") else b"\n")


def passages(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Pieces of whole lines: the end of each, and its bytes with two more at either end.

    So all trigrams of a line, with the line ends around it, are in one piece.
    """
    framed_text = framed(text)
    text = text.removesuffix(b"\n")
    size = max(PASSAGE, len(text) // PASSAGES_OF_TEXT) if len(text) > LONG else LONG
    start = 0
    while len(text) - start > size and (end := text.find(b"\n", start + size) + 1):
        yield end, framed_text[max(0, start - 1) : end + 3]
        start = end
    yield len(text), framed_text[max(0, start - 1) :]


def mark(text: bytes, seen: NDArray[np.bool_]) -> Iterator[None]:
    """Set the text's keys in `seen`; a long text takes several steps."""
    for at in range(0, len(text) - 2, _PIECE):
        if at and at % _STEP == 0:
            yield
        piece = text[at : at + _PIECE + 2].translate(FOLD)
        # each step in the narrowest type, but the last: numpy converts any other than intp
        # before it indexes with it
        folded = np.frombuffer(piece, np.uint8).astype(np.uint16)
        pairs = folded[:-1] << 6
        pairs |= folded[1:]
        keys = np.left_shift(pairs[:-1], 6, dtype=np.intp)
        keys |= folded[2:]
        seen[keys] = True


class _Postings(NamedTuple):
    """Postings of a few passages: for each key, ascending, so many of `passages`."""

    keys: NDArray[np.integer]
    counts: NDArray[np.unsignedinteger]
    passages: NDArray[np.uint16]


class SegmentWriter:
    """Collects documents and writes them as one segment."""

    def __init__(self) -> None:
        self._paths: list[bytes] = []
        self._stamps: list[DocumentStamp] = []
        self._traits = bytearray()
        self._owners = array("H")  # the document of each passage
        self._ends = array("Q")  # and where it ends in there
        self._seen = np.zeros((KEYS, _ABREAST), np.bool_)  # the last passages' trigrams
        self._small: list[_Postings] = []  # of the passages before
        self._small_postings = 0
        self._batches: list[_Postings] = []  # of all passages before those
        self._totals = np.zeros(KEYS, np.int64)  # passages of `_batches` by key

    def __len__(self) -> int:
        return len(self._paths)

    @property
    def seen(self) -> NDArray[np.bool_]:
        """The place, by key, at which to mark the trigrams of the next passage."""
        return self._seen[:, len(self._owners) % _ABREAST]

    def end_passage(self, end: int) -> None:
        """Add the trigrams in `seen` as a passage of the next document.

        It ends before the byte `end`. A segment holds at most `layout.MAX_PASSAGES`.
        """
        if len(self._owners) == layout.MAX_PASSAGES:
            raise ValueError("The segment is full; write it and begin another one.")
        self._owners.append(len(self))
        self._ends.append(end)
        if len(self._owners) % _ABREAST == 0:
            self._collect()
            if self._small_postings >= _BATCH:
                self._group()

    def add(self, path: bytes, stamp: DocumentStamp, traits: Traits) -> None:
        """End the last passage of a document, whose `path` is relative to the root."""
        self.end_passage(stamp[0])
        self._paths.append(path)
        self._stamps.append(stamp)
        self._traits.append(traits)

    def write(self, folder: Path) -> Generator[None, None, SegmentInfo]:
        """Write the file in small steps; it gets its name when it is complete and synced.

        Raises `OSError`.
        """
        if len(self._owners) % _ABREAST:
            self._collect()
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

    def _collect(self) -> None:
        """Turn what is marked into postings."""
        words = self._seen.view(np.uint64)[:, 0]
        keys = np.flatnonzero(words != 0)  # numpy finds places of true much faster than of numbers
        held = words[keys]
        words[keys] = 0
        first = (len(self._owners) - 1) // _ABREAST * _ABREAST
        passages = np.flatnonzero(held.view(np.bool_)).astype(np.uint16)
        passages %= _ABREAST
        passages += first
        self._small.append(_Postings(keys, np.bitwise_count(held), passages))
        self._small_postings += len(passages)

    def _group(self) -> None:
        totals = np.zeros(KEYS, np.int64)
        for batch in self._small:
            totals[batch.keys] += batch.counts
        keys = np.flatnonzero(totals)
        passages = _merge(self._small, totals, 0)
        counts = totals[keys].astype(np.uint32)
        self._batches.append(_Postings(keys.astype(np.uint32), counts, passages))
        self._totals += totals
        self._small, self._small_postings = [], 0

    def _write(self, file: BinaryIO) -> Generator[None, None, tuple[Sections, int]]:
        keys = np.flatnonzero(self._totals)
        counts = self._totals[keys]
        sums: list[int] = []
        starts = [0]
        paths = b"".join(path + b"\0" for path in self._paths)
        sections = Sections(len(self), len(self._owners), len(keys), len(paths), 0)
        file.seek(sections.postings)
        for first, last in _ranges(counts):
            low, high = keys[first], keys[last - 1] + 1
            passages = _merge(self._batches, self._totals[low:high], low)
            pieces = list(_pieces(passages, counts[first:last], len(self._owners)))
            sums.extend(map(zlib.crc32, pieces))
            starts.extend(accumulate(map(len, pieces), initial=starts.pop()))
            file.write(b"".join(pieces))
            yield
        sections = replace(sections, posting_bytes=starts[-1])
        tables = b"".join(
            (
                b"".join(STAMP.pack(*stamp) for stamp in self._stamps),
                keys.astype("<u4").tobytes(),
                np.array(starts, "<u4").tobytes(),
                np.array(sums, "<u4").tobytes(),
                (counts - 1).astype("<u2").tobytes(),
                np.array(self._owners, "<u2").tobytes(),
                np.array(self._ends, "<u8").tobytes(),
                self._traits,
                paths,
            )
        )
        head = layout.HEADER.pack(
            layout.MAGIC,
            layout.VERSION,
            sections.documents,
            sections.passages,
            sections.keys,
            sections.path_bytes,
            sections.posting_bytes,
            0,
        )[: -layout.CHECKSUM.size]
        checksum = zlib.crc32(tables, zlib.crc32(head))
        file.seek(0)
        file.write(head + layout.CHECKSUM.pack(checksum) + tables)
        return sections, checksum


def _merge(batches: Sequence[_Postings], totals: NDArray[np.int64], low: int) -> NDArray[np.uint16]:
    """The passages of the keys from `low` on, `totals` of each, key by key, ascending."""
    free = np.cumsum(totals) - totals  # by key above `low`: where its next passage goes
    passages = np.empty(int(totals.sum()), "<u2")
    bounds = np.array((low, low + len(totals)))
    for batch in batches:
        start, stop = batch.keys.searchsorted(bounds.astype(batch.keys.dtype)).tolist()
        counts = batch.counts[start:stop].astype(np.int64)
        places = np.subtract(batch.keys[start:stop], low, dtype=np.intp)
        skipped = int(batch.counts[:start].sum())
        source = batch.passages[skipped : skipped + int(counts.sum())]
        at = np.repeat(free[places] - (np.cumsum(counts) - counts), counts)
        at += np.arange(len(source))
        passages[at] = source
        free[places] += counts
    return passages


def _ranges(counts: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Ranges of places that have about `_RANGE` postings each."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    cuts = np.searchsorted(ends, np.arange(_RANGE, total, _RANGE)).tolist()
    yield from pairwise(sorted({0, *cuts, len(counts)}))


def _pieces(passages: NDArray[np.uint16], counts: NDArray[np.int64], total: int) -> Iterator[bytes]:
    """The posting of each key, in a segment of `total` passages."""
    data = passages.tobytes()
    start = 0
    for count in counts.tolist():
        end = start + count
        match layout.form(count, total):
            case Form.NUMBERS:
                yield data[start * 2 : end * 2]
            case Form.ELIAS_FANO:
                yield layout.encode_ascending(passages[start:end], total)
            case Form.BITS:
                bits = np.zeros(total, np.bool_)
                bits[passages[start:end]] = True
                yield np.packbits(bits, bitorder="little").tobytes()
        start = end
