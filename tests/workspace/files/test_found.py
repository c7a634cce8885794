"""What a walk finds stands by directory and in order, however it was put together."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from glossator.settings.model import WorkspaceSettings
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.files.ignore import FolderRules, IgnoreRules
from glossator.workspace.files.rescan import Differences
from glossator.workspace.files.roots import Roots
from glossator.workspace.files.walk import Found
from tests.workspace.files.trees import listed, write_tree


def entry(path: str, size: int = 1) -> FileEntry:
    return FileEntry(path, path[1:], size, 1)


def paths(found: Found) -> dict[str, list[str]]:
    return {folder: [each.path for each in files] for folder, files in found.folders.items()}


def test_files_are_put_in_order_and_the_last_of_a_path_counts() -> None:
    found = Found.of([entry("/b/x"), entry("/a/z"), entry("/a/y"), entry("/a/z", 7)], {"/c": "why"})
    assert paths(found) == {"/a": ["/a/y", "/a/z"], "/b": ["/b/x"]}
    assert [each.size for each in found.files] == [1, 7, 1]
    assert len(found) == 4
    assert paths(Found.of([entry("/top")])) == {"/": ["/top"]}


def test_parts_of_a_directory_become_one() -> None:
    found = Found()
    for names in ("c", "e", "ad", "d"):
        found.extend(Found.of(entry(f"/f/{name}", ord(names[0])) for name in names))
    assert paths(found) == {"/f": [f"/f/{name}" for name in "acde"]}
    assert [each.size for each in found.files] == [97, 99, 100, 101]


def test_what_others_looked_at_later_is_left_out() -> None:
    files = ["/ws/a", "/ws/in/b", "/ws/in/c", "/ws/in/deep/er/d", "/ws/on/e"]
    differences = Differences(
        Found.of(map(entry, files), {"/ws/in/deep/x": "r", "/ws/y": "r"}),
        ["/ws/in/deep/gone", "/ws/gone"],
        ["/ws/on", "/ws/lifted"],
    )
    left = differences.without({"/ws/in/deep", "/ws/in/b", "/ws/on"})
    assert paths(left.found) == {"/ws": ["/ws/a"], "/ws/in": ["/ws/in/c"]}
    assert left.found.skipped == {"/ws/y": "r"}
    assert (left.gone, left.lifted) == (["/ws/gone"], ["/ws/lifted"])


def test_a_name_that_the_system_gives_twice_is_listed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As file systems may for one that is renamed meanwhile."""
    write_tree(tmp_path, {"b": "", "a": "", "in/c": ""})
    real = os.scandir

    class Twice:
        def __init__(self, folder: str) -> None:
            with real(folder) as entries:
                self._entries = [each for one in entries for each in (one, one)]

        def __enter__(self) -> list[os.DirEntry[str]]:
            return self._entries

        def __exit__(self, *_: object) -> None:
            """Nothing is open any more."""

    monkeypatch.setattr("glossator.workspace.files.walk.os.scandir", Twice)
    assert listed(tmp_path) == ["a", "b", "in/c"]


def test_rules_below_the_top_of_the_disk() -> None:
    rules = IgnoreRules(Roots.of((os.sep,)), WorkspaceSettings())
    assert isinstance(rules.entered("/no such folder", ["a"]), FolderRules)
