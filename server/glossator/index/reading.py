"""Reading a file for the index: its trigrams, and the stamp under which they are valid."""

from __future__ import annotations

import time
from collections.abc import Generator
from enum import Enum
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from glossator.core.document import Missing
from glossator.files import TIMES, Roots, load_listed, ripe_at
from glossator.index.fold import KEYS
from glossator.index.plain import Traits, searchable, traits
from glossator.index.segment import Stamp
from glossator.index.trigrams import framed, mark, passages


class Facts(NamedTuple):
    """What the index keeps of a file as it was read, beside its trigrams."""

    stamp: Stamp
    traits: Traits


class Reading(NamedTuple):
    """All the index keeps of a file as it was read; `keys` are distinct and ascending."""

    stamp: Stamp
    traits: Traits
    keys: NDArray[np.intp]


class Marks(Protocol):
    """Where the trigrams of a file are marked, passage by passage."""

    @property
    def seen(self) -> NDArray[np.bool_]:
        """By key, for the passage that is being read."""
        ...

    def end_passage(self, end: int) -> None:
        """All of the passage is marked; at the byte `end` another one of the same file follows."""
        ...


class _Together:
    """The trigrams of all passages."""

    def __init__(self) -> None:
        self.seen = np.zeros(KEYS, np.bool_)

    def end_passage(self, end: int) -> None:
        """Go on as before."""


class LeftOut(Enum):
    """Why a file is not indexed for now."""

    YOUNG = "young"
    MISDATED = "misdated"  # with a time that a stamp cannot hold, as damaged archives leave it
    UNREADABLE = "unreadable"  # absent, too large, forbidden, changing, or now a link


def read_file(roots: Roots, path: str, limit: int) -> Generator[None, None, Reading | LeftOut]:
    """Read the absolute `path` of at most `limit` bytes; the result comes at the end.

    A long text takes several steps.
    """
    marks = _Together()
    facts = yield from mark_file(roots, path, limit, marks)
    return facts if isinstance(facts, LeftOut) else Reading(*facts, np.flatnonzero(marks.seen))


def mark_file(
    roots: Roots, path: str, limit: int, marks: Marks
) -> Generator[None, None, Facts | LeftOut]:
    """As `read_file`, but its trigrams are marked in `marks`, those of the last passage at the end.

    Nothing is marked of what is left out.
    """
    now = time.time_ns()  # before the reading: a change after it is younger still
    raw = load_listed(roots, path, limit)
    if isinstance(raw, Missing) or raw.path != path:
        return LeftOut.UNREADABLE
    size, mtime_ns, ctime_ns, inode, _ = raw.stamp
    if ripe_at(mtime_ns, ctime_ns) > now:
        return LeftOut.YOUNG
    if mtime_ns not in TIMES or ctime_ns not in TIMES:
        return LeftOut.MISDATED
    content = searchable(raw.content)
    if content is not None:
        # what is no plain text, byte for byte, is searched as a whole
        whole = not (content.plain and raw.content == content.text)
        divided = ((0, framed(content.text)),) if whole else passages(content.text)
        end = 0
        for following, passage in divided:
            if end:
                marks.end_passage(end)
            yield from mark(passage, marks.seen)
            end = following
    return Facts((size, mtime_ns, ctime_ns, inode), traits(content))
