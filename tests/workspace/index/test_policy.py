"""When the index is written, and what is merged."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import count

import pytest

from glossator.workspace.files.entries import RACY_NS, FileEntry
from glossator.workspace.index import layout, memory_segment, segment_writer
from glossator.workspace.index.merge_policy import (
    CROWDED,
    FEW,
    MAX_BYTES,
    MAX_FILES,
    MAX_KEPT,
    Keep,
    Rest,
    SegmentFigures,
    Standing,
    WriteSegment,
    first_batch,
    plan,
    survey,
    to_merge,
)
from tests.lsp.support.chance import seeded

NOW, NEVER, NONE = 0.0, math.inf, frozenset[str]()
FULL = SegmentFigures("full", 20_000, 20_000)
MERGE = [SegmentFigures("A", 100, 20)]
REWRITTEN = [SegmentFigures("B", 5_000, 2_000), SegmentFigures("C", 450, 320)]


@pytest.mark.parametrize(
    ("ripe", "kept", "room", "quiet", "may_write_in", "segments", "step"),
    [
        (0, 0, 512, 99, NOW, [], Rest()),
        (1, 0, 512, 0, NOW, [], Keep()),
        (200, 100, 400, 0, NOW, [], Keep()),
        (201, 0, 512, 0, NOW, [], WriteSegment()),
        (201, 0, 512, 0, NEVER, [], Keep()),
        (201, 0, 512, 0, 3, [], Rest(3, settled=False)),
        (2, 300, 1, 0, NOW, [], WriteSegment()),
        (2, 300, 0, 0, NEVER, [], Rest(NEVER, settled=False)),
        (0, 64, 400, 29, NOW, [], Rest(1)),
        (0, 64, 400, 29, 5, [], Rest(5)),
        (0, 64, 400, 30, NOW, [], WriteSegment()),
        (1, 64, 400, 30, NOW, [], Keep()),
        (0, 63, 400, 99, NOW, [FULL], Rest()),
        (0, 64, 400, 99, NEVER, [FULL], Rest(NEVER)),
        (0, 0, 512, 0, NOW, MERGE, Rest(30)),
        (0, 0, 512, 30, NOW, MERGE, WriteSegment(frozenset("A"))),
        (0, 0, 512, 0, NOW, [FULL, *REWRITTEN], Rest(30)),
        (0, 0, 512, 0, NOW, [*MERGE, *REWRITTEN], WriteSegment(frozenset("AB"))),
        (0, 0, 512, 0, 3, REWRITTEN, Rest(3)),
        (0, 0, 512, 0, NOW, [FULL] * CROWDED, Rest()),
        (0, 0, 512, 0, NOW, [FULL] * CROWDED + MERGE, WriteSegment(frozenset("A"))),
        (300, 0, 512, 0, NOW, MERGE, WriteSegment()),
    ],
)
def test_what_is_done_next(
    ripe: int,
    kept: int,
    room: int,
    quiet: float,
    may_write_in: float,
    segments: list[SegmentFigures],
    step: Keep | WriteSegment | Rest,
) -> None:
    standing = Standing(ripe, kept, room, quiet, may_write_in, True, False, False, NONE, segments)
    assert plan(standing) == step


def test_what_is_to_be_renewed_is_written_first_and_alone() -> None:
    standing = Standing(300, 0, 512, 0, NOW, True, True, False, NONE, [FULL])
    standing = replace(standing, renews=frozenset({FULL.name, "gone"}))
    assert plan(standing) == WriteSegment(frozenset({FULL.name}), alone=True)
    assert plan(replace(standing, full=True)) == WriteSegment(frozenset({FULL.name}), alone=True)
    waiting = replace(standing, ripe=0, may_write_in=3)
    assert plan(waiting) == Rest(3, settled=False)
    assert plan(replace(waiting, trying=False)) == Rest(3)
    assert plan(replace(standing, renews=frozenset({"gone"}))) == WriteSegment()


def test_what_is_damaged_is_written_anew_at_once() -> None:
    standing = Standing(0, 0, 512, 0, NOW, False, False, False, frozenset("A"), [FULL])
    assert plan(standing) == WriteSegment(frozenset("A"))
    assert plan(replace(standing, may_write_in=3)) == Rest(3)


@pytest.mark.parametrize(
    ("ripe", "kept", "may_write_in", "step"),
    [
        (1, 0, NOW, WriteSegment()),
        (0, 1, NOW, WriteSegment()),
        (0, 0, NOW, Rest()),
        (0, 1, 3, Rest(3, settled=False)),
        (1, 0, NEVER, Keep()),
        (0, 1, NEVER, Rest(NEVER, settled=False)),
    ],
)
def test_what_is_wanted_on_disk_is_written_at_once(
    ripe: int, kept: int, may_write_in: float, step: Keep | WriteSegment | Rest
) -> None:
    standing = Standing(ripe, kept, 512, 0, may_write_in, True, True, False, NONE, [])
    assert plan(standing) == step


DEAD, HALF_DEAD = SegmentFigures("dead", 900, 0), SegmentFigures("half", 900, 449)


@pytest.mark.parametrize(
    ("ripe", "may_write_in", "wanted", "segments", "step"),
    [
        (300, NOW, False, [DEAD, FULL], WriteSegment(frozenset({"dead"}), alone=True)),
        (0, NOW, False, [DEAD, HALF_DEAD], WriteSegment(frozenset({"dead", "half"}), alone=True)),
        (300, NOW, True, [HALF_DEAD], WriteSegment(frozenset({"half"}), alone=True)),
        (300, NOW, False, [FULL] * 9, Keep()),
        (300, 3, False, [DEAD], Keep()),
        (0, 3, True, [DEAD], Rest(3)),
        (0, NEVER, True, [DEAD], Rest(NEVER)),
        (0, NOW, True, [FULL], Rest()),
    ],
)
def test_a_full_index_only_gets_smaller(
    ripe: int,
    may_write_in: float,
    segments: list[SegmentFigures],
    step: Keep | WriteSegment | Rest,
    *,
    wanted: bool,
) -> None:
    standing = Standing(ripe, 0, 512, 0, may_write_in, False, wanted, True, NONE, segments)
    assert plan(standing) == step
    damaged = replace(standing, damaged=frozenset({"full"}), may_write_in=NOW)
    assert plan(damaged) == WriteSegment(frozenset({"full"}), alone=True)


def test_as_much_is_kept_as_there_is_room() -> None:
    assert memory_segment.SIZE == MAX_KEPT


@pytest.mark.parametrize(
    ("entry", "ripe"),
    [
        (FileEntry("/a", "a", 9, 1, 1), True),
        (FileEntry("/a", "a", 9, 1, 3 * RACY_NS), False),  # changed just now
        (FileEntry("/a", "a", 9, 99 * RACY_NS, 1), True),  # a time that was set
        (FileEntry("/a", "a", 9, 1, 1, is_link=True), False),
        (FileEntry("/a", "a", 101, 1, 1), False),  # too large
        (FileEntry("/refused", "refused", 9, 1, 1), False),
        (FileEntry("/refused", "refused", 9, 2, 2), True),  # changed since
    ],
)
def test_what_is_ripe(entry: FileEntry, *, ripe: bool) -> None:
    refused = {"/refused": FileEntry("/refused", "refused", 9, 1, 1)}
    found = survey([entry], refused, now=3 * RACY_NS, max_file_bytes=100)
    assert found.ripe == [entry] * ripe
    assert found.ripens_in == (RACY_NS / 1e9 if entry.ctime_ns == 3 * RACY_NS else math.inf)


def test_a_batch_is_as_much_as_one_segment_takes() -> None:
    many = [FileEntry(f"/{number:06}", "", 1, 0) for number in range(MAX_FILES + 5)]
    assert first_batch(reversed(many)) == many[:MAX_FILES]
    assert first_batch(many, shrink=3) == many[: MAX_FILES // 8]
    assert len(first_batch(many, shrink=60)) == 1
    large = [FileEntry(f"/{number}", "", MAX_BYTES // 2 + 1, 0) for number in range(3)]
    assert first_batch(large) == large[:1]
    assert first_batch([]) == []


def test_a_segment_has_room_for_the_passages_of_all_its_files() -> None:
    of_the_last = segment_writer.PASSAGES_OF_TEXT  # which may be of any size
    passages = MAX_BYTES // segment_writer.PASSAGE + MAX_FILES + of_the_last
    assert passages < layout.MAX_PASSAGES


@pytest.mark.parametrize(
    ("segments", "merged"),
    [
        ([], ""),
        ([(20_000, 20_000), (100, 100), (5, 5)], ""),
        ([(20_000, 14_000), (100, 69), (7, 0)], "BC"),  # much of it is void
        ([(100, 100)] * 7, ""),
        ([(100, 100)] * 8, "ABCDEFGH"),
        ([(20_000, 20_000)] * 9, ""),  # two would not make one
        ([(12_000, 12_000)] * 9, "AB"),
        ([(9_000, 9_000), *[(100, 100)] * 8], "BCDEFGHI"),
    ],
)
def test_what_is_merged(segments: list[tuple[int, int]], merged: str) -> None:
    figures = [SegmentFigures("ABCDEFGHI"[i], *segment) for i, segment in enumerate(segments)]
    assert to_merge(figures) == set(merged)


def test_while_files_are_always_written_little_is_dead_and_writing_stays_cheap() -> None:
    chance = seeded()
    files = 4_400
    held = dict.fromkeys(range(files), "0")  # by file: the segment with its live document
    sizes, written, changed, merges = {"0": files}, 0, 0, count()
    for number in range(1, 400):
        some = chance.sample(range(files), chance.randint(FEW + 1, 700))
        sizes[str(number)] = len(some)
        changed += len(some)
        held.update(dict.fromkeys(some, str(number)))
        while isinstance(step := plan(_never_quiet(sizes, held)), WriteSegment):
            moved = [file for file, name in held.items() if name in step.replaces]
            sizes = {name: size for name, size in sizes.items() if name not in step.replaces}
            name = f"m{next(merges)}"
            held.update(dict.fromkeys(moved, name))
            sizes[name] = len(moved)
            written += len(moved)
        assert sum(map(_disk, sizes.values())) <= 2.5 * _disk(files)
        assert len(sizes) <= CROWDED + 2
    assert written <= 2.5 * changed


def _disk(documents: int) -> float:
    """What a segment takes, as measured on Django: 450 files 1.05 MB, all 6,869 of them 7.4 MB."""
    return float(documents**0.717)


def _never_quiet(sizes: Mapping[str, int], held: Mapping[int, str]) -> Standing:
    live = Counter(held.values())
    segments = [SegmentFigures(name, size, live[name]) for name, size in sizes.items()]
    return Standing(0, 0, MAX_KEPT, 0, NOW, True, False, False, NONE, segments)


def test_after_any_history_there_are_few_segments_and_writing_stays_cheap() -> None:
    chance = seeded()
    segments = [SegmentFigures("0", 20_000, 20_000)]
    written = added = 0
    for number in range(1, 1000):
        live = chance.randint(64, 712)
        added += live
        segments.append(SegmentFigures(str(number), live, live))
        while names := to_merge(segments):
            merged = sum(segment.live for segment in segments if segment.name in names)
            segments = [segment for segment in segments if segment.name not in names]
            segments.append(SegmentFigures(f"m{written}", merged, merged))
            written += merged
        assert len(segments) <= 40 + added // (MAX_FILES // 2)
    assert written <= 4 * added
