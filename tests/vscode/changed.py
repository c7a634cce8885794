"""What changed in the project, by which tests in VS Code are chosen."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

MACHINERY = (
    "tests/vscode",
    "vscode-client/build.mjs",
    "vscode-client/package.json",
    "vscode-client/package-lock.json",
    "vscode-client/test/code",
)


def concerns(mark: pytest.Mark, changed: Iterable[Path]) -> bool:
    """Whether a file changed that the test is about, or that all tests in VS Code use."""
    return any(path.is_relative_to(each) for path in changed for each in (*mark.args, *MACHINERY))


def changed_files(root: Path) -> frozenset[Path]:
    """What differs from where this branch left `main`; on `main` itself, what changed in a day.

    What is not committed counts, too. The paths are relative to `root`. Empty if nothing differs,
    and if git cannot say it, as in a clone of one commit.
    """
    try:
        differing = _git(
            root, "diff", "--name-only", "--no-renames", "--relative", "-z", base(root)
        )
        new = _git(root, "ls-files", "--others", "--exclude-standard", "-z")
    except (OSError, subprocess.CalledProcessError):
        return frozenset()
    return frozenset(Path(each) for each in f"{differing}\0{new}".split("\0") if each)


def base(root: Path) -> str:
    """The commit to compare with. Raises `CalledProcessError` if there is none."""
    head = _git(root, "rev-parse", "HEAD")
    for main in ("origin/main", "main"):
        try:
            left = _git(root, "merge-base", main, head.strip())
        except subprocess.CalledProcessError:
            continue  # it is not there, or too little of the history is
        if left != head:
            return left.strip()
    newest = _git(root, "rev-list", "-1", "--before=1 day ago", "HEAD").strip()
    return _git(root, "rev-parse", "--verify", newest).strip()


def _git(root: Path, *words: str) -> str:
    command = ["git", "-C", str(root), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
