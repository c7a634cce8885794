"""Old bytes or new ones, never others; and never outside the roots."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from glossator.core.atomic import move, opened
from tests.workspace.files.trees import as_plain_user, write_tree


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_tree(tmp_path, {"ws/a": "old", "ws/dir/b": "old", "ws-evil/x": "out", "out": "out"})
    root = tmp_path / "ws"
    (root / "inner").symlink_to("dir/b")
    (root / "folder").symlink_to("dir")
    (root / "outer").symlink_to(tmp_path / "out")
    (root / "dangling").symlink_to(tmp_path / "nothing")
    (root / "evil").symlink_to(tmp_path / "ws-evil")
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "fifo")
    return root


def write(root: Path, relative: str, content: bytes = b"new") -> None:
    with opened(str(root / relative), [str(root)]) as place:
        place.stage(content, place.look())
        place.commit()


def everything(folder: Path) -> dict[str, bytes]:
    """All regular files below, by relative path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


@pytest.mark.parametrize(
    ("relative", "written"),
    [
        ("a", "a"),
        ("new", "new"),
        ("deep/er/new", "deep/er/new"),
        ("dir/../a", "a"),
        ("x" * 255, "x" * 255),
    ],
)
def test_writing(root: Path, relative: str, written: str) -> None:
    before = everything(root)
    write(root, relative)
    assert everything(root) == before | {written: b"new"}


@pytest.mark.parametrize(
    "relative",
    [
        *"../out ../ws-evil/x outer dangling evil/x evil/new loop fifo dir . a/below".split(),
        *"inner folder/b folder/new folder/deep/er/new".split(),
        "",
        "nul\0",
        "x" * 256,
        "made/" + "x" * 256,
    ],
)
def test_refusals(root: Path, relative: str) -> None:
    before = everything(root.parent)
    with pytest.raises(OSError) as refused:  # noqa: PT011 - each has another number
        write(root, relative)
    assert ".glossator-" not in str(refused.value)
    assert everything(root.parent) == before
    assert not (root / "made").exists()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o4755, 0o2664])
def test_the_mode_is_kept(root: Path, mode: int) -> None:
    (root / "a").chmod(mode)
    write(root, "a")
    assert stat.S_IMODE((root / "a").stat().st_mode) == mode


def test_a_new_file_has_the_usual_mode(root: Path) -> None:
    usual = root / "usual"
    usual.touch()
    write(root, "new")
    assert (root / "new").stat().st_mode == usual.stat().st_mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_is_kept(root: Path) -> None:
    os.chown(root / "a", 1234, 5678)
    (root / "a").chmod(0o4755)
    write(root, "a")
    status = (root / "a").stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 5678, 0o4755)


def test_a_read_only_file_is_refused(root: Path) -> None:
    (root / "a").chmod(0o444)
    with pytest.raises(PermissionError, match="read-only"):
        write(root, "a")
    assert (root / "a").read_text() == "old"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs the files of somebody else")
def test_somebody_elses_file_is_refused() -> None:
    with as_plain_user() as folder:
        os.seteuid(0)
        (folder / "a").write_text("old")
        os.seteuid(65534)
        with pytest.raises(PermissionError, match="read-only"):
            write(folder, "a")
        assert everything(folder) == {"a": b"old"}


def test_other_names_keep_the_old_bytes(root: Path) -> None:
    (root / "other").hardlink_to(root / "a")
    write(root, "a")
    assert (root / "other").read_text() == "old"


