"""No path leads out of the workspace, and nothing but a regular file is read."""

from __future__ import annotations

import os
import socket
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from glossator.core.document import Document, Missing, MissingReason
from glossator.core.uri import to_uri
from glossator.workspace.documents.overlays import Opened
from glossator.workspace.files import disk
from glossator.workspace.files.disk import load_listed
from glossator.workspace.files.roots import Roots
from tests.workspace.files.trees import host, reason, text, write_tree

OUTSIDE, SPECIAL = MissingReason.OUTSIDE, MissingReason.SPECIAL
ABSENT, DIRECTORY = MissingReason.ABSENT, MissingReason.DIRECTORY
UNREADABLE = MissingReason.UNREADABLE


@pytest.fixture(autouse=True, params=["direct", "by component"])
def _way_of_opening(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every guarantee holds without the kernel's help, too."""
    if request.param == "by component":
        monkeypatch.setattr(disk, "open_without_links", lambda _path, _flags: None)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {"ws/in.txt": "in", "ws/dir/deep.txt": "deep", "ws-evil/x": "out", "out.txt": "out"}
    write_tree(tmp_path, files)
    root = tmp_path / "ws"
    (root / "passwd").symlink_to("/etc/passwd")
    (root / "hosts").symlink_to("passwd")
    (root / "up").symlink_to("..")
    (root / "etc").symlink_to("/etc")
    (root / "evil").symlink_to(tmp_path / "ws-evil")
    (root / "inner").symlink_to("dir")
    (root / "loop").symlink_to("loop")
    (root / "zero").symlink_to("/dev/zero")
    os.mkfifo(root / "fifo")
    return root


@pytest.mark.parametrize(
    "path",
    [
        "{top}/ws-evil/x",
        "{top}/out.txt",
        "../out.txt",
        "../ws-evil/x",
        "dir/../../out.txt",
        "./../ws/../out.txt",
        "passwd",
        "hosts",
        "up/out.txt",
        "up/ws-evil/x",
        "etc/passwd",
        "evil/x",
        "zero",
        "/etc/passwd",
        "/etc/../etc/./passwd",
        "//etc/passwd",
        "/proc/self/environ",
        "/proc/self/root/etc/passwd",
        "/dev/zero",
        "/dev/stdin",
        "/nowhere/at/all",
        "nul\0byte",
        "lone\ud800surrogate",
    ],
)
def test_a_path_that_leads_out_is_refused(root: Path, path: str) -> None:
    snapshot = host(root).snapshot()
    path = path.format(top=root.parent)
    assert reason(snapshot, path) is OUTSIDE
    assert not isinstance(snapshot.resolve(path), str)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("fifo", SPECIAL),
        ("dir", MissingReason.DIRECTORY),
        ("", MissingReason.DIRECTORY),
        (".", MissingReason.DIRECTORY),
        ("nope", MissingReason.ABSENT),
        ("in.txt/below", MissingReason.ABSENT),
        ("nope/../../ws/nope", MissingReason.ABSENT),
        ("x" * 300, MissingReason.UNREADABLE),
        ("loop", MissingReason.UNREADABLE),
    ],
)
def test_what_is_no_regular_file(root: Path, path: str, why: MissingReason) -> None:
    assert reason(host(root).snapshot(), path) is why


def test_a_socket_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("sock")
        assert reason(host(root).snapshot(), "sock") is SPECIAL


@pytest.mark.parametrize(
    "path", ["proc/self/environ", "proc/self/../1/environ", "dev/zero", "sys/kernel/notes"]
)
def test_system_folders_stay_closed_even_below_a_root(path: str) -> None:
    snapshot = host(Path("/")).snapshot()
    assert reason(snapshot, path) is OUTSIDE
    assert isinstance(snapshot.read("etc/passwd"), Document)


def test_names_for_what_lies_inside(root: Path) -> None:
    snapshot = host(root).snapshot()
    for path in ("in.txt", "./in.txt", "dir/../in.txt", str(root / "in.txt"), "up/ws/in.txt"):
        assert text(snapshot, path) == "in", path
    assert text(snapshot, "inner/deep.txt") == "deep"


