"""Temporary files of killed processes go, and only these."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from glossator.core.atomic import (
    opened,
    remove_private_leftovers,
    remove_workspace_leftovers,
    replace_private,
)
from glossator.undo.file_states import Content, DiskFiles, NoFile, Restoration

if sys.platform != "win32":
    import fcntl

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no locks there")

# a process that is killed in the middle of writing a file
_KILLED = """
import os, signal, sys
from pathlib import Path
from glossator.core import atomic
os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
folder = sys.argv[1]
{write}
"""
_EDIT = """
with atomic.opened(f"{folder}/a.txt", [folder]) as place:
    place.stage(b"x", place.look())
"""
_PRIVATE = 'atomic.replace_private(Path(folder) / "MEMORY.md", b"x")'
_UNDO = """
from glossator.undo.file_states import Content, DiskFiles, NoFile, Restoration
restoration = Restoration(f"{folder}/b.txt", Content(b"x", 0o600), NoFile())
DiskFiles(lambda: [folder])._restore_all((restoration,), 100)
"""


@pytest.mark.parametrize("write", [_EDIT, _UNDO, _PRIVATE])
def test_what_a_killed_process_leaves_is_removed(tmp_path: Path, write: str) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    (tmp_path / ".glossator-notes").write_text("the user's\n")
    (tmp_path / ".MEMORY.md.old").write_text("the user's\n")
    before = set(tmp_path.iterdir())
    script = _KILLED.format(write=write)
    killed = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert killed.returncode == -9
    (left,) = set(tmp_path.iterdir()) - before
    removed = remove_workspace_leftovers(map(str, tmp_path.iterdir())) + remove_private_leftovers(
        tmp_path
    )
    assert removed == [str(left)]
    assert set(tmp_path.iterdir()) == before


def test_what_is_being_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    swept: list[str] = []

    def sweep(*_: object) -> None:
        paths = [str(path) for path in tmp_path.iterdir()]
        swept.extend(remove_workspace_leftovers(paths) + remove_private_leftovers(tmp_path))

    with opened(str(tmp_path / "a.txt"), [str(tmp_path)]) as place:
        place.stage(b"a", place.look())
        sweep()
        place.commit()
    monkeypatch.setattr("os.fsync", sweep)
    replace_private(tmp_path / "b.txt", b"b")
    files = DiskFiles(lambda: [str(tmp_path)])
    restoration = Restoration(str(tmp_path / "c.txt"), Content(b"c", 0o600), NoFile())
    assert files._restore_all((restoration,), 100).failed == {}
    assert swept == []
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "a.txt": "a",
        "b.txt": "b",
        "c.txt": "c",
    }


def test_what_was_cleaned_up_before_it_was_held_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may start, and clean up, between the file and its lock."""
    lock = fcntl.flock
    removed: list[str] = []

    def lock_late(descriptor: int, how: int) -> None:
        if not removed:
            removed.append("")  # the lock of the clean-up itself
            removed.extend(remove_private_leftovers(tmp_path))
        lock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", lock_late)
    replace_private(tmp_path / "MEMORY.md", b"x")
    assert len(removed) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["MEMORY.md"]
