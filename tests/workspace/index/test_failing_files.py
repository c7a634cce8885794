"""A file that makes reading for the text index fail is left out, and the others are indexed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from glossator.worker import finished
from glossator.worker.items import HERE, Troubles
from glossator.workspace.files import state_folder
from glossator.workspace.files.roots import Roots
from glossator.workspace.index import segment_writer
from glossator.workspace.index.jobs import BuildSegment, Built
from glossator.workspace.index.searchable import Searchable
from glossator.workspace.index.searchable import searchable as really_searchable
from glossator.workspace.index.segment_writer import LeftOut, Reading

BAD = "a poisoned line\n" * 3_000 + "the end of it\n"
REALLY_MARK = segment_writer.mark


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(segment_writer, "ripe_at", lambda *_: 0)
    root = tmp_path / "ws"
    root.mkdir()
    for name, text in (("a", "thread\n" * 9), ("bad", BAD), ("c", "needle\n" * 9)):
        (root / name).write_text(text)
    return root


@pytest.fixture(autouse=True)
def troubles() -> Iterator[Troubles]:
    made = Troubles()
    token = HERE.set(made)
    yield made
    HERE.reset(token)


def searchable(raw: bytes, known: str = "") -> Searchable | None:
    if b"poison" in raw:
        raise ZeroDivisionError
    return really_searchable(raw, known)


def mark(text: bytes, seen: NDArray[np.bool_]) -> Iterator[None]:
    """Fails at the last passage of the file, when others are marked already."""
    if b"end of it" in text:
        seen[:1_000] = True
        raise ZeroDivisionError
    yield from REALLY_MARK(text, seen)


@pytest.mark.parametrize(("step", "fault"), [("searchable", searchable), ("mark", mark)])
def test_the_others_are_indexed(
    tree: Path, troubles: Troubles, monkeypatch: pytest.MonkeyPatch, step: str, fault: object
) -> None:
    monkeypatch.setattr(segment_writer, step, fault)
    folder = str(state_folder.prepare_index_folder(str(tree)))
    paths = tuple(str(tree / name) for name in ("a", "bad", "c"))
    built = finished(BuildSegment(str(tree), folder, paths, frozenset(), None, 10**9).run())
    assert isinstance(built, Built)
    assert (built.left_out, sum(each.documents for each in built.segments)) == (1, 2)
    (trouble,) = troubles.listed
    assert trouble.in_words == f"{tree}/bad is read by every search: ZeroDivisionError"
    found = finished(segment_writer.read_file(Roots((str(tree),)), paths[1], 10**9))
    assert found is LeftOut.FAILED
    assert isinstance(
        finished(segment_writer.read_file(Roots((str(tree),)), paths[2], 10**9)), Reading
    )
