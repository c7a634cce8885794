"""Reading a file for the index: its text and the stamp under which the text is valid."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import Enum

from glossator.core.document import Missing
from glossator.workspace.disk import RAISE_LIMIT, Stamp, load_raw
from glossator.workspace.roots import Roots
from glossator.workspace.text.plain import Searchable, searchable

RIPE_NS = 2_000_000_000  # a file younger than this may change once more under the same stamp


@dataclass(frozen=True, slots=True)
class Indexable:
    """A file as it was read; `content` is None when it is binary."""

    stamp: Stamp
    content: Searchable | None


class LeftOut(Enum):
    """Why a file is not indexed for now."""

    YOUNG = "young"
    UNREADABLE = "unreadable"  # absent, too large, forbidden, changing, or now a link


def ripe_at(mtime_ns: int, ctime_ns: int) -> int:
    """From when on a file with these times can be indexed, in ns since 1970.

    Where a change's time has no fine resolution, two changes soon after each other can leave the
    same stamp. A time in the future, from another machine's clock, is waited for.
    """
    return (ctime_ns or mtime_ns) + RIPE_NS


def read_indexable(roots: Roots, path: str, limit: int) -> Indexable | LeftOut:
    """Read the absolute `path` of at most `limit` bytes."""
    now = time.time_ns()  # before the reading: a change after it is younger still
    raw = load_raw(roots, path, limit, RAISE_LIMIT)
    if isinstance(raw, Missing) or raw.path != path:
        return LeftOut.UNREADABLE
    if ripe_at(raw.stamp.mtime_ns, raw.stamp.ctime_ns) > now:
        return LeftOut.YOUNG
    return Indexable(raw.stamp, searchable(raw.content))
