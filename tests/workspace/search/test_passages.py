"""A long file is searched only where the index says, and yet as if it were read as a whole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from glossator.workspace.documents.overlays import Overlay
from glossator.workspace.documents.snapshot import WorkspaceSnapshot
from glossator.workspace.search.ripgrep import Request
from tests.workspace.search.searching import counts, files, in_a_segment, lines, pending, write

_FILLER = b"".join(b"filler %d\n" % number for number in range(50))
_NAME = "long.txt"


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        (r"\Aneedle", 0),
        (r"(?-m:^needle)", 0),
        (r"(?-m)^needle", 0),
        (r"needle end\z", 1),
        (r"(?-m:needle end$)", 1),
        (r"needle here\z", 0),
        (r"^needle", 2),
        (r"needle end$", 1),
        (r"needle\C", 2),
    ],
)
async def test_where_the_text_begins_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, count: int
) -> None:
    content = _FILLER + b"needle here\n" + _FILLER + b"needle end\n"
    unindexed, indexed = await _long_file(tmp_path, content, monkeypatch)
    for snapshot in (unindexed, indexed):
        request = Request(pattern)
        assert counts(snapshot, request) == ([(_NAME, count)] if count else [])
        assert files(snapshot, request) == ([_NAME] if count else [])


@pytest.mark.parametrize(
    ("text", "pattern", "found"),
    [
        ("nothing\n", "needle", []),
        ("needle one\nneedle two\n", "needle", [1, 2]),
        ("x needle one\n", "^.{0,2}needle", [1]),
    ],
)
async def test_an_open_document_hides_every_passage(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    pattern: str,
    found: list[int],
) -> None:
    content = _FILLER + b"then needle one\n" + _FILLER
    _, indexed = await _long_file(tmp_path, content, monkeypatch)
    entry = next(each for each in indexed.listing.files if each.relative == _NAME)
    overlay = Overlay(f"file://{entry.path}", entry.path, 1, text, 0)
    snapshot = replace(indexed, overlays={entry.path: overlay}, open_files=(entry,))
    request = Request(pattern)
    assert [number for _, numbers in lines(snapshot, request) for number in numbers] == found
    assert files(snapshot, request) == [_NAME] * bool(found)
    assert counts(snapshot, request) == [(_NAME, len(found))] * bool(found)


async def _long_file(
    tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> tuple[WorkspaceSnapshot, WorkspaceSnapshot]:
    """A workspace with a file of many passages: without an index, and with it in a segment."""
    root, segments = tmp_path / "root", tmp_path / "segments"
    root.mkdir()
    segments.mkdir()
    write(root, {_NAME: content, "short.txt": b"x\n"})
    unindexed = await pending(root, ripgrep="off")
    return unindexed, in_a_segment(unindexed, segments, monkeypatch)
