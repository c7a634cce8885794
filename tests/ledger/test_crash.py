"""A short, seeded slice of `python -m tests.ledger.crash`."""

from __future__ import annotations

from pathlib import Path

from tests.ledger.crash import crash


def test_a_killed_server_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    tally = crash(tmp_path, kills=2, seed=4)
    assert tally.kept
    assert tally.lost == set()
