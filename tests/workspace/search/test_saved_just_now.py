"""A search that begins after a save finds it: what was reported, or noted by the system, counts."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from glossator.application.application import Application
from glossator.commands.search import ToolRequest, tool
from glossator.settings.load import load_settings
from glossator.workspace.documents.overlays import DiskChanged
from tests.stage import Recorder

OLD = "the settled text\n"


def replace(root: Path, text: str) -> Sequence[Path]:
    """As many editors save."""
    (root / "one.txt~").write_text(text)
    (root / "one.txt~").replace(root / "one.txt")
    return root / "one.txt", root / "one.txt~"


def rewrite(root: Path, text: str) -> Sequence[Path]:
    """As others do, and most programs."""
    with (root / "one.txt").open("w") as file:
        file.flush()
        os.fsync(file.fileno())
        file.write(text)
    return (root / "one.txt",)


def append(root: Path, text: str) -> Sequence[Path]:
    """As logs grow."""
    with (root / "one.txt").open("a") as file:
        file.write(text)
    return (root / "one.txt",)


def in_new_folders(root: Path, text: str) -> Sequence[Path]:
    """No folder was watched."""
    folder = root / text.split(maxsplit=1)[0] / "deep"
    folder.mkdir(parents=True)
    (folder / "one.txt").write_text(text)
    return (folder.parent,)


def moved_folder(root: Path, text: str) -> Sequence[Path]:
    """The files in it are told of by no event."""
    outside, inside = root.parent / "outside", root / f"{text.split(maxsplit=1)[0]}-moved"
    outside.mkdir()
    (outside / "one.txt").write_text(text)
    outside.rename(inside)
    return (inside,)


def many_at_once(root: Path, text: str) -> Sequence[Path]:
    """More than are looked at on the event loop."""
    paths = [root / "many" / f"{number}.txt" for number in range(100)]
    paths[0].parent.mkdir(exist_ok=True)
    for path in paths:
        path.write_text(OLD)
    paths[-1].write_text(text)
    return (paths[0].parent, *paths)


SAVES = (replace, rewrite, append, in_new_folders, moved_folder, many_at_once)

Asks = Callable[[str], ToolRequest]
TOOLS: Sequence[tuple[str, Asks]] = (
    ("Grep", lambda word: ToolRequest("Grep", {"pattern": word, "output_mode": "content"})),
    ("Search", lambda word: ToolRequest("Search", {"query": word})),
)


def written(place: Path) -> Path:
    """The folder of a small workspace."""
    root = place.resolve() / "ws"
    root.mkdir()
    for name in ("one", "two", "three"):
        (root / f"{name}.txt").write_text(OLD)
    return root


class Workspace:
    """An indexed workspace, in which a client tells of changes, or nobody does."""

    def __init__(self, app: Application, root: Path, *, told: bool) -> None:
        self.app, self.root = app, root
        self._told = told

    def saved(self, *paths: Path) -> None:
        if self._told:
            self.app.host.apply(DiskChanged(frozenset(map(str, paths))))

    async def answer(self, asked: ToolRequest) -> str:
        return (await tool(self.app, asked)).text


@pytest.mark.parametrize(
    "watcher",
    [
        "off",
        pytest.param(
            "inotify",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="it exists on Linux only"),
        ),
    ],
)
async def test_the_first_search_after_a_save_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, watcher: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = written(tmp_path)
    settings = load_settings(
        {"models": {"offline": True}, "workspace": {"watcher": watcher}},
        {},
        file=tmp_path / "no-settings.toml",
    )
    app = Application((str(root),), settings, Recorder(), "utf-16", {})
    try:
        await app.start()
        await app.ready()
        app.retriever.start()
        await app.retriever.index.settle()
        await app.host.index_manager.settle()
        workspace = Workspace(app, root, told=watcher == "off")
        await everything(workspace)
    finally:
        await app.close()


async def everything(workspace: Workspace) -> None:
    root = workspace.root
    for number, save in enumerate(SAVES):
        for name, asks in TOOLS:
            word = f"zebra{number}{name.lower()}"
            workspace.saved(*save(root, f"{word} crossing\n"))
            assert f"{word} crossing" in await workspace.answer(asks(word)), (save, name)
        path = root / f"new{number}" / "file.py"
        path.parent.mkdir()
        path.write_text(OLD)
        workspace.saved(path.parent)
        assert "file.py" in await workspace.answer(
            ToolRequest("Glob", {"pattern": f"new{number}/*"})
        )
    for name, asks in TOOLS:
        word = f"quagga{name.lower()}"
        (root / "two.txt").write_text(f"{word}\n")
        workspace.saved(root / "two.txt")
        assert "two.txt" in await workspace.answer(asks(word)), name
        (root / "two.txt").unlink()
        workspace.saved(root / "two.txt")
        assert "two.txt" not in await workspace.answer(asks(word)), name
    (root / "three.txt").unlink()
    workspace.saved(root / "three.txt")
    assert "three.txt" not in await workspace.answer(ToolRequest("Glob", {"pattern": "th*.txt"}))
