"""Links are not indexed, but what they lead to is: they are looked into only where it may match."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from glossator.workspace.documents.overlays import Overlay
from glossator.workspace.documents.snapshot import WorkspaceSnapshot
from glossator.workspace.index.required import analyse
from glossator.workspace.search import source
from glossator.workspace.search.ripgrep import Request
from glossator.workspace.search.search import TextSearch
from tests.workspace.search.searching import files, in_a_segment, indexed, pending, write

_NEEDLE = Request("needle")
_LINKS = {
    "to-needle": "with",
    "deep/to-needle": "../with",
    "to-hay": "without",
    "deep/to-hay": "./../deep/inner",
    "to-binary": "binary",
    "to-link": "to-hay",
    "through-link": "linked/file",
    "deep/around": "../linked/../x",
}
_SURE = {"to-hay", "deep/to-hay"}  # to hold no needle


@pytest.fixture(params=["segment", "memory"])
async def snapshot(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> WorkspaceSnapshot:
    """Everything is indexed but links."""
    root, segments = tmp_path / "root", tmp_path / "segments"
    segments.mkdir()
    write(root, {"with": b"needle\n", "without": b"hay\n" * 40, "binary": b"\0needle"})
    write(root, {"deep/inner": b"hay\n", "deep/lower/file": b"", "deep/x": b"needle", "x": b"hay"})
    (root / "linked").symlink_to("deep/lower")
    for name, target in _LINKS.items():
        (root / name).symlink_to(target)
    plain = await pending(root)
    assert {entry.relative for entry in plain.listing.files if entry.is_link} == set(_LINKS)
    if request.param == "memory":
        return indexed(plain)
    return in_a_segment(plain, segments, monkeypatch)


def looked_into(snapshot: WorkspaceSnapshot) -> set[str]:
    found = source.candidates(snapshot, analyse(_NEEDLE.pattern).query)
    links = {entry for entry in found.others if entry.is_link}
    return {link.relative for link in links if not found.misses(link)}


async def test_a_link_is_looked_into_if_what_it_leads_to_may_match(
    snapshot: WorkspaceSnapshot,
) -> None:
    assert looked_into(snapshot) == set(_LINKS) - _SURE
    expected = ["deep/around", "deep/to-needle", "deep/x", "to-needle", "with"]
    assert sorted(files(snapshot, _NEEDLE)) == expected


async def test_a_link_is_looked_into_once_its_target_is_not_as_it_was_listed(
    snapshot: WorkspaceSnapshot,
) -> None:
    (root,) = map(Path, snapshot.roots)
    (root / "without").write_bytes(b"a needle\n")
    (root / "deep/to-hay").unlink()
    (root / "deep/to-hay").symlink_to("../with")
    assert looked_into(snapshot) == set(_LINKS)
    found = files(snapshot, _NEEDLE)
    assert {"to-hay", "to-link", "deep/to-hay"} < set(found)


async def test_a_link_that_leads_nowhere_by_now_is_told_of(snapshot: WorkspaceSnapshot) -> None:
    (root,) = map(Path, snapshot.roots)
    (root / "without").unlink()
    (root / "deep/to-hay").unlink()
    assert looked_into(snapshot) == set(_LINKS)
    search = TextSearch(snapshot, _NEEDLE)
    assert "to-hay" not in {entry.relative for entry in search.files(search.by_path())}
    told = {entry.relative for entry in search.unsearched}
    assert {"to-hay", "to-link", "deep/to-hay"} <= told


async def test_a_link_shows_the_unsaved_text_of_its_target(snapshot: WorkspaceSnapshot) -> None:
    entry = next(each for each in snapshot.listing.files if each.relative == "without")
    overlay = Overlay(f"file://{entry.path}", entry.path, 1, "a needle\n", 0)
    snapshot = replace(snapshot, overlays={entry.path: overlay}, open_files=(entry,))
    assert looked_into(snapshot) == set(_LINKS) - {"deep/to-hay"}
    assert {"to-hay", "without"} < set(files(snapshot, _NEEDLE))


async def test_a_link_that_is_searched_alone_is_looked_into(snapshot: WorkspaceSnapshot) -> None:
    """The index is not asked about the one file, so it says nothing of its target."""
    alone = next(each for each in snapshot.listing.files if each.relative == "to-needle")
    search = TextSearch(snapshot, _NEEDLE, alone=alone)
    assert list(search.files(search.by_path())) == [alone]


async def test_a_link_to_what_is_not_indexed_is_looked_into(tmp_path: Path) -> None:
    write(tmp_path, {"file": b"hay\n"})
    (tmp_path / "link").symlink_to("file")
    assert looked_into(await pending(tmp_path)) == {"link"}
