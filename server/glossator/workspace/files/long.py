"""Reading files too long to be documents in parts, in bounded memory.

A file is read in blocks. Where lines lie is known by how many begin before each block, counted once
for each state of the file. Lines end as in `core.text`.
"""

from __future__ import annotations

import codecs
import os
import re
import threading
import time
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from glossator.core.document import Missing, MissingReason
from glossator.core.encoding import codec_of, decode, is_guessed
from glossator.workspace.files.cache import is_racy
from glossator.workspace.files.disk import OpenFile, Stamp, missing, opened
from glossator.workspace.files.roots import Roots

MAX_BYTES = 2_000_000_000  # of a file; counting its lines takes some seconds once

_BLOCK = 1 << 20  # bytes
_HEAD_BYTES = 1 << 16  # bytes that tell the encoding
_WINDOW = 4 << 20  # bytes
_MAX_LINE_BYTES = 64 << 20  # bytes of a line; a longer one is searched in pieces
_MAX_INDEXES = 16  # files
_LINE_END = re.compile(rb"\r\n|\r|\n")


class LongLines(NamedTuple):
    """Lines of a file, each cut at a number of characters, with its bytes if it was cut."""

    lines: list[tuple[str, int]]  # 0: it is whole
    total: int  # lines of the file
    size: int  # bytes of the file
    encoding: str


class LinePart(NamedTuple):
    """Characters of a line, and how many it has."""

    text: str
    length: int
    total: int  # lines of the file


class Window(NamedTuple):
    """Whole lines of a file as text, from line `first` on, 1-based."""

    first: int
    text: str
    ends: int  # line ends in it
    end: int  # the byte after it
    encoding: str
    stamp: Stamp


@dataclass(frozen=True, slots=True)
class _Index:
    starts: list[int]  # bytes before each block
    before: list[int]  # line ends before each block
    total: int  # lines
    encoding: str


IsCancelled = Callable[[], bool]


class Cancelled(Exception):
    """Nobody waits for the file any more."""


