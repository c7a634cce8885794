"""What a scan lists, what it leaves out and why, and how paths are shown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from glossator.core.document import Document, Missing
from glossator.settings.model import WorkspaceSettings
from glossator.workspace.documents.overlays import DiskChanged
from glossator.workspace.files.roots import Roots
from glossator.workspace.status import Skipped
from tests.workspace.files.trees import as_plain_user, host, listed, scan, text, write_tree


def skipped(*roots: Path, settings: WorkspaceSettings | None = None) -> set[Skipped]:
    listing = scan(*roots, settings=settings).index.freeze()
    return set(listing.summarise_skipped(Roots.of(map(str, roots))))


@pytest.mark.parametrize("count", [1, 40])
@pytest.mark.parametrize("also", [(), ("d0",), ("new",)])
def test_unchanged_files_that_are_told_of_stay(
    tmp_path: Path, count: int, also: tuple[str, ...]
) -> None:
    names = [f"d{number}/only.txt" for number in range(count)]
    write_tree(tmp_path, dict.fromkeys((*names, "new/one", "new/two"), ""))
    indexer = scan(tmp_path)
    paths = [str(tmp_path / name) for name in (*names, *also)]
    for _ in range(2):
        assert indexer.refresh(paths) == frozenset()
        assert len(indexer.index) == count + 2
    (tmp_path / names[-1]).unlink()
    (tmp_path / "new" / "two").unlink()
    gone = {str(tmp_path / names[-1])} | ({str(tmp_path / "new/two")} if "new" in also else set())
    assert indexer.refresh(paths) == gone
    assert set(indexer.index).isdisjoint(gone)
    assert len(indexer.index) == count + 2 - len(gone)


def test_every_path_left_out_has_its_rule(tmp_path: Path) -> None:
    files = {
        "src/.gitignore": "# built\n\nbuild/\n*.log\n!keep.log\n",
        "src/build/a": "",
        "src/build/b": "",
        "src/x/build/c": "",
        "src/x.log": "",
        "src/keep.log": "",
        ".git/HEAD": "",
        "out/a": "",
    }
    write_tree(tmp_path / "ws", {**files, "linked/in.txt": ""})
    root = tmp_path / "ws"
    os.mkfifo(root / "fifo")
    links = {"in": "src/x.log", "out": "/etc/passwd", "gone": "no", "dir": "linked"}
    for name, target in links.items():
        (root / f"link-{name}").symlink_to(target)
    settings = WorkspaceSettings(exclude=("/out",))
    assert listed(root, settings=settings) == [
        "link-in",
        "linked/in.txt",
        "src/.gitignore",
        "src/keep.log",
    ]
    found = skipped(root, settings=settings)
    assert {(item.rule, item.count) for item in found} == {
        ("src/.gitignore:3 build/", 2),
        ("src/.gitignore:4 *.log", 1),
        ("workspace.exclude:1 /out", 1),
        (".git is always left out", 1),
        ("not a regular file", 1),
        ("link that leaves the workspace", 1),
        ("link to nothing", 1),
        ("link to a directory", 1),
    }
    assert Skipped("src/.gitignore:4 *.log", 1, "src/x.log") in found


def test_what_is_left_out_can_still_be_read(tmp_path: Path) -> None:
    write_tree(tmp_path, {".gitignore": "*.log\n", "a.log": "log", ".git/HEAD": "ref"})
    snapshot = host(tmp_path).snapshot()
    assert (text(snapshot, "a.log"), text(snapshot, ".git/HEAD")) == ("log", "ref")


@pytest.mark.parametrize(
    ("files", "settings", "expected"),
    [
        ({".gitignore": "a\n", ".ignore": "!a\nb\n"}, {}, ["a", "d/a"]),
        ({".ignore": "a\n", "d/.gitignore": "!a\n"}, {}, ["b", "d/b"]),
        ({".ignore": "a\n", "d/.ignore": "!a\n"}, {}, ["b", "d/a", "d/b"]),
        ({".gitignore": "a\n"}, {"use_ignore_files": False}, ["a", "b", "d/a", "d/b"]),
        ({".gitignore": "a\n"}, {"exclude": ("!/a", "b")}, ["a"]),
        ({}, {"exclude": ("é*", "d/")}, ["a", "b"]),
        ({"d/.git/x": "", ".gitignore": "a\n"}, {}, ["b", "d/a", "d/b"]),
        ({"d/.git": "gitdir: x", ".gitignore": "/d/a\nb\n"}, {}, ["a", "d/a", "d/b"]),
        ({"d/.git/info/exclude": "/a\n"}, {}, ["a", "b", "d/b"]),
    ],
    ids=[
        ".ignore over .gitignore",
        ".ignore over a deeper .gitignore",
        "deeper .ignore",
        "not followed",
        "setting over all",
        "setting with unicode",
        "nested repository",
        "work tree",
        "exclude of a nested repository",
    ],
)
def test_which_rule_wins(
    tmp_path: Path, files: dict[str, str], settings: dict[str, object], expected: list[str]
) -> None:
    write_tree(tmp_path, {"a": "", "b": "", "d/a": "", "d/b": "", "é1": "", **files})
    found = listed(tmp_path, settings=WorkspaceSettings.model_validate(settings))
    shown = [path for path in found if "ignore" not in path and path != "é1"]
    assert shown == expected


def test_rules_above_the_root_count_up_to_the_repository(tmp_path: Path) -> None:
    files = {".gitignore": "a\n", "repo/.gitignore": "b\n/p/ws/c\n", "repo/p/ws/d/x": ""}
    write_tree(tmp_path, {**files, "repo/.git/HEAD": "", "repo/p/.ignore": "d\n"})
    root = tmp_path / "repo" / "p" / "ws"
    write_tree(root, {"a": "", "b": "", "c": ""})
    assert listed(root) == ["a", "d/x"]
    assert {item.rule for item in skipped(root)} == {
        f"{tmp_path}/repo/.gitignore:1 b",
        f"{tmp_path}/repo/.gitignore:2 /p/ws/c",
    }


def test_an_ignore_file_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    write_tree(tmp_path, {"rules": "a\n", "ws/a": ""})
    (tmp_path / "ws" / ".gitignore").symlink_to(tmp_path / "rules")
    assert listed(tmp_path / "ws") == ["a"]


def test_loops_and_odd_names(tmp_path: Path) -> None:
    odd = os.fsdecode(b"\xff\xfebad")
    write_tree(tmp_path, {"d/a": "", odd: "", "sp ace/\u2028": "", ".gitignore": f"{odd}x\n"[2:]})
    (tmp_path / "d" / "loop").symlink_to("..")
    (tmp_path / "self").symlink_to("self")
    assert set(listed(tmp_path)) == {"d/a", odd, "sp ace/\u2028", ".gitignore"}


def test_an_unreadable_folder_does_not_end_the_walk() -> None:
    with as_plain_user() as folder:
        write_tree(folder, {"a/x": "", "b/y": "", "c/z": ""})
        (folder / "b").chmod(0)
        assert listed(folder) == ["a/x", "c/z"]
        assert skipped(folder) == {Skipped("unreadable", 1, "b")}
        (folder / "b").chmod(0o755)


def test_several_roots(tmp_path: Path) -> None:
    files = {"one/app/a": "1", "two/app/a": "2", "one/app/inner/b": "3", "app-2/c": "4"}
    write_tree(tmp_path, files)
    roots = [tmp_path / name for name in ("one/app", "two/app", "one/app/inner", "app-2")]
    assert listed(*roots) == ["app-2-2/c", "app-2/a", "app/a", "inner/b"]
    workspace = host(*roots)
    workspace.apply(DiskChanged(frozenset(map(str, roots))))
    snapshot = workspace.snapshot()
    assert [text(snapshot, entry.relative) for entry in snapshot.files()] == ["4", "2", "1", "3"]
    for entry in snapshot.files():
        assert snapshot.resolve(entry.relative) == entry.path
        assert snapshot.relative(entry.path) == entry.relative
    for root in roots:
        assert snapshot.resolve(snapshot.relative(str(root))) == str(root)
    assert text(snapshot, "app/inner/b") == "3"
    refused = snapshot.read("other/a")
    assert isinstance(refused, Missing)
    assert refused.message == (
        "other/a does not begin with the name of a workspace folder (app, app-2, inner, app-2-2)."
    )


def test_a_nested_root_outlives_a_look_at_what_holds_it(tmp_path: Path) -> None:
    files = {"ws/.gitignore": "out/\n", "ws/out/inner/b": "", "ws/out/x": "", "ws/in/inner/c": ""}
    write_tree(tmp_path, files)
    roots = [tmp_path / "ws", tmp_path / "ws/out/inner", tmp_path / "ws/in/inner"]
    workspace = host(*roots)
    for path in ("ws", "ws/out", "ws/in", "ws/out/inner", "ws/in/inner", "ws/.gitignore"):
        workspace.apply(DiskChanged(frozenset({str(tmp_path / path), str(tmp_path / "ws")})))
        shown = [entry.relative for entry in workspace.snapshot().files()]
        assert shown == ["inner-2/c", "inner/b", "ws/.gitignore"]


def test_paths_as_shown(tmp_path: Path) -> None:
    snapshot = host(tmp_path).snapshot()
    assert snapshot.relative(str(tmp_path)) == "."
    assert snapshot.relative(str(tmp_path / "a" / "b")) == "a/b"
    assert snapshot.relative("a/b") == "a/b"
    assert snapshot.relative("/etc/passwd") == "/etc/passwd"
    assert host(Path("/")).snapshot().relative("/etc/passwd") == "etc/passwd"


def test_no_roots_at_all() -> None:
    snapshot = host().snapshot()
    assert snapshot.files() == ()
    assert isinstance(snapshot.read("/etc/passwd"), Missing)
    assert isinstance(snapshot.read("a"), Missing)


def test_a_snapshot_stays_as_it_was(tmp_path: Path) -> None:
    write_tree(tmp_path, {f"f{number:02}": "" for number in range(30)})
    workspace = host(tmp_path)
    everything = frozenset({str(tmp_path)})
    workspace.apply(DiskChanged(everything))
    seen = []
    for number in range(30):
        (tmp_path / f"f{number:02}").rename(tmp_path / f"g{number:02}")
        changed = {str(tmp_path / f"{letter}{number:02}") for letter in "fg"}
        workspace.apply(DiskChanged(frozenset(changed)))
        snapshot = workspace.snapshot()
        assert snapshot is workspace.snapshot()
        if number % 7 == 0:
            assert len(snapshot.files()) == 30
        seen.append(snapshot)
    for number, snapshot in enumerate(seen):
        names = [entry.relative for entry in snapshot.files()]
        old = [f"f{at:02}" for at in range(number + 1, 30)]
        assert names == old + [f"g{at:02}" for at in range(number + 1)]
    assert [item.revision for item in seen] == sorted({item.revision for item in seen})


def test_status(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a": "1234"})
    workspace = host(tmp_path)
    workspace.apply(DiskChanged(frozenset({str(tmp_path)})))
    assert isinstance(workspace.snapshot().read("a"), Document)
    status = workspace.status()
    assert (status.roots, status.files, status.revision) == ((str(tmp_path),), 1, 1)
    assert (status.open_documents, status.scanning) == (0, False)
    assert (status.watcher, status.skipped) == ("off: not started", ())
    assert (status.cache.misses, status.cache.entries) == (1, 1)


def test_rules_that_differ_in_bytes_that_are_no_text(tmp_path: Path) -> None:
    names = [os.fsdecode(name) for name in (b"\xe8", b"\xe9")]
    write_tree(tmp_path, {".gitignore": b"\xe9\n", names[0]: "", names[1]: ""})
    workspace = host(tmp_path)
    workspace.apply(DiskChanged(frozenset({str(tmp_path)})))
    assert [entry.relative for entry in workspace.snapshot().files()] == [".gitignore", names[0]]
    write_tree(tmp_path, {".gitignore": b"\xe8\n"})
    workspace.apply(DiskChanged(frozenset({str(tmp_path / ".gitignore")})))
    assert [entry.relative for entry in workspace.snapshot().files()] == [".gitignore", names[1]]
