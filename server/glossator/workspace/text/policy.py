"""When the index is written to disk, and which segments are written anew as one; pure functions.

A search costs a little for each segment, and writing costs reading the files again. Segments of
about the same size are merged when there are `_TIER` of them, so a file is written again only as
often as the logarithm of their number, and a root has a few dozen segments at most.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from glossator.workspace.text.reading import ripe_at
from glossator.workspace.walk import FileEntry

MAX_FILES = 25_000  # in one segment
MAX_BYTES = 256_000_000  # of the files of one segment
FEW = 200  # changed files that are kept in memory; more are written at once
QUIET_SECONDS = 30.0  # without a change, before what is in memory is written
WORTHWHILE = 64  # documents in memory; fewer are quickly read again at the next start

_TIER = 8


@dataclass(frozen=True, slots=True)
class Survey:
    """Pending files that can be indexed now, and when the next of the others can, in ns."""

    ripe: list[FileEntry]
    next_ripe: int | None


def survey(
    pending: Iterable[FileEntry],
    refused: Mapping[str, FileEntry],
    *,
    now: int,
    max_file_bytes: int,
) -> Survey:
    """What can be indexed of the pending files; `refused` ones as they are cannot, nor links."""
    ripe: list[FileEntry] = []
    next_ripe: int | None = None
    for entry in pending:
        if entry.is_link or entry.size > max_file_bytes or refused.get(entry.path) == entry:
            continue
        when = ripe_at(entry.mtime_ns, entry.ctime_ns)
        if when <= now:
            ripe.append(entry)
        elif next_ripe is None or when < next_ripe:
            next_ripe = when
    return Survey(ripe, next_ripe)


class Step(Enum):
    """What the keeper of the index does next."""

    REST = "rest"
    KEEP = "keep"  # index what is pending in memory
    WRITE = "write"  # index what is pending, and what is in memory, on disk


def next_step(*, ripe: int, kept: int, room: int, quiet: float, can_write: bool) -> Step:
    """What to do about `ripe` pending files, with `kept` documents in memory and room for more.

    `quiet` is the time since the last change in seconds.
    """
    many = ripe > min(FEW, room)
    if can_write and (many or (kept >= WORTHWHILE and quiet >= QUIET_SECONDS and not ripe)):
        return Step.WRITE
    return Step.KEEP if ripe and room else Step.REST


def first_batch(entries: Iterable[FileEntry], *, shrink: int = 0) -> list[FileEntry]:
    """As many of the entries, by path, as one segment takes; half as many for each `shrink`."""
    batch: list[FileEntry] = []
    total = 0
    for entry in sorted(entries, key=lambda entry: entry.path):
        total += entry.size
        if batch and (len(batch) >= MAX_FILES >> shrink or total > MAX_BYTES >> shrink):
            break
        batch.append(entry)
    return batch


@dataclass(frozen=True, slots=True)
class Figures:
    """A segment's documents, and how many of them are still valid."""

    name: str
    documents: int
    live: int


def to_merge(segments: Sequence[Figures]) -> frozenset[str]:
    """The segments to write anew as one; none, if all is well."""
    wasteful = [segment for segment in segments if 2 * segment.live < segment.documents]
    if wasteful:
        return _that_fit(wasteful)
    tiers: dict[int, list[Figures]] = defaultdict(list)
    for segment in segments:
        tiers[(max(1, segment.live).bit_length() - 1) // 3].append(segment)  # powers of 8
    for _, tier in sorted(tiers.items()):
        fitting = _that_fit(tier) if len(tier) >= _TIER else frozenset()
        if len(fitting) > 1:
            return fitting
    return frozenset()


def _that_fit(segments: Sequence[Figures]) -> frozenset[str]:
    """The smallest, as many as make one segment; one at least."""
    names: list[str] = []
    total = 0
    for segment in sorted(segments, key=lambda segment: (segment.live, segment.name)):
        total += segment.live
        if names and total > MAX_FILES:
            break
        names.append(segment.name)
    return frozenset(names)
