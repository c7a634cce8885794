"""What is set aside and put back is what the user was shown, whoever else can reach it."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from glossator.sandbox import quarantine
from glossator.sandbox.quarantine import Quarantine, Quarantined, outcome_text, quarantine_question

_SPARSE = 400_000_000  # bytes


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state/glossator/set-aside"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "ws/sub").mkdir(parents=True)
    return tmp_path / "ws"


def taken(*paths: Path) -> tuple[Quarantine, tuple[Quarantined, ...]]:
    aside = Quarantine()
    aside.begin({})
    return aside, aside.take([str(path) for path in paths])


def detail(root: Path, aside: tuple[Quarantined, ...]) -> str:
    return quarantine_question(aside, lambda path: os.path.relpath(path, root)).detail


def blocks(folder: Path) -> int:
    return sum(path.lstat().st_blocks for path in folder.rglob("*") if path.is_file())


def test_a_parent_that_is_swapped_before_putting_back(tmp_path: Path, root: Path) -> None:
    """Nothing is put into a folder elsewhere; the user is told where the file is."""
    (root / "sub/.zshenv").write_text("evil\n")
    aside, (one,) = taken(root / "sub/.zshenv")
    (tmp_path / "outside").mkdir()
    (root / "sub").rmdir()
    (root / "sub").symlink_to(tmp_path / "outside")
    (done,) = aside.put_back([one])
    assert os.listdir(tmp_path / "outside") == []
    assert "it could not be put back (Not a directory) and is in " in done.failure
    assert os.path.dirname(one.at) in done.failure
    assert "lets that stay" not in outcome_text([done], os.path.basename, None, stays=True)
    assert Path(one.at).read_text() == "evil\n"


def test_a_link_where_it_was_is_not_followed(tmp_path: Path, root: Path) -> None:
    (root / "AGENTS.md").write_text("rules\n")
    aside, (one,) = taken(root / "AGENTS.md")
    (root / "AGENTS.md").symlink_to(tmp_path / "made")
    (done,) = aside.put_back([one])
    assert "something else is there now" in done.failure
    assert not (tmp_path / "made").exists()


def test_another_name_does_not_reach_what_was_allowed(root: Path) -> None:
    (root / "other").write_text("safe\n")
    os.link(root / "other", root / "sub/AGENTS.md")
    aside, asked = taken(root / "sub/AGENTS.md")
    assert "safe" in detail(root, asked)
    (root / "other").write_text("EVIL\n")
    assert not aside.put_back(asked)[0].failure
    (root / "other").write_text("EVIL again\n")
    assert (root / "sub/AGENTS.md").read_text() == "safe\n"


def test_a_held_descriptor_does_not_reach_what_was_allowed(root: Path) -> None:
    (root / ".vscode").mkdir()
    path = root / ".vscode/tasks.json"
    with path.open("w") as file, path.open("r+") as again:
        file.write("safe\n")
        file.flush()
        folder = os.open(root / ".vscode", os.O_RDONLY)
        aside, asked = taken(root / ".vscode")
        again.write("EVIL\n")
        again.flush()
        aside.put_back(asked)
        again.write("EVIL\n")
    with pytest.raises(FileNotFoundError):  # the folder is another one
        os.open("settings.json", os.O_CREAT | os.O_WRONLY, dir_fd=folder)
    os.close(folder)
    assert path.read_text() == "safe\n"


@pytest.mark.parametrize("path", ["AGENTS.md", ".vscode"])
def test_what_is_changed_by_its_name_after_it_was_allowed_counts_as_new(
    root: Path, path: str
) -> None:
    """A job that still runs has nothing over it that keeps it from writing there."""
    file = root / path if path == "AGENTS.md" else root / path / "tasks.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text("safe\n")
    name = str(root / path)
    aside, asked = taken(root / path)
    aside.put_back(asked)
    assert aside.new({name: None}) == []
    file.write_text("EVIL\n")
    assert aside.new({name: None}) == [name]
    aside.allow([name])  # an edit about which the user was asked
    assert aside.new({name: None}) == []


def test_a_sparse_file_takes_no_room(root: Path, state: Path) -> None:
    with (root / "AGENTS.md").open("wb") as file:
        file.write(b"rules\n")
        file.truncate(_SPARSE)
    aside, asked = taken(root / "AGENTS.md")
    assert asked[0].at == asked[0].path
    assert "it is too large" in asked[0].failure
    assert not state.exists() or blocks(state) == 0
    request = quarantine_question(asked, os.path.basename)
    assert request.detail.startswith("AGENTS.md: 400,000,000 bytes\n    rules\n")
    assert request.cut is not None
    assert request.cut.bytes > _SPARSE - 1_000_000
    (done,) = aside.discard(asked)
    assert done.failure == "it could not be moved (it is too large), so it was removed"
    assert not (root / "AGENTS.md").exists()


def test_what_is_too_large_takes_no_room_from_the_rest(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quarantine, "_MAX_BYTES", 10)
    (root / ".vscode").mkdir()
    (root / ".vscode/a").write_text("123456")
    (root / ".vscode/b").write_text("123456")
    (root / "sub/AGENTS.md").write_text("1234567890")
    _, asked = taken(root / ".vscode", root / "sub/AGENTS.md")
    assert [each.is_copied for each in asked] == [False, True]


def test_what_stays_in_its_place_must_be_as_it_was_shown(root: Path) -> None:
    files = [root / "AGENTS.md", root / "sub/CLAUDE.md"]
    for file in files:
        with file.open("wb") as opened:
            opened.truncate(_SPARSE)
    aside, asked = taken(*files)
    with files[1].open("r+b") as opened:
        opened.write(b"EVIL\n")
    same, changed = aside.put_back(asked)
    assert not same.failure
    assert changed.failure == "it changed while the user was asked, so it was removed"
    assert [file.exists() for file in files] == [True, False]
    with files[0].open("r+b") as opened:
        opened.write(b"EVIL\n")
    assert aside.new({str(files[0]): None}) == [str(files[0])]


def test_many_files_are_not_copied(
    root: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quarantine, "_MAX_ENTRIES", 5)
    (root / ".vscode").mkdir()
    for number in range(5):
        (root / f".vscode/{number}").write_text("x")
    _, (one,) = taken(root / ".vscode")
    assert "it is too large" in one.failure
    assert not [path for path in state.rglob("*") if path.is_file()]


@pytest.mark.parametrize("fails", [1, 2])
def test_what_can_only_be_copied(root: Path, monkeypatch: pytest.MonkeyPatch, fails: int) -> None:
    """It is tried again; nothing is said to be gone that is not."""
    (root / "AGENTS.md").write_text("rules\n")
    left = [OSError(errno.EBUSY, "busy")] * fails

    def removed(name: str, folder: int) -> None:
        if left:
            raise left.pop()
        os.unlink(name, dir_fd=folder)

    monkeypatch.setattr(quarantine, "remove", removed)
    aside, asked = taken(root / "AGENTS.md")
    assert asked[0].failure == "it could only be copied (busy)"
    said = outcome_text(aside.discard(asked), os.path.basename, None, stays=False)
    assert ("so it was moved to" in said) is (fails == 1)
    assert ("and could not be removed (busy), so look at it yourself" in said) is (fails == 2)
    assert (root / "AGENTS.md").exists() is (fails == 2)


@pytest.mark.parametrize("stays", [True, False])
def test_a_full_disk(
    root: Path, state: Path, monkeypatch: pytest.MonkeyPatch, *, stays: bool
) -> None:
    """No part of a copy is left, and the original is not kept unasked."""

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (root / ".vscode").mkdir()
    (root / ".vscode/tasks.json").write_text("{}")
    (root / ".vscode/a.json").write_text("{}")
    monkeypatch.setattr(os, "utime", full)  # when a file is copied
    aside, asked = taken(root / ".vscode")
    assert not [path for path in state.rglob("*") if path.is_file()]
    assert asked[0].failure == "it could not be moved (No space left on device)"
    if stays:
        assert not aside.put_back(asked)[0].failure
        assert len(os.listdir(root / ".vscode")) == 2
    else:
        aside.discard(asked)
        assert not (root / ".vscode").exists()


def test_a_full_disk_when_it_is_put_back(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "AGENTS.md").write_text("rules\n")
    aside, asked = taken(root / "AGENTS.md")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "utime", full)
    (done,) = aside.put_back(asked)
    assert "it could not be put back (No space left on device) and is in " in done.failure
    assert not (root / "AGENTS.md").exists()
    assert Path(done.at).read_text() == "rules\n"


def test_a_state_folder_that_is_a_link(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "home").symlink_to("disk")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home/state"))
    (root / "AGENTS.md").write_text("rules\n")
    aside, asked = taken(root / "AGENTS.md")
    assert not (root / "AGENTS.md").exists()
    assert not aside.put_back(asked)[0].failure
    assert (root / "AGENTS.md").read_text() == "rules\n"


def test_a_folder_that_is_closed_or_deep_is_removed(root: Path) -> None:
    """Both are made to be left where they are."""
    deep = os.open(root / "sub", os.O_RDONLY)
    os.mkdir(".vscode", dir_fd=deep)
    for name in (".vscode", *["a"] * 1_200):
        deeper = os.open(name, os.O_RDONLY, dir_fd=deep)
        os.mkdir("a", dir_fd=deeper)
        os.close(deep)
        deep = deeper
    os.close(deep)
    (root / ".idea/closed").mkdir(parents=True)
    (root / ".idea/closed/a").mkdir()
    (root / ".idea/closed").chmod(0o000)
    (root / ".idea").chmod(0o000)
    aside, asked = taken(root / "sub/.vscode", root / ".idea")
    assert "its folders are too deep" in asked[0].failure
    assert "cannot be read" in detail(root, asked[:1])
    assert "removed" in aside.put_back(asked[:1])[0].failure, "nobody can have seen it"
    assert os.listdir(root / "sub") == []
    assert not (root / ".idea").exists()


def _files(folder: Path) -> None:
    folder.mkdir()
    (folder / "empty").mkdir()
    (folder / "settings.json").write_text('{"hook": "evil"}\n')
    (folder / "skills").symlink_to("/etc")


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (
            lambda path: path.write_text("a\u202eb\x1b[2J p\u0430ypal\n"),
            "x.md: 18 bytes\n    a\\u202eb\\u001b[2J p\\u0430ypal",
        ),
        (lambda path: path.write_bytes(b"\xffa\0\n"), "x.md: 4 bytes\n    \\xffa\\u0000"),
        (
            lambda path: path.write_text("x\ny.md: 1 bytes\n"),
            "x.md: 16 bytes\n    x\n    y.md: 1 bytes",
        ),
        (lambda path: path.write_text(""), "x.md: 0 bytes"),
        (lambda path: path.symlink_to("/et\u200bc\n"), "x.md: a link to /et\\u200bc\\n"),
        (
            _files,
            (
                "x.md: a folder\nx.md/empty: a folder\n"
                'x.md/settings.json: 17 bytes\n    {"hook": "evil"}\nx.md/skills: a link to /etc'
            ),
        ),
    ],
)
def test_all_of_it_is_shown(root: Path, make: Callable[[Path], object], expected: str) -> None:
    make(root / "x.md")
    _, asked = taken(root / "x.md")
    assert detail(root, asked) == expected


def test_a_long_file_is_shown_whole(root: Path) -> None:
    (root / "AGENTS.md").write_text("a line\n" * 30_000 + "evil\n")
    _, asked = taken(root / "AGENTS.md")
    request = quarantine_question(asked, os.path.basename)
    assert request.detail.endswith("    a line\n    evil")
    assert request.cut is None


def test_what_is_not_shown_is_counted(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that was made is named nevertheless."""
    monkeypatch.setattr(quarantine, "_MAX_SHOWN_BYTES", 100)
    (root / ".vscode").mkdir()
    (root / ".vscode/a").write_text("a" * 1_000)
    (root / ".vscode/b").write_text("b" * 2_000)
    (root / "AGENTS.md").write_text("rules\n")
    _, asked = taken(root / ".vscode", root / "AGENTS.md")
    request = quarantine_question(asked, os.path.basename)
    assert request.detail.startswith(".vscode: a folder\n.vscode/a: 1,000 bytes\n    aaa")
    assert request.cut is not None
    assert request.cut.tail == "AGENTS.md: 6 bytes"
    assert 2_900 < request.cut.bytes < 3_006
