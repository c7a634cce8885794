"""The folders that keep what is known of roots: private, bounded, one writer each."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from glossator.workspace import state_folder
from glossator.workspace.worker.lock import release, try_lock
from glossator.workspace.worker.prune import Prune


@pytest.fixture(autouse=True)
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return state_folder.index_base()


def used(root: str, size: int, when: int) -> Path:
    """The folder of a root last used at `when`, with `size` bytes of segments."""
    folder = state_folder.prepare(root)
    (folder / "segments").mkdir()
    (folder / "segments" / "one").write_bytes(bytes(size))
    os.utime(folder / "root", ns=(when, when))
    return folder


def run(job: Prune) -> set[str]:
    slices = job.run()
    while True:
        try:
            next(slices)
        except StopIteration as end:
            return set(end.value)


def test_a_folder_is_the_users_alone_and_never_indexed() -> None:
    folder = state_folder.prepare("/some/root")
    assert folder == state_folder.prepare("/some/root") == state_folder.root_folder("/some/root")
    assert folder != state_folder.root_folder("/some/other")
    assert len(folder.name) == 16
    assert {path.stat().st_mode & 0o777 for path in (folder, folder.parent)} == {0o700}
    assert (folder / "root").read_text() == "/some/root\n"
    assert (folder.parent / ".gitignore").read_text() == "*\n"


def test_what_was_used_longest_ago_is_deleted(base: Path) -> None:
    mine, old, new = used("/mine", 5000, 1), used("/old", 5000, 2), used("/new", 5000, 3)
    assert run(Prune(str(base), frozenset({str(mine)}), 20_000)) == set()
    assert run(Prune(str(base), frozenset({str(mine)}), 12_000)) == {str(old)}
    assert (mine.exists(), old.exists(), new.exists()) == (True, False, True)
    assert run(Prune(str(base), frozenset({str(mine)}), 0)) == {str(new)}
    assert sorted(path.name for path in base.iterdir()) == [".gitignore", mine.name]


def test_what_is_left_of_a_folder_goes_first(base: Path) -> None:
    whole, rest = used("/whole", 5000, 1), used("/rest", 5000, 2)
    (rest / "root").unlink()
    assert run(Prune(str(base), frozenset(), 6000)) == {str(rest)}
    assert whole.exists()


_HOLDER = """
import sys
from glossator.workspace.worker.lock import try_lock
print(try_lock(sys.argv[1]), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(base: Path) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    """A folder, and another process that writes there."""
    folder = used("/held", 5000, 1)
    arguments = [sys.executable, "-c", _HOLDER, str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        yield folder, process
        process.kill()


def test_one_process_writes_and_the_next_one_takes_over(
    base: Path, holder: tuple[Path, subprocess.Popen[str]]
) -> None:
    folder, process = holder
    assert not try_lock(str(folder))
    assert run(Prune(str(base), frozenset(), 0)) == set()
    process.kill()
    process.wait()
    assert try_lock(str(folder))
    assert try_lock(str(folder))
    release(str(folder))
    assert run(Prune(str(base), frozenset(), 0)) == {str(folder)}


def test_a_lock_on_a_deleted_file_does_not_count() -> None:
    folder = used("/root", 1, 1)
    assert try_lock(str(folder))
    (folder / "lock").unlink()
    assert try_lock(str(folder))
    assert (folder / "lock").exists()
    release(str(folder))
