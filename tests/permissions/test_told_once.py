"""What the user was told about a workspace is told once, until it is something else."""

from __future__ import annotations

from pathlib import Path

from glossator.permissions import ToldOnce


def test_it_is_new_until_it_was_told_in_each_folder(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    problems: list[str] = []
    file = tmp_path / "told.json"

    def told(*folders: Path) -> ToldOnce:
        return ToldOnce(problems.append, lambda: tuple(map(str, folders)), file)

    assert told(one).is_new("hooks", "1 hook")
    assert not told(one).is_new("hooks", "1 hook")  # another server, or the next session
    assert told(one, two).is_new("hooks", "1 hook")
    assert not told(two).is_new("hooks", "1 hook")
    assert told(two).is_new("hooks", "2 hooks")
    assert told(two).is_new("hooks", "1 hook")  # it changed, and changed back
    assert told(two).is_new("servers", "1 hook")
    assert not told(one).is_new("hooks", "1 hook")
    assert problems == []


def test_a_file_that_cannot_be_used_is_reported_and_it_is_told_again(tmp_path: Path) -> None:
    problems: list[str] = []
    file = tmp_path / "told.json"
    file.mkdir()
    told = ToldOnce(problems.append, lambda: (str(tmp_path),), file)
    assert [told.is_new("hooks", "1 hook") for _ in range(2)] == [True, True]
    assert str(file) in problems[0]
