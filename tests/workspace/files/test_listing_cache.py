"""Folders that are known from before are not listed again, and nothing is found otherwise."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from glossator.settings.model import WorkspaceSettings
from glossator.workspace.files import listing_cache, state_folder
from glossator.workspace.files.entries import RACY_NS
from glossator.workspace.files.ignore import IgnoreRules
from glossator.workspace.files.listing_cache import (
    FOLDERS_FILE,
    CorruptFolders,
    ListedFolder,
    ListingCache,
    Memory,
    Recording,
    read_folders,
    recall,
)
from glossator.workspace.files.roots import Roots
from glossator.workspace.files.walk import Found, examine
from glossator.workspace.index.manifest import IndexFolder
from tests.lsp.support.chance import seeded
from tests.workspace.files.test_random_steps import Steps
from tests.workspace.files.trees import FOLDERS_ARE_REMEMBERED, as_plain_user, write_tree

pytestmark = FOLDERS_ARE_REMEMBERED

TREE = {
    ".gitignore": "*.log\n/out/\n",
    "a.py": "",
    "b.log": "",
    "out/x": "",
    "src/c.py": "",
    "src/deep/.ignore": "d.py\n",
    "src/deep/d.py": "",
    "src/deep/e.py": "",
    "src/deep/er/f.py": "",
    "other/g.py": "",
    ".git/info/exclude": "nothing\n",
}
SETTINGS = WorkspaceSettings()


@pytest.fixture(autouse=True)
def _state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    write_tree(folder, TREE)
    return folder


def walked(
    *roots: Path, settings: WorkspaceSettings = SETTINGS, memory: Memory | None = None
) -> Found:
    """All there is at the roots."""
    places = Roots.of(map(str, roots))
    found = Found()
    rules = IgnoreRules(places, settings)
    for path in places.paths:
        for part in examine(path, places, rules, memory=memory or Memory()):
            found.extend(part)
    folders = {folder: list(files) for folder, files in found.folders.items()}
    return Found(dict(folders), found.skipped)


def remember(*roots: Path, settings: WorkspaceSettings = SETTINGS, later: int = RACY_NS) -> None:
    """Look at everything, as if `later` (ns) than it is, and write down what the folders hold."""
    places = Roots.of(map(str, roots))
    recording = Recording(places, time.time_ns() + later)
    walked(*roots, settings=settings, memory=recording)
    for top, file in recording.files.items():
        content = file.content()
        assert content is not None
        IndexFolder(state_folder.prepare_index_folder(top)).remember(content)
    wait_for_another_time(state_folder.index_base())


def wait_for_another_time(folder: Path) -> None:
    """Until a change leaves another time than one before this call."""
    probe = folder / "probe"
    probe.touch()
    before = probe.stat().st_ctime_ns
    while probe.stat().st_ctime_ns == before:
        probe.write_text("")


class Counted(ListingCache):
    """Notes which folders were not listed."""

    def __init__(self, before: ListingCache) -> None:
        self.__dict__.update(before.__dict__)
        self.taken: set[str] = set()

    def recall(self, folder: str, rules: IgnoreRules, /) -> ListedFolder | None:
        known = super().recall(folder, rules)
        if known is not None:
            self.taken.add(folder)
        return known


def started(*roots: Path, settings: WorkspaceSettings = SETTINGS) -> set[str]:
    """Start with what is remembered; it must be right. Returns the folders that were not listed."""
    before = recall(Roots.of(map(str, roots)))
    if before is None:
        return set()
    memory = Counted(before)
    found = walked(*roots, settings=settings, memory=memory)
    assert found == walked(*roots, settings=settings)
    places = Roots.of(map(str, roots))
    return {os.path.relpath(path, places.owner(path)) for path in memory.taken}


ALL = {".", "src", "src/deep", "src/deep/er", "other"}


def test_an_unchanged_tree_is_not_listed_again(root: Path) -> None:
    remember(root)
    assert started(root) == ALL


def test_a_folder_that_may_still_change_in_the_same_tick_is_listed(root: Path) -> None:
    remember(root, later=0)
    assert started(root) == set()
    old, young = RACY_NS, time.time_ns()
    assert RACY_NS >= 2 * 10**9, "there are file systems with times in whole seconds"
    remember(root, later=old - (time.time_ns() - young))
    assert started(root) <= ALL


def test_a_file_that_goes_when_it_is_looked_at(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(root)
    lstat, gone = os.lstat, root / "src" / "c.py"

    def going(path: str) -> os.stat_result:
        if path == str(gone):
            gone.unlink(missing_ok=True)
        return lstat(path)

    monkeypatch.setattr(os, "lstat", going)
    assert started(root) == ALL


def test_a_time_that_no_stamp_holds(root: Path) -> None:
    remember(root)
    for path, nanoseconds in ((root / "src" / "c.py", 10**19), (root / "a.py", -(10**18))):
        os.utime(path, ns=(nanoseconds, nanoseconds))
    assert started(root) == ALL


def kept_time(path: Path, change: Callable[[], object]) -> None:
    before = path.stat()
    change()
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def replace(path: Path, *, by_folder: bool = False) -> None:
    if path.is_dir():
        path.rename(path.parent.parent / "away")
    else:
        path.unlink()
    if by_folder:
        path.mkdir()
        (path / "inner.py").touch()
    else:
        path.symlink_to("nowhere")


def swap(root: Path) -> None:
    (root / "src").rename(root / "x")
    (root / "other").rename(root / "src")
    (root / "x").rename(root / "other")


def rule_above(root: Path) -> None:
    """Of another repository, so that they do not count."""
    (root.parent / ".git").mkdir()
    (root.parent / ".gitignore").write_text("c.py\n")


def make_repository(root: Path) -> None:
    (root / "src/.git").mkdir()
    (root / "src/h.log").touch()


CHANGES: dict[str, tuple[Callable[[Path], object], set[str]]] = {
    "new file": (lambda at: (at / "src/new.py").touch(), ALL - {"src"}),
    "new file, time of the folder kept": (
        lambda at: kept_time(at / "src", (at / "src/new.py").touch),
        ALL - {"src"},
    ),
    "file edited": (lambda at: (at / "src/c.py").write_text("more"), ALL),
    "file deleted": (lambda at: (at / "src/c.py").unlink(), ALL - {"src"}),
    "file by a folder": (lambda at: replace(at / "a.py", by_folder=True), ALL - {"."}),
    "folder by a link": (lambda at: replace(at / "src/deep"), {"other"}),
    "folder by another of its name": (
        lambda at: replace(at / "src/deep", by_folder=True),
        {"other"},
    ),
    "folders change places": (swap, set()),
    "what was left out by a folder": (
        lambda at: replace(at / "b.log", by_folder=True),
        ALL - {"."},
    ),
    "rules of all": (lambda at: (at / ".gitignore").write_text("*.py\n"), set()),
    "rules of all, as long as before, time kept": (
        lambda at: kept_time(
            at / ".gitignore", lambda: (at / ".gitignore").write_text("*.lo?\n/out/\n")
        ),
        set(),
    ),
    "rules of some": (
        lambda at: (at / "src/deep/.ignore").write_text("e.py\n"),
        {".", "src", "other"},
    ),
    "rules with another sign that is no text": (
        lambda at: (at / "src/deep/.ignore").write_bytes(b"\xe9\n"),
        {".", "src", "other"},
    ),
    "a comment in the rules": (
        lambda at: (at / "src/deep/.ignore").write_text("d.py\n# as before\n"),
        {".", "src", "other"},
    ),
    "rules of git": (lambda at: (at / ".git/info/exclude").write_text("c.py\n"), set()),
    "rules above": (rule_above, ALL),
    "a repository within": (make_repository, {".", "other"}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_listed(root: Path, change: str) -> None:
    remember(root)
    make, taken = CHANGES[change]
    make(root)
    assert started(root) == taken
    remember(root)
    assert started(root) >= {"."}


def test_rules_above_the_root(tmp_path: Path) -> None:
    write_tree(tmp_path, {"repo/.git/HEAD": "", "repo/.gitignore": "a\n", "repo/ws/in/a": ""})
    root = tmp_path / "repo" / "ws"
    write_tree(root, {"a": "", "b": "", "in/b": ""})
    remember(root)
    assert started(root) == {".", "in"}
    (tmp_path / "repo/.gitignore").write_text("b\n")
    assert started(root) == set()


def test_settings_count(root: Path) -> None:
    remember(root)
    assert started(root, settings=WorkspaceSettings(exclude=("c.py",))) == set()
    assert started(root, settings=WorkspaceSettings(use_ignore_files=False)) == set()
    # what rules mean may change with the program
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("glossator.workspace.files.ignore._MEANING", 0)
        assert started(root) == set()
    assert started(root) == ALL


def test_where_a_link_leads_is_seen_anew(root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").touch()
    (root / "src/target").touch()
    (root / "link").symlink_to("src/target")
    remember(root)
    assert "link" in {entry.relative for entry in walked(root).files}
    (root / "src/target").unlink()
    assert started(root) == ALL - {"src"}
    (root / "src/target").symlink_to(tmp_path / "outside")
    assert started(root) == ALL - {"src"}
    assert "link" not in {entry.relative for entry in walked(root).files}


def test_roots_count(root: Path, tmp_path: Path) -> None:
    inner, beside = root / "src", tmp_path / "beside"
    write_tree(beside, {"i.py": ""})
    remember(root)
    assert started(root, inner) == set()
    remember(root, inner, beside)
    assert started(root, inner, beside) == {".", "other", "deep", "deep/er"}
    assert started(root, beside) == set()
    assert started(root) == set()


def test_another_user_remembers_for_himself(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(root)
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    assert started(root) == set()


def test_what_cannot_be_read_and_odd_names(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = os.fsdecode(b'\xff\n\xfe\\"')
    with as_plain_user() as folder, as_plain_user() as state:
        monkeypatch.setenv("XDG_STATE_HOME", str(state))
        write_tree(folder, {"closed/x": "", f"{odd}/{odd}": "", f"{odd}/\u2028 é😀": "", "z": ""})
        (folder / "closed").chmod(0)
        remember(folder)
        assert started(folder) == {".", odd}
        (folder / "closed").chmod(0o755)
        assert started(folder) == {".", odd}


def test_file_systems_whose_times_say_little(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unusual = [place for place in ("/proc", "/sys") if os.path.ismount(place)]
    assert listing_cache.trusted_devices([*unusual, str(root / "absent")]) == frozenset()
    assert listing_cache.trusted_devices([str(root)]) == {root.stat().st_dev}
    remember(root)
    monkeypatch.setattr(listing_cache, "_TRUSTED", frozenset[str]())
    assert started(root) == set()
    remember(root)
    assert recall(Roots.of((str(root),))) is None


def spoilt(content: bytes) -> Iterator[bytes]:
    yield b""
    yield b"{}"
    yield content[:10]
    yield content[:-1]
    yield content + b"\0"
    yield content.replace(b"folders 1 ", b"folders 2 ")
    for at in (0, 22, 40, len(content) // 2, len(content) - 1):
        yield content[:at] + bytes([content[at] ^ 0x10]) + content[at + 1 :]


def test_a_damaged_file_is_not_used_and_set_aside(root: Path) -> None:
    remember(root)
    folder = state_folder.index_folder(str(root))
    content = (folder / FOLDERS_FILE).read_bytes()
    for damaged in spoilt(content):
        (folder / FOLDERS_FILE).write_bytes(damaged)
        with pytest.raises(CorruptFolders):
            read_folders(folder, str(root))
        assert started(root) == set()
        assert "damaged" in IndexFolder(folder).remember(content)
        assert (folder / "quarantine" / FOLDERS_FILE).read_bytes() == damaged
        assert started(root) == ALL
    assert IndexFolder(folder).remember(content) == ""
    assert {path.name for path in state_folder.files(folder)} >= {FOLDERS_FILE}


def test_too_much_is_not_remembered(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("glossator.workspace.files.listing_cache._MAX_TEXT", 200)
    recording = Recording(Roots.of((str(root),)), time.time_ns() + RACY_NS)
    walked(root, memory=recording)
    assert [file.content() for file in recording.files.values()] == [None]


def test_whatever_happens_between_two_starts(tmp_path: Path) -> None:
    rnd = seeded()
    steps = Steps(tmp_path, rnd)
    taken = 0
    for _ in range(150):
        steps.take(rnd.choice([0, 1, 2, 5, 20, 40]))
        taken += len(started(tmp_path))
        if rnd.random() < 0.7:
            remember(tmp_path)
    assert taken > 100
