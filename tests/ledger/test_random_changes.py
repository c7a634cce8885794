"""A short run of `python -m tests.ledger.random_changes`."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.anchors import anchor_index
from tests.ledger.random_changes import try_changes


async def test_no_fact_is_shown_fresh_that_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anchor_index, "_SETTLE_SECONDS", 0.0)
    tally = await try_changes(tmp_path, events=120, facts=60, seed=3)
    assert tally.wrong == []
    assert min(tally.fresh, tally.stale, tally.again) > 0