class LongFiles:
    """Reads long files from any thread, and keeps the indexes of the last ones.

    Each method reads the file at `path` as `load` does, and raises `Cancelled` once `cancelled`.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, Stamp], _Index] = OrderedDict()
        self._lock = threading.Lock()

    def lines(
        self, roots: Roots, path: str, first: int, count: int, most: int, cancelled: IsCancelled
    ) -> LongLines | Missing:
        """`count` lines from line `first` on, 1-based, at most `most` characters of each."""

        def read(roots: Roots, file: OpenFile) -> LongLines | Missing:
            index = self._index(roots, file, cancelled)
            if isinstance(index, Missing):
                return index
            at = _start(file, index, first)
            found = _pieces(file, at, 4 * most + 4, cancelled)
            lines = []
            for kept, length in islice(found, count if first <= index.total else 0):
                text = _decoded(kept, index.encoding, final=len(kept) == length)
                is_whole = len(kept) == length and len(text) <= most
                lines.append((text[:most], 0 if is_whole else length))
            return LongLines(lines, index.total, file.stamp.size, index.encoding)

        return opened(roots, path, read)

    def part(
        self, roots: Roots, path: str, line: int, column: int, most: int, cancelled: IsCancelled
    ) -> LinePart | Missing:
        """`most` characters of a line from the one at `column` on, 1-based."""

        def read(roots: Roots, file: OpenFile) -> LinePart | Missing:
            index = self._index(roots, file, cancelled)
            if isinstance(index, Missing):
                return index
            if line > index.total:
                return LinePart("", 0, index.total)
            decoder = codecs.getincrementaldecoder(codec_of(index.encoding))("replace")
            part, length = "", 0
            for block in _blocks(file, _start(file, index, line), cancelled):
                end = _LINE_END.search(block)
                text = decoder.decode(block[: end.start()] if end else block, final=end is not None)
                begin = max(0, column - 1 - length)
                part += text[begin : begin + most - len(part)]
                length += len(text)
                if end:
                    break
            return LinePart(part, length, index.total)

        return opened(roots, path, read)

    def window(
        self, roots: Roots, path: str, before: Window | None, cancelled: IsCancelled
    ) -> Window | Missing | None:
        """The first few MB of whole lines of the file, or those after the window `before`.

        None at its end. A line of more than 64 MB comes in pieces.
        """
        at = before.end if before else 0

        def read(roots: Roots, file: OpenFile) -> Window | Missing:
            encoding = before.encoding if before else _encoding_of(roots, file)
            if isinstance(encoding, Missing):
                return encoding
            if before and before.stamp != file.stamp:
                return missing(roots, path, MissingReason.CHANGING, "changed while it was read.")
            blocks, size = [], 0
            for block in _blocks(file, at, cancelled):
                size += len(block)
                end = max(block.rfind(b"\n"), block.rfind(b"\r")) + 1
                is_enough = size >= (_WINDOW if end else _MAX_LINE_BYTES)
                blocks.append(block[: end or None] if is_enough else block)
                if is_enough:
                    break
            raw = b"".join(blocks)
            text = _decoded(raw, encoding, final=True)
            first = before.first + before.ends if before else 1
            return Window(first, text, _ends(raw), at + len(raw), encoding, file.stamp)

        found = opened(roots, path, read)
        return None if isinstance(found, Window) and not found.text else found

    def _index(self, roots: Roots, file: OpenFile, cancelled: IsCancelled) -> _Index | Missing:
        key = file.path, file.stamp
        with self._lock:
            if (known := self._known.get(key)) is not None:
                self._known.move_to_end(key)
                return known
        encoding = _encoding_of(roots, file)
        if isinstance(encoding, Missing):
            return encoding
        starts, before = [0], [0]
        last = b""
        for block in _blocks(file, 0, cancelled):
            starts.append(starts[-1] + len(block))
            before.append(before[-1] + _ends(block))
            last = block[-1:]
        total = before[-1] + (last not in (b"", b"\n", b"\r"))
        index = _Index(starts, before, total, encoding)
        if not is_racy(file.stamp.mtime_ns, file.stamp.ctime_ns, time.time_ns()):
            with self._lock:
                self._known[key] = index
                if len(self._known) > _MAX_INDEXES:
                    self._known.popitem(last=False)
        return index


def _encoding_of(roots: Roots, file: OpenFile) -> str | Missing:
    if file.stamp.size > MAX_BYTES:
        why = f"has {file.stamp.size:,} bytes; at most {MAX_BYTES:,} can be read in parts."
        return missing(roots, file.path, MissingReason.TOO_LARGE, why)
    why = "is binary or UTF-16; of such a size only other text files can be read in parts."
    head = os.pread(file.descriptor, _HEAD_BYTES, 0)
    found = _encoding(head, roots.encoding(file.path))
    return found or missing(roots, file.path, MissingReason.BINARY, why)


def _encoding(head: bytes, known: str) -> str | None:
    """The encoding of the beginning of a file; None if these are no lines of text.

    `known` is the encoding that is declared for the file.
    """
    whole = head[: head.rfind(b"\n") + 1] or head
    found = None
    for cut in range(4):  # the last character may be cut
        decoded = decode(whole[: len(whole) - cut], known)
        if decoded is None:
            return None
        found = found or decoded[1]
        if not is_guessed(decoded[1]):
            found = decoded[1]
            break
    return None if found is None or found.startswith("utf-16") else found


def _blocks(file: OpenFile, at: int, cancelled: IsCancelled) -> Iterator[bytes]:
    """The bytes from a place on, in blocks that divide no CRLF."""
    while block := os.pread(file.descriptor, _BLOCK + 1, at):
        if cancelled():
            raise Cancelled
        if len(block) > _BLOCK and block[-2:] != b"\r\n":
            block = block[:-1]
        yield block
        at += len(block)


def _ends(block: bytes) -> int:
    return block.count(b"\n") + block.count(b"\r") - block.count(b"\r\n")


def _start(file: OpenFile, index: _Index, line: int) -> int:
    """The byte at which a line of the file begins."""
    if line == 1:
        return 0
    number = bisect_left(index.before, line - 1) - 1
    start, end = index.starts[number : number + 2]
    block = os.pread(file.descriptor, end - start, start)
    found = next(islice(_LINE_END.finditer(block), line - 2 - index.before[number], None), None)
    return start + found.end() if found else start  # none: the file changed meanwhile


def _pieces(
    file: OpenFile, at: int, most: int, cancelled: IsCancelled
) -> Iterator[tuple[bytes, int]]:
    """The lines from a place on: at most so many bytes of each, and how many it has."""
    kept, length = b"", 0
    for block in _blocks(file, at, cancelled):
        start = 0
        for end in _LINE_END.finditer(block):
            here = end.start() - start
            yield kept + block[start : start + min(here, most - len(kept))], length + here
            kept, length, start = b"", 0, end.end()
        kept += block[start : start + most - len(kept)]
        length += len(block) - start
    if length:
        yield kept, length


def _decoded(raw: bytes, encoding: str, *, final: bool) -> str:
    """The text, with U+FFFD for what is none; unless `final`, its last character may be cut."""
    return codecs.getincrementaldecoder(codec_of(encoding))("replace").decode(raw, final=final)
