"""Short runs of `python -m tests.anchors.random_changes`."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.anchors import anchor_index
from tests.anchors.random_changes import try_changes


@pytest.mark.parametrize("seed", range(2))
async def test_nothing_is_shown_as_unchanged_that_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(anchor_index, "_SETTLE_SECONDS", 0.0)
    tally = await try_changes(tmp_path, events=150, spans=200, seed=seed)
    assert (tally.wrong, tally.missed) == ([], [])
    assert tally.found.total() > 9 * tally.misplaced.total()
