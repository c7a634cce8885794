"""What is protected or hidden in folders that the listing leaves out, as they come and go."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from glossator.permissions.matching import HiddenFiles
from glossator.sandbox import command_limits
from glossator.sandbox.command_limits import IgnoredContents, IgnoredFolders
from tests.permissions.asking import policy
from tests.workspaces import MakeWorkspace, Workspace

OUT = {".gitignore": "out/\n.idea\n*.log\n"}


def look(ws: Workspace, at: IgnoredFolders, hidden: HiddenFiles | None = None) -> IgnoredContents:
    return at.look(ws.snapshot, hidden, 1_000)


def names(ws: Workspace, paths: list[str]) -> set[str]:
    return {os.path.relpath(path, ws.root) for path in paths}


def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if all that is there had been there for long, so that times are believed."""
    monkeypatch.setattr(command_limits, "_RACY_NS", -1)


async def test_what_lies_below(workspace: MakeWorkspace) -> None:
    files = (
        "out/.git/hooks/x out/deep/.VSCODE/settings.json out/deep/.vscode-not/x out/CLAUDE.md"
        " out/.github/workflows/ci.yml out/.github/CODEOWNERS .idea/x.xml x.log"
    )
    ws = await workspace(OUT | dict.fromkeys(files.split(), ""))
    (ws.root / "out/link").symlink_to(ws.root)
    assert names(ws, look(ws, IgnoredFolders()).protected) == {
        "out/.git",
        "out/deep/.VSCODE",
        "out/CLAUDE.md",
        "out/.github/workflows",
        ".idea",
    }


@pytest.mark.parametrize("racy", [True, False])
async def test_what_comes_later(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch, *, racy: bool
) -> None:
    """Nobody tells of changes there: only the times of folders do, or that they are too fresh."""
    if not racy:
        later(monkeypatch)
    ws = await workspace(OUT | {"out/a/b/x": ""})
    hidden = HiddenFiles.of(policy(deny=["Read(.env)"], root=ws.root))
    found = IgnoredFolders()
    assert look(ws, found, hidden).protected == []
    (ws.root / "out/a/b/.vscode").mkdir()
    (ws.root / "out/a/.env").touch()
    below = look(ws, found, hidden)
    assert names(ws, below.protected) == {"out/a/b/.vscode"}
    assert names(ws, below.hidden) == {"out/a/.env"}
    (ws.root / "out/a/b/.vscode").rename(ws.root / "out/.vscode")
    (ws.root / "out/a/.env").rename(ws.root / "out/.vscode/.env")
    below = look(ws, found, hidden)
    assert names(ws, below.protected) == {"out/.vscode"}
    assert names(ws, below.hidden) == {"out/.vscode/.env"}


async def test_only_folders_that_changed_are_read(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    later(monkeypatch)
    ws = await workspace(OUT | {f"out/{n}/{m}/x": "" for n in range(3) for m in range(3)})
    read: list[str] = []
    scandir = os.scandir

    def counted(path: str) -> object:
        read.append(os.path.relpath(path, ws.root))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", counted)
    found = IgnoredFolders()
    look(ws, found)
    assert len(read) == 13
    read.clear()
    (ws.root / "out/1/2/y").touch()
    look(ws, found)
    assert read == ["out/1/2"]


async def test_a_link_that_leads_elsewhere_later(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    later(monkeypatch)
    ws = await workspace(OUT | {"out/x": "", "secret/a": "", "fine/a": ""})
    (ws.root / "out/to").symlink_to("../via/a")
    (ws.root / "via").symlink_to("fine")
    hidden = HiddenFiles.of(policy(deny=["Read(/secret/**)"], root=ws.root))
    found = IgnoredFolders()
    assert look(ws, found, hidden).hidden == []
    (ws.root / "via").unlink()
    (ws.root / "via").symlink_to("secret")
    assert names(ws, look(ws, found, hidden).hidden) == {"out/to"}


async def test_sockets(workspace: MakeWorkspace) -> None:
    ws = await workspace(OUT | {"out/x": ""})
    with socket.socket(socket.AF_UNIX) as one, socket.socket(socket.AF_UNIX) as two:
        one.bind(str(ws.root / "out" / "s"))
        two.bind(str(ws.root / "t"))
        ws.touched("t")
        assert names(ws, look(ws, IgnoredFolders()).sockets) == {"out/s", "t"}


@pytest.mark.parametrize(("most", "complete"), [(3, True), (2, False)])
async def test_a_folder_that_holds_too_much(
    workspace: MakeWorkspace, most: int, *, complete: bool
) -> None:
    ws = await workspace(OUT | {"out/a": "", "out/b/c": ""})
    assert IgnoredFolders().look(ws.snapshot, None, most).complete is complete


async def test_a_folder_that_is_closed_to_us_is_kept_as_a_whole(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that owns it could open it, and what it holds is not known."""
    ws = await workspace(OUT | {"out/shut/.env": "", "out/shut/.git/config": "", "out/x.log": ""})
    scandir, lstat = os.scandir, os.lstat

    def closed(path: str) -> object:
        if os.path.basename(path) == "shut":
            raise PermissionError(path)
        return scandir(path)

    def unseen(path: str) -> os.stat_result:
        if os.path.basename(path) == "out":
            raise PermissionError(path)
        return lstat(path)

    hidden = HiddenFiles.of(policy(deny=["Read(.env)"], root=ws.root))
    found = IgnoredFolders()
    assert names(ws, look(ws, found, hidden).hidden) == {"out/shut/.env"}
    for name, shut in (("scandir", closed), ("lstat", unseen)):
        with monkeypatch.context() as patched:
            patched.setattr(os, name, shut)
            for rules in (hidden, None):
                below = look(ws, found, rules)
                kept = {"out/shut" if name == "scandir" else "out"}
                assert names(ws, below.protected) == kept
                assert names(ws, below.hidden) == (kept if rules else set())
    assert names(ws, look(ws, found, hidden).hidden) == {"out/shut/.env"}


async def test_a_folder_that_is_gone(workspace: MakeWorkspace) -> None:
    ws = await workspace(OUT | {"out/a/.vscode/x": "", "out/b": ""})
    found = IgnoredFolders()
    assert look(ws, found).protected
    os.rename(ws.root / "out", Path(ws.root).parent / "elsewhere")
    assert look(ws, found).protected == []


@pytest.mark.parametrize(
    "deny",
    ["Read(.env)", "Read(*.pem)", "Read(sub/)", "Read(/.env)", "Read(a/.env)", "Read(//x/**)"],
)
def test_an_entry_is_hidden_as_its_path_is(tmp_path: Path, deny: str) -> None:
    """Though rules without a folder in them are not held against each folder anew."""
    hidden = HiddenFiles.of(policy(deny=[deny, "Edit(b/x)"], root=tmp_path))
    assert hidden is not None
    for folder in (tmp_path, tmp_path / "a", tmp_path / "b" / "a"):
        for name in (".env", ".ENV", "x.pem", "sub", "x"):
            path = str(folder / name)
            assert hidden.entry(str(folder), name) is hidden.names(path), path
