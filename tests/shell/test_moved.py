"""Where a shell may be after programs that change its folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.shell.parser import parse
from glossator.shell.read_only import CommandContext, read_only_commands
from glossator.shell.script import Script, folders_after


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path.resolve()
    for folder in ("src", "a", "b/c", "b/x"):
        (root / folder).mkdir(parents=True)
    (root / "a/l").symlink_to("../b/c")
    return root


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("cd src", ["", "src"]),
        ("cd .", [""]),
        ("cd ./src/", ["", "src"]),
        ("cd a/l/../x", ["", "a/x", "b/x"]),  # by name, and by where the link leads
        ("cd -P src", ["", "src"]),
        ("pushd src", ["", "src"]),
        ("popd", [""]),
        ("popd +1", [""]),
        ("cd", ["", "~", "home"]),
        ("cd -", ["", "~", "home"]),
        ("cd ~/x", ["", "~/x", "home/x"]),
    ],
)
def test_moved(
    root: Path, monkeypatch: pytest.MonkeyPatch, words: str, expected: list[str]
) -> None:
    monkeypatch.setenv("HOME", str(root / "home"))
    found = folders_after([str(root)], words.split())
    assert sorted(found) == sorted(str(root / each) for each in expected)


def test_many_moves_end(root: Path) -> None:
    """One that leads nowhere else stays cheap; after many that may fail, no more is sure."""
    place = CommandContext(str(root), (str(root),), "/usr/bin:/bin")
    staying = parse("cd .; " * 180 + "ls")
    assert isinstance(staying, Script)
    assert read_only_commands(staying.commands, place) == set(staying.commands)
    going = parse("".join(f"cd d{each}; " for each in range(180)) + "git status")
    assert isinstance(going, Script)
    assert going.commands[-1] not in read_only_commands(going.commands, place)
