"""Glosses on disk: found by folder, shared, pruned by age, count and bytes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from glossator.store.logs import Retention
from glossator.store.tables import GlossStore

KEEP = Retention(days=30, count=100, bytes=1_000_000)


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "glosses.db")


def test_what_is_kept_is_found_by_folder(path: str) -> None:
    store = GlossStore(path, KEEP)
    odd = os.fsdecode(b"/a/\xff.py")
    for key, about in (("1", "/a"), ("2", "/a/b/c.py"), ("3", "/ab/c.py"), ("4", odd)):
        store.put(key, about, key.encode())
    store.close()
    again = GlossStore(path, KEEP)
    assert set(again.under(["/a"])) == {"1", "2", "4"}
    assert set(again.under(["/"])) == {"1", "2", "3", "4"}
    assert set(again.under([])) == set()
    assert again.get(["2", "4", "5"]) == {"2": b"2", "4": b"4"}
    again.close()


def test_two_servers_share_it(path: str) -> None:
    one, other = GlossStore(path, KEEP), GlossStore(path, KEEP)
    before = other.version()
    first = one.put("1", "/a", b"old")
    assert other.version() != before
    assert other.under(["/a"]) == {"1": first}
    before = other.version()
    second = one.put("1", "/a", b"new")
    assert (other.version() != before, second > first) == (True, True)
    assert other.get(["1"]) == {"1": b"new"}
    before = one.version()
    assert one.version() == before
    one.close()
    other.close()


def test_what_is_too_much_goes_oldest_first(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def kept(keep: Retention, *sizes: int) -> list[str]:
        Path(path).unlink(missing_ok=True)
        store = GlossStore(path, keep)
        for number, size in enumerate(sizes):
            store.put(str(number), "/a", bytes(size))
        found = sorted(store.under(["/a"]))
        store.close()
        return found

    assert kept(Retention(30, 2, 1_000), 10, 10, 10) == ["1", "2"]
    assert kept(Retention(30, 9, 1_000), 400, 400, 400) == ["1", "2"]
    assert kept(Retention(30, 9, 1_000), 10, 2_000) == []
    store = GlossStore(path, KEEP)
    store.put("0", "/a", b"")
    monkeypatch.setattr("time.time", lambda: 40 * 86_400 + os.stat(path).st_mtime)
    store.prune()
    assert store.under(["/a"]) == {}
    store.close()