@pytest.mark.parametrize(
    ("target", "found"),
    [
        *(("in.txt", "in"), ("./dir/deep.txt", "deep"), ("dir/../in.txt", "in")),
        *(("../ws/in.txt", "in"), ("{root}/in.txt", "in"), ("inner/deep.txt", "deep")),
        ("dir/up/in.txt", "in"),
        # `..` behind a link is where the link leads to, whatever stands at the same words
        ("dir/deeper/../other.txt", "far"),
        *(("../out.txt", OUTSIDE), ("{root}/../out.txt", OUTSIDE), ("/etc/passwd", OUTSIDE)),
        *(("dir/deeper/../../../out.txt", OUTSIDE), ("nothing", ABSENT), ("listed", UNREADABLE)),
        *(("zero", OUTSIDE), ("fifo", SPECIAL), ("dir", DIRECTORY)),
    ],
)
def test_a_listed_link_is_followed_inside_the_workspace(
    root: Path, target: str, found: str | MissingReason
) -> None:
    write_tree(root, {"far/other.txt": "far", "far/off/x": "x", "dir/other.txt": "near"})
    (root / "dir" / "deeper").symlink_to("../far/off")
    (root / "dir" / "up").symlink_to("..")
    (root / "listed").symlink_to(target.format(root=root))
    loaded = load_listed(Roots.of((str(root),)), str(root / "listed"), 1_000)
    assert (loaded.reason if isinstance(loaded, Missing) else loaded.content.decode()) == found


def test_a_folder_that_became_a_link_leads_where_it_leads_now(root: Path) -> None:
    write_tree(root, {"x.txt": "near", "d/y": "", "far/x.txt": "far", "far/off/y": ""})
    for folder in ("d", "far/off"):
        (root / folder / "listed").symlink_to("../x.txt")
    roots, path = Roots.of((str(root),)), str(root / "d" / "listed")
    before = load_listed(roots, path, 100)
    (root / "d").rename(root / "e")
    (root / "d").symlink_to("far/off")
    after = load_listed(roots, path, 100)
    assert not isinstance(before, Missing)
    assert not isinstance(after, Missing)
    assert (before.content, after.content) == (b"near", b"far")


def test_a_root_may_be_given_by_a_link(root: Path) -> None:
    link = root.parent / "link"
    link.symlink_to(root)
    workspace = host(link)
    assert workspace.snapshot().roots == (str(root),)
    assert text(workspace.snapshot(), str(link / "in.txt")) == "in"
    workspace.apply(Opened(to_uri(str(link / "in.txt")), 1, "editor"))
    assert text(workspace.snapshot(), "in.txt") == "editor"
    assert text(workspace.snapshot(), str(link / "in.txt")) == "editor"


def swap_leaf(root: Path) -> None:
    """A file, then a link out, then a file again."""
    (root / "new").symlink_to(root.parent / "out.txt")
    (root / "new").rename(root / "target" / "f")
    (root / "new").write_text("in")
    (root / "new").rename(root / "target" / "f")


def swap_folder(root: Path) -> None:
    """A folder, then a link to a folder outside, then the folder again."""
    (root / "target").rename(root / "aside")
    (root / "target").symlink_to(root.parent / "outside")
    (root / "target").unlink()
    (root / "aside").rename(root / "target")


@pytest.mark.parametrize("swap", [swap_leaf, swap_folder])
def test_a_link_swapped_in_while_reading_never_escapes(
    root: Path, swap: Callable[[Path], None]
) -> None:
    write_tree(root.parent, {"outside/f": "out", "ws/target/f": "in"})
    stop = threading.Event()

    def keep_swapping() -> None:
        while not stop.is_set():
            swap(root)

    thread = threading.Thread(target=keep_swapping)
    thread.start()
    try:
        snapshot = host(root, read_cache_bytes=0).snapshot()
        seen: Counter[str] = Counter()
        while seen.total() < 3000 or "in" not in seen:
            result = snapshot.read("target/f")
            seen[result.text if isinstance(result, Document) else result.reason] += 1
    finally:
        stop.set()
        thread.join()
    assert "out" not in seen
