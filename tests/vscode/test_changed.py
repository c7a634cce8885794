"""By what changed, tests in VS Code are chosen."""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.vscode.changed import changed_files, concerns
from tests.vscode.conftest import ROOT
from tests.vscode.test_in_code import HOST, START


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two commits on `main`; the second, of today, made `b`."""
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, "a", date=datetime.now(UTC) - timedelta(days=2))
    commit(tmp_path, "b")
    return tmp_path


def git(root: Path, *words: str | Path, date: datetime | None = None) -> None:
    named = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    dated = {"GIT_COMMITTER_DATE": (date or datetime.now(UTC)).isoformat()}
    command, environment = ["git", *named, *words], os.environ | dated
    subprocess.run(command, cwd=root, check=True, capture_output=True, env=environment)


def commit(root: Path, name: str, date: datetime | None = None) -> None:
    (root / name).write_text("")
    git(root, "add", name)
    git(root, "commit", "-q", "-m", name, date=date)


def names(root: Path) -> set[str]:
    return {str(each) for each in changed_files(root)}


def test_on_main_the_commits_of_a_day_and_what_is_not_committed(repository: Path) -> None:
    assert names(repository) == {"b"}
    (repository / "a").write_text("changed\n")
    (repository / "new").write_text("")
    assert names(repository) == {"a", "b", "new"}


def test_on_main_what_was_not_pushed(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    clone = tmp_path_factory.mktemp("clone")
    git(clone, "clone", "-q", repository, ".")
    commit(clone, "c")
    commit(clone, "d")
    assert names(clone) == {"c", "d"}


def test_on_a_branch_all_its_commits_but_not_those_of_main(repository: Path) -> None:
    git(repository, "switch", "-q", "-c", "side")
    commit(repository, "c")
    commit(repository, "d")
    git(repository, "switch", "-q", "main")
    commit(repository, "e")
    git(repository, "switch", "-q", "side")
    assert names(repository) == {"c", "d"}
    git(repository, "switch", "-q", "main")
    git(repository, "merge", "-q", "--no-ff", "-m", "merge", "side")
    assert names(repository) == {"b", "c", "d", "e"}


@pytest.mark.parametrize(("depth", "expected"), [("1", set()), ("2", {"b"})])
def test_a_shallow_clone(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, depth: str, expected: set[str]
) -> None:
    clone = tmp_path_factory.mktemp("clone")
    git(clone, "clone", "-q", "--depth", depth, f"file://{repository}", ".")
    assert names(clone) == expected


def test_where_git_tells_nothing_nothing_is_known(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(repository / ".git")
    assert names(repository) == set()
    monkeypatch.setenv("PATH", str(repository))
    assert names(repository) == set()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("vscode-client/src/python.ts", True),
        ("vscode-client/test/code/stage.mjs", True),
        ("tests/vscode/model.py", True),
        ("vscode-client/srcs", False),
        ("server/glossator/turn/loop.py", False),
    ],
)
def test_a_test_is_about_the_folders_that_it_names(path: str, expected: bool) -> None:
    for mark in (HOST.mark, START.mark):
        assert concerns(mark, [Path(path)]) == expected


def test_what_a_test_is_about_is_there() -> None:
    named = {*HOST.mark.args, *START.mark.args}
    assert [each for each in named if not (ROOT / each).exists()] == []
