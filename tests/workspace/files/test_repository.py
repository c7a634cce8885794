"""Linked worktrees: git reads outside the workspace only what is truly theirs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from glossator.workspace.files.git_format import git_folders, git_outside
from tests.workspace.files.test_ignore_as_git import COMMIT, git


def linked(main: Path, root: Path, *layout: str) -> Path:
    """A linked worktree at `root`; the folder that git shares."""
    git("init", "-q", *layout, main, cwd=main.parent)
    if layout:
        tree = git("hash-object", "-t", "tree", "-w", "/dev/null", cwd=main).decode().strip()
        named = "-c user.name=n -c user.email=e".split()
        commit = git(*named, "commit-tree", tree, "-m", "m", cwd=main).decode().strip()
        git("update-ref", "HEAD", commit, cwd=main)
    else:
        git(*COMMIT, cwd=main)
    git("worktree", "add", "-q", "-b", "other", root, cwd=main)
    return main if layout else main / ".git"


@pytest.mark.parametrize("layout", [(), ("--bare",)])
def test_a_linked_worktree_reads_its_own_folder_and_what_is_shared(
    tmp_path: Path, layout: tuple[str, ...]
) -> None:
    root = tmp_path / ("main/ws" if layout else "ws")
    shared = linked(tmp_path / "main", root, *layout)
    own = shared / "worktrees" / "ws"
    assert git_folders(str(root)) == (str(own), str(shared))
    read = set(git_outside([str(root)], [str(root)]))
    assert {str(own), str(shared / "objects"), str(shared / "refs")} <= read
    assert not {str(shared), str(shared / "hooks"), str(shared / "worktrees")} & read
    assert set(git_outside([str(root)], [str(root), str(tmp_path)])) == set()


def names(folder: Path) -> Callable[[Path], None]:
    def write(root: Path) -> None:
        (root / ".git").write_text(f"gitdir: {folder}\n")

    return write


def claims(root: Path) -> None:
    """A folder of the workspace says that it belongs to the folder above the workspace."""
    own = root / "worktrees" / "fake"
    own.mkdir(parents=True)
    (root / ".git").write_text(f"gitdir: {own}\n")
    (own / "gitdir").write_text(f"{root / '.git'}\n")
    (own / "commondir").write_text(f"{root}\n")


def claims_above(root: Path) -> None:
    """The workspace is called `worktrees`."""
    own = root / "fake"
    own.mkdir()
    (root / ".git").write_text(f"gitdir: {own}\n")
    (own / "gitdir").write_text(f"{root / '.git'}\n")
    (own / "commondir").write_text("../..\n")


def claims_another(root: Path) -> None:
    """A folder of the workspace says that it shares a folder elsewhere."""
    own = root / "fake"
    own.mkdir()
    (root / ".git").write_text(f"gitdir: {own}\n")
    (own / "gitdir").write_text(f"{root / '.git'}\n")
    (own / "commondir").write_text(f"{root.parent / 'home'}\n")


def another_worktree(root: Path) -> None:
    """It names the folder of a worktree that stands elsewhere."""
    shared = linked(root.parent / "main", root.parent / "true")
    names(shared / "worktrees" / "true")(root)


@pytest.mark.parametrize(
    "pretend",
    [claims, claims_above, claims_another, another_worktree, names(Path("/etc")), lambda _: None],
)
def test_no_file_of_a_workspace_makes_anything_else_readable(
    tmp_path: Path, pretend: Callable[[Path], None]
) -> None:
    (tmp_path / "home").mkdir()
    root = tmp_path / "worktrees"
    root.mkdir()
    pretend(root)
    assert list(git_outside([str(root)], [str(root)])) == []
