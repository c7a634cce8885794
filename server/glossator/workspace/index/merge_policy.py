"""When the index is written to disk, and which segments are merged; pure functions.

A search costs a little for each segment, and writing costs reading the files again. Segments of
about the same size are merged when there are `_SEGMENTS_PER_MERGE` of them, so each file is
rewritten logarithmically often, and a root has about ten segments beside full ones. Segments with
too few live documents are merged; at once, if that is true of all together: what is read again for
that is not much more than what was written since.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from glossator.worker import JobProgress
from glossator.workspace.files.entries import FileEntry, ripe_at

MAX_FILES = 25_000  # in one segment
MAX_BYTES = 256_000_000  # of the files of one segment
FEW = 200  # changed files that are kept in memory; more are written at once
MAX_KEPT = 512  # documents in memory, as many as `memory_segment.py` takes
QUIET_SECONDS = 30.0  # without a change, before what is in memory is written
CROWDED = 8  # segments; then merging does not wait for quiet
WORTHWHILE = 64  # documents in memory; fewer are quickly read again at the next start

_SEGMENTS_PER_MERGE = 8  # of about the same size
_LIVE_SHARE = 0.7  # of documents; small segments take up to twice the space for each of them


@dataclass(frozen=True, slots=True)
class Hooks:
    """Callbacks of the index, on the event loop; they must not raise.

    `on_change`: the view changed. `notice`: a message for the user. `progress`: of long writing, in
    files; None when it is over.
    """

    on_change: Callable[[], None]
    notice: Callable[[str], None]
    progress: Callable[[JobProgress | None], None]


@dataclass(frozen=True, slots=True)
class Survey:
    """Pending files that can be indexed now, and seconds until the next other one can.

    `never`: how many cannot be indexed as they are.
    """

    ripe: list[FileEntry]
    ripens_in: float
    never: int


def survey(
    pending: Iterable[FileEntry],
    refused: Mapping[str, FileEntry],
    *,
    now: int,
    max_file_bytes: int,
) -> Survey:
    """Which pending files can be indexed; links and unchanged `refused` files cannot."""
    ripe: list[FileEntry] = []
    wait, never = math.inf, 0
    for entry in pending:
        if entry.is_link or entry.size > max_file_bytes or refused.get(entry.path) == entry:
            never += 1
            continue
        when = ripe_at(entry.mtime_ns, entry.ctime_ns)
        if when <= now:
            ripe.append(entry)
        else:
            wait = min(wait, when - now)
    return Survey(ripe, wait / 1e9, never)


@dataclass(frozen=True, slots=True)
class SegmentFigures:
    """A segment's documents, and how many of them are still valid."""

    name: str
    documents: int
    live: int


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of one root; times in seconds.

    `ripe` files can be indexed, `kept` documents are in memory, which has `room` for more.
    `quiet`: since the last change. `may_write_in`: 0 is now, infinity never. `trying`: a failed
    write is retried. `wanted`: the user wants all files on disk. `renews`: segments to write again.
    `full`: the disk limit is reached. `damaged` segments cannot be used.
    """

    ripe: int
    kept: int
    room: int
    quiet: float
    may_write_in: float
    trying: bool
    wanted: bool
    full: bool
    damaged: frozenset[str]
    segments: Sequence[SegmentFigures]
    renews: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Keep:
    """Index the ripe files in memory."""


@dataclass(frozen=True, slots=True)
class WriteSegment:
    """Write the files of these segments and, unless `alone`, those ripe or in memory."""

    replaces: frozenset[str] = frozenset()
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Rest:
    """Do nothing for so many seconds, unless something changes.

    `settled`: every ripe file is indexed, as far as possible.
    """

    seconds: float = math.inf
    settled: bool = True


def plan(standing: Standing) -> Keep | WriteSegment | Rest:
    """The next step for one root."""
    renews = _that_fit([each for each in standing.segments if each.name in standing.renews])
    if renews and standing.may_write_in == 0:
        return WriteSegment(renews, alone=True)
    step = _make_space(standing) if standing.full else _go_on(standing)
    if renews and isinstance(step, Rest):
        wait = min(step.seconds, standing.may_write_in)
        return Rest(wait, step.settled and not standing.trying)
    return step


def _make_space(standing: Standing) -> Keep | WriteSegment | Rest:
    """The next step on a full disk: only writing that makes the index smaller."""
    wasteful = standing.damaged or _that_fit(_wasteful(standing.segments))
    if wasteful and standing.may_write_in == 0:
        return WriteSegment(wasteful, alone=True)
    step = _go_on(replace(standing, may_write_in=math.inf))
    if wasteful and isinstance(step, Rest):
        return Rest(standing.may_write_in, step.settled)
    return step


def _go_on(standing: Standing) -> Keep | WriteSegment | Rest:
    wanted = standing.wanted and standing.ripe + standing.kept > 0
    many = wanted or standing.ripe > min(FEW, standing.room)
    if many and standing.may_write_in == 0:
        return WriteSegment()
    if standing.ripe and standing.room and (not many or standing.may_write_in == math.inf):
        return Keep()
    if many:
        return Rest(standing.may_write_in, settled=not standing.trying)
    replaces = standing.damaged or to_merge(standing.segments)
    if not replaces and standing.kept < WORTHWHILE:
        return Rest()
    soon = standing.damaged or (replaces and _cannot_wait(standing.segments))
    wait = max(0.0 if soon else QUIET_SECONDS - standing.quiet, standing.may_write_in)
    return Rest(wait) if wait > 0 else WriteSegment(replaces)


def by_folder(path: str) -> tuple[str, str]:
    """Sort key of files in a segment: the files of a folder together, as a start compares them."""
    folder, _, name = path.rpartition(os.sep)
    return folder, name


def first_batch(entries: Iterable[FileEntry], *, shrink: int = 0) -> list[FileEntry]:
    """As many of the entries, by folder, as one segment takes; half as many for each `shrink`."""
    batch: list[FileEntry] = []
    total = 0
    for entry in sorted(entries, key=lambda entry: by_folder(entry.path)):
        total += entry.size
        if batch and (len(batch) >= MAX_FILES >> shrink or total > MAX_BYTES >> shrink):
            break
        batch.append(entry)
    return batch


def to_merge(segments: Sequence[SegmentFigures]) -> frozenset[str]:
    """The segments to merge into one; none, if all is well."""
    if wasteful := _wasteful(segments):
        return _that_fit(wasteful)
    tiers: dict[int, list[SegmentFigures]] = defaultdict(list)
    for segment in segments:
        tiers[(max(1, segment.live).bit_length() - 1) // 3].append(segment)  # powers of 8
    for _, tier in sorted(tiers.items()):
        fitting = _that_fit(tier) if len(tier) >= _SEGMENTS_PER_MERGE else frozenset()
        if len(fitting) > 1:
            return fitting
    return frozenset()


def _cannot_wait(segments: Sequence[SegmentFigures]) -> bool:
    """Whether merging does not wait for quiet, which may be a day away where programs write."""
    live = sum(segment.live for segment in segments)
    documents = sum(segment.documents for segment in segments)
    return len(segments) > CROWDED or live < _LIVE_SHARE * (documents - FEW)


def _wasteful(segments: Iterable[SegmentFigures]) -> list[SegmentFigures]:
    return [each for each in segments if each.live < _LIVE_SHARE * each.documents]


def _that_fit(segments: Sequence[SegmentFigures]) -> frozenset[str]:
    """The smallest, as many as make one segment; one at least, if there is one."""
    names: list[str] = []
    total = 0
    for segment in sorted(segments, key=lambda segment: (segment.live, segment.name)):
        total += segment.live
        if names and total > MAX_FILES:
            break
        names.append(segment.name)
    return frozenset(names)