@contextmanager
def full_disk(limit: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk(root: Path) -> None:
    before = everything(root)
    with full_disk(1000), pytest.raises(OSError, match="File too large"):
        write(root, "made/a", b"x" * 5000)
    with full_disk(1000), pytest.raises(OSError, match="File too large"):
        write(root, "a", b"x" * 5000)
    assert everything(root) == before
    assert not (root / "made").exists()


def rewritten(path: Path) -> None:
    path.write_text("theirs")


def replaced(path: Path) -> None:
    path.unlink()
    path.write_text("theirs")


def linked(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/passwd")


@pytest.mark.parametrize("change", [rewritten, replaced, linked, Path.unlink])
def test_what_changed_since_it_was_looked_at_stays(
    root: Path, change: Callable[[Path], object]
) -> None:
    with opened(str(root / "a"), [str(root)]) as place:
        assert place.read() == b"old"
        place.stage(b"new", place.look())
        change(root / "a")
        after = everything(root)
        with pytest.raises(OSError, match="changed meanwhile"):
            place.commit()
        with pytest.raises(OSError, match="changed meanwhile"):
            place.remove()
        assert everything(root) == after
    assert b"new" not in everything(root).values()


def test_a_folder_swapped_for_a_link_is_not_followed(root: Path) -> None:
    with opened(str(root / "dir/b"), [str(root)]) as place:
        (root / "dir").rename(root / "moved")
        (root / "dir").symlink_to(root.parent / "ws-evil")
        place.stage(b"new", place.look())
        place.commit()
    assert everything(root.parent / "ws-evil") == {"x": b"out"}
    assert (root / "moved/b").read_bytes() == b"new"


def test_links_swapped_in_while_writing_never_lead_out(root: Path) -> None:
    outside = root.parent / "outside"
    write_tree(root.parent, {"outside/f": "out", "ws/target/f": "in"})
    stop = threading.Event()

    def keep_swapping() -> None:
        target, aside = root / "target", root / "aside"
        while not stop.is_set():
            with contextlib.suppress(OSError):  # the other side makes folders that are missing
                target.rename(aside)
                target.symlink_to(outside)
                target.unlink()
                aside.rename(target)
            shutil.rmtree(aside, ignore_errors=True)

    thread = threading.Thread(target=keep_swapping)
    thread.start()
    try:
        for _ in range(100):
            with contextlib.suppress(OSError):
                write(root, "target/f", b"written")
    finally:
        stop.set()
        thread.join()
    assert everything(outside) == {"f": b"out"}


def test_removing(root: Path) -> None:
    with opened(str(root / "a"), [str(root)]) as place:
        place.look()
        place.remove()
    assert not (root / "a").exists()


KILLED = """
import os, sys
from glossator.core.atomic import opened
path, root = sys.argv[1:]
print("ready", flush=True)
for number in range(1_000_000):
    with opened(path, [root]) as place:
        place.stage(b"%d " % (number % 10) * 20_000, place.look())
        place.commit()
"""


def test_killed_at_any_moment(root: Path) -> None:
    for _ in range(10):
        command = [sys.executable, "-c", KILLED, str(root / "a"), str(root)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            first = (root / "a").stat().st_ino
            while (root / "a").stat().st_ino == first:
                pass
            process.kill()
        content = (root / "a").read_bytes()
        assert content == content[:2] * 20_000
    left = {path.name for path in root.iterdir() if path.name.startswith(".glossator-")}
    assert set(everything(root)) == {"a", "dir/b", *left}


def moved(root: Path, old: str, new: str) -> None:
    move(str(root / old), str(root / new), [str(root)])


@pytest.mark.parametrize("new", ["b", "dir/a", "deep/er/a"])
def test_moving_a_file(root: Path, new: str) -> None:
    (root / "a").chmod(0o440)
    before = everything(root)
    inode = (root / "a").stat().st_ino
    moved(root, "a", new)
    assert everything(root) == {new if name == "a" else name: held for name, held in before.items()}
    status = (root / new).stat()
    assert (status.st_ino, stat.S_IMODE(status.st_mode)) == (inode, 0o440)


def test_moving_a_folder(root: Path) -> None:
    (root / "dir" / "empty").mkdir()
    (root / "dir" / "link").symlink_to("b")
    (root / "dir").chmod(0o750)
    moved(root, "dir", "deep/er")
    assert {path.name for path in (root / "deep/er").iterdir()} == {"b", "empty", "link"}
    assert stat.S_IMODE((root / "deep/er").stat().st_mode) == 0o750
    assert not (root / "dir").exists()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a", "dir/b"),
        ("a", "dir"),
        ("a", "a"),
        ("a", "dangling"),
        ("a", "inner"),
        ("a", "folder/new"),
        ("a", "evil/new"),
        ("a", "../new"),
        ("a", "made/" + "x" * 256),
        ("a", "dir/b/new"),
        ("dir", "a"),
        ("dir", "dir/deeper/dir"),
        ("dir", "../ws-evil/dir"),
        ("../ws-evil/x", "new"),
        ("inner", "new"),
        ("folder/b", "new"),
        ("fifo", "new"),
        ("nothing", "new"),
        (".", "new"),
    ],
)
def test_what_is_not_moved(root: Path, old: str, new: str) -> None:
    before, names = everything(root.parent), sorted(root.parent.rglob("*"))
    with pytest.raises(OSError):  # noqa: PT011 - each has another number
        moved(root, old, new)
    assert (everything(root.parent), sorted(root.parent.rglob("*"))) == (before, names)


def test_a_folder_that_got_something_is_not_replaced(root: Path) -> None:
    (root / "made").mkdir()
    with pytest.raises(FileExistsError):
        moved(root, "dir", "made")
    assert (root / "dir/b").read_text() == "old"
