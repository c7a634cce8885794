"""When the index is written, and what is merged."""

from __future__ import annotations

import pytest

from glossator.workspace.text.policy import (
    MAX_BYTES,
    MAX_FILES,
    Figures,
    Step,
    first_batch,
    next_step,
    to_merge,
)
from glossator.workspace.walk import FileEntry
from tests.lsp.support.chance import seeded


@pytest.mark.parametrize(
    ("ripe", "kept", "room", "quiet", "can_write", "step"),
    [
        (0, 0, 512, 99, True, Step.REST),
        (1, 0, 512, 0, True, Step.KEEP),
        (200, 100, 400, 0, True, Step.KEEP),
        (201, 0, 512, 0, True, Step.WRITE),
        (201, 0, 512, 0, False, Step.KEEP),
        (2, 300, 1, 0, True, Step.WRITE),
        (2, 300, 0, 0, False, Step.REST),
        (0, 64, 400, 29, True, Step.REST),
        (0, 64, 400, 30, True, Step.WRITE),
        (1, 64, 400, 30, True, Step.KEEP),
        (0, 63, 400, 99, True, Step.REST),
        (0, 64, 400, 99, False, Step.REST),
    ],
)
def test_next_step(
    ripe: int, kept: int, room: int, quiet: float, can_write: bool, step: Step
) -> None:
    assert next_step(ripe=ripe, kept=kept, room=room, quiet=quiet, can_write=can_write) is step


def test_a_batch_is_as_much_as_one_segment_takes() -> None:
    many = [FileEntry(f"/{number:06}", "", 1, 0) for number in range(MAX_FILES + 5)]
    assert first_batch(reversed(many)) == many[:MAX_FILES]
    assert first_batch(many, shrink=3) == many[: MAX_FILES // 8]
    assert len(first_batch(many, shrink=60)) == 1
    large = [FileEntry(f"/{number}", "", MAX_BYTES // 2 + 1, 0) for number in range(3)]
    assert first_batch(large) == large[:1]
    assert first_batch([]) == []


@pytest.mark.parametrize(
    ("segments", "merged"),
    [
        ([], ""),
        ([(20_000, 20_000), (100, 100), (5, 5)], ""),
        ([(20_000, 10_000), (100, 49), (7, 0)], "BC"),  # more than half of it is void
        ([(100, 100)] * 7, ""),
        ([(100, 100)] * 8, "ABCDEFGH"),
        ([(20_000, 20_000)] * 9, ""),  # two would not make one
        ([(12_000, 12_000)] * 9, "AB"),
        ([(9_000, 9_000), *[(100, 100)] * 8], "BCDEFGHI"),
    ],
)
def test_what_is_merged(segments: list[tuple[int, int]], merged: str) -> None:
    figures = [Figures("ABCDEFGHI"[i], *segment) for i, segment in enumerate(segments)]
    assert to_merge(figures) == set(merged)


def test_after_any_history_there_are_few_segments_and_writing_stays_cheap() -> None:
    chance = seeded()
    segments = [Figures("0", 20_000, 20_000)]
    written = added = 0
    for number in range(1, 1000):
        live = chance.randint(64, 712)
        added += live
        segments.append(Figures(str(number), live, live))
        while names := to_merge(segments):
            merged = sum(segment.live for segment in segments if segment.name in names)
            segments = [segment for segment in segments if segment.name not in names]
            segments.append(Figures(f"m{written}", merged, merged))
            written += merged
        assert len(segments) <= 40 + added // (MAX_FILES // 2)
    assert written <= 4 * added
