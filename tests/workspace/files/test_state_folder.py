"""The folders that keep what is known of roots: private, bounded, theirs who use them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from glossator.workspace.files import state_folder
from glossator.workspace.files.state_folder import SharedFolderLock, writing
from glossator.workspace.index.jobs import Prune

SEGMENT = "0123456789abcdef.seg"


@pytest.fixture(autouse=True)
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return state_folder.index_base()


def used(root: str, size: int, when: int) -> Path:
    """The folder of a root last used at `when`, with `size` bytes of segments."""
    folder = state_folder.prepare_index_folder(root)
    (folder / "segments").mkdir()
    (folder / "segments" / SEGMENT).write_bytes(bytes(size))
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
    folder = state_folder.prepare_index_folder("/some/root")
    assert (
        folder
        == state_folder.prepare_index_folder("/some/root")
        == state_folder.index_folder("/some/root")
    )
    assert folder != state_folder.index_folder("/some/other")
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


def test_what_is_not_ours_stays(base: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "segments").mkdir(parents=True)
    precious = [elsewhere / "root", elsewhere / "segments" / SEGMENT, elsewhere / "other"]
    mixed = used("/mixed", 5000, 1)
    precious += [mixed / "notes.txt", mixed / "segments" / "one.seg", base / "others" / "root"]
    (base / "others").mkdir()
    for path in precious:
        path.write_text("precious")
    (base / "fedcba9876543210").symlink_to(elsewhere)
    linked = used("/linked", 5000, 1)
    (linked / "quarantine").symlink_to(elsewhere / "segments")
    (linked / "manifest.json").symlink_to(elsewhere / "root")
    assert run(Prune(str(base), frozenset(), 0)) == set()
    assert [path.read_text() for path in precious] == ["precious"] * len(precious)
    assert not (mixed / "segments" / SEGMENT).exists()
    assert state_folder.disk_bytes(mixed) == state_folder.disk_bytes(linked) == 0


def test_a_link_is_no_folder(base: Path, tmp_path: Path) -> None:
    base.mkdir(parents=True)
    state_folder.index_folder("/root").symlink_to(tmp_path)
    mode = tmp_path.stat().st_mode
    with pytest.raises(OSError, match="it is a link"):
        state_folder.prepare_index_folder("/root")
    assert (tmp_path.stat().st_mode, (tmp_path / "root").exists()) == (mode, False)


_HOLDER = """
import sys
from glossator.workspace.files.state_folder import SharedFolderLock, writing
use = SharedFolderLock(sys.argv[1])
with writing(sys.argv[1]) as ours:
    print(ours, flush=True)
    sys.stdin.readline()
print("written", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(base: Path) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    """A folder, and another process that uses it and, until it is sent a line, writes there."""
    folder = used("/held", 5000, 1)
    arguments = [sys.executable, "-c", _HOLDER, str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        yield folder, process
        process.kill()


def is_writer(folder: Path) -> bool:
    with writing(str(folder)) as ours:
        return ours


def test_one_at_a_time_writes(holder: tuple[Path, subprocess.Popen[str]]) -> None:
    folder, process = holder
    assert not is_writer(folder)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "written\n"
    with writing(str(folder)) as ours:
        assert ours
        assert not is_writer(folder)  # nor does another job of the same process
    assert is_writer(folder)


def test_a_writer_that_is_killed_writes_no_more(
    holder: tuple[Path, subprocess.Popen[str]],
) -> None:
    folder, process = holder
    process.kill()
    process.wait()
    assert is_writer(folder)


def test_what_is_used_is_not_deleted(
    base: Path, holder: tuple[Path, subprocess.Popen[str]]
) -> None:
    folder, process = holder
    use = SharedFolderLock(str(folder))  # as many as like
    assert run(Prune(str(base), frozenset(), 0)) == set()
    process.kill()
    process.wait()
    assert run(Prune(str(base), frozenset(), 0)) == set()
    use.close()
    use.close()
    assert use.lost
    assert run(Prune(str(base), frozenset(), 0)) == {str(folder)}


def test_locks_on_what_was_deleted_do_not_count() -> None:
    folder = used("/root", 1, 1)
    with writing(str(folder)) as ours:
        assert ours
        (folder / "lock").unlink()
        assert is_writer(folder)
    use = SharedFolderLock(str(folder))
    shutil.rmtree(folder)
    assert use.lost
    state_folder.prepare_index_folder("/root")
    assert use.lost
    use.close()
