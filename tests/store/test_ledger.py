"""Rows of facts and memories of sessions on disk: the newer one counts, and old ones go."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from glossator.store import Retention
from glossator.store.tables import LedgerRow, LedgerStore

KEEP = Retention(days=30, count=2, bytes=0)
DAY = 86_400


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "ledger.db")


def test_of_two_rows_the_newer_one_is_kept(path: str) -> None:
    store = LedgerStore(path, KEEP)
    store.put("w", {"f1": LedgerRow(2.0, b"two"), "f2": LedgerRow(1.0, b"one")})
    store.put("w", {"f1": LedgerRow(1.0, b"old"), "f2": LedgerRow(3.0, None)})
    store.put("other", {"f1": LedgerRow(9.0, b"other")})
    assert store.facts("w") == {"f1": LedgerRow(2.0, b"two"), "f2": LedgerRow(3.0, None)}
    version = store.version()
    again = LedgerStore(path, KEEP)
    again.put("w", {"f1": LedgerRow(4.0, b"four")})
    again.close()
    assert store.version() != version
    assert store.facts("w")["f1"] == LedgerRow(4.0, b"four")
    for value in (b"gone", b"later", b"then"):  # of two rows of one moment the greater text counts
        store.put("w", {"f1": LedgerRow(4.0, value)})
    assert store.facts("w")["f1"] == LedgerRow(4.0, b"then")
    store.close()


def test_of_what_was_forgotten_the_last_is_known(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.store.tables.FORGOTTEN_MOST", 2)
    store, now = LedgerStore(path, KEEP), time.time()
    gone = {f"f{age}": LedgerRow(now - age, None) for age in range(1, 5)}
    for workspace in ("v", "w"):
        store.put(workspace, {"kept": LedgerRow(1.0, b"kept"), **gone})
    store.prune()
    assert set(store.facts("v")) == set(store.facts("w")) == {"kept", "f1", "f2"}
    store.close()


def test_forgotten_facts_and_old_memories_go(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store, now = LedgerStore(path, KEEP), 400.0 * DAY
    monkeypatch.setattr("time.time", lambda: now)
    store.put("w", {"f1": LedgerRow(now - 200 * DAY, None), "f2": LedgerRow(now - DAY, None)})
    store.put("w", {"f3": LedgerRow(1.0, b"kept")})
    for age, session in ((40, "s1"), (3, "s2"), (2, "s3"), (1, "s4")):
        monkeypatch.setattr("time.time", lambda age=age: now - age * DAY)
        store.put_memory(session, "w", session.encode(), shared=False)
    monkeypatch.setattr("time.time", lambda: now)
    store.prune()
    assert set(store.facts("w")) == {"f2", "f3"}
    assert store.unshared("w") == [("s3", b"s3"), ("s4", b"s4")]
    store.mark_shared("s3", b"another value by now")
    store.mark_shared("s4", b"s4")
    assert store.unshared("w") == [("s3", b"s3")]
    assert store.unshared("v") == []
    assert store.remove_memories("w", ["s9"]) == ["s3", "s4"]
    assert store.memory("s4") is None
    store.close()
