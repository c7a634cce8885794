"""Reading a file for the index: its trigrams, and the stamp under which they are valid."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator
from enum import Enum
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from glossator.core.document import Missing
from glossator.core.errors import GlossatorError
from glossator.worker import Item, Trouble, attempt_steps
from glossator.workspace.files.disk import load_listed
from glossator.workspace.files.entries import TIMES, ripe_at
from glossator.workspace.files.roots import Roots
from glossator.workspace.index.plain import Traits, searchable, traits, version_of
from glossator.workspace.index.query import FOLD, KEYS
from glossator.workspace.index.segment import DocumentStamp


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
        """By key, for the current passage."""
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
    """Reading a file failed when some of it was marked; the next try leaves it out."""


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
    """As `read_file`, but marks trigrams in `marks`; the last passage is not ended there.

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
MAX_PASSAGES = 1 << 12  # of one text; those of a longer one are longer
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
    size = max(PASSAGE, len(text) // MAX_PASSAGES) if len(text) > LONG else LONG
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
