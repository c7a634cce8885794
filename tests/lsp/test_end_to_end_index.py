"""The real server over its streams: the first build is shown, can be ended, and survives kills."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.support.editor import Editor, spawned

FILES = 1500  # a build of so many is shown
RIPE_SECONDS = 2.0
PROGRESS = {"window": {"workDoneProgress": True}}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that are old enough to be indexed."""
    folder = tmp_path_factory.mktemp("ws").resolve()
    for number in range(FILES):
        (folder / f"{number}.txt").write_text(f"word{number} common\n" * 50)
    time.sleep(RIPE_SECONDS)  # a change's time cannot be set, it has to pass
    return folder


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


async def initialize(editor: Editor, root: Path) -> None:
    editor.answers["window/workDoneProgress/create"] = None
    settings = {"settings": {"models": {"offline": True}}}
    folders = [{"uri": root.as_uri(), "name": "ws"}]
    await editor.initialize(PROGRESS, workspaceFolders=folders, initializationOptions=settings)


async def run(editor: Editor, command: str, **argument: Any) -> Any:
    return await editor.result(editor.command(f"glossator.{command}", argument))


async def grep(editor: Editor, pattern: str) -> str:
    answer = await run(editor, "tool", name="Grep", arguments={"pattern": pattern})
    return str(answer["text"])


async def test_the_first_build_is_shown_and_can_be_ended(root: Path) -> None:
    async with spawned(module="glossator.lsp") as server:
        editor = server.editor
        await initialize(editor, root)
        building = editor.command("glossator.rebuildIndex", {"mode": "update"})
        begin = await editor.told("$/progress", "building the index", "begin")
        editor.notify("window/workDoneProgress/cancel", {"token": begin["params"]["token"]})
        await editor.result(building)
        await editor.told("$/progress", '"end"', begin["params"]["token"])
        status = await run(editor, "status", wait=True)
        assert status["index"]["state"] == "building was ended by the user"
        assert await grep(editor, r"word77\b") == "77.txt"
        assert (await run(editor, "rebuildIndex"))["indexed"] == FILES
        assert await grep(editor, r"word77\b") == "77.txt"
        await editor.shut_down()


async def test_a_server_that_is_killed_leaves_what_the_next_one_can_use(root: Path) -> None:
    async with spawned(module="glossator.lsp") as server:
        await initialize(server.editor, root)
        server.editor.command("glossator.rebuildIndex", {"mode": "update"})
        await server.editor.told("$/progress", "building the index", "begin")
        server.process.kill()
    async with spawned(module="glossator.lsp") as server:
        editor = server.editor
        await initialize(editor, root)
        assert await grep(editor, r"word77\b") == "77.txt"
        assert (await run(editor, "rebuildIndex", mode="update"))["indexed"] == FILES
        assert (await run(editor, "rebuildIndex", mode="check"))["problems"] == []
        assert await grep(editor, r"word1499\b") == "1499.txt"
        await editor.shut_down()


async def test_two_servers_share_one_index(root: Path) -> None:
    async with spawned(module="glossator.lsp") as first, spawned(module="glossator.lsp") as second:
        for server in (first, second):
            await initialize(server.editor, root)
        assert (await run(first.editor, "rebuildIndex", mode="update"))["indexed"] == FILES
        assert (await run(second.editor, "rebuildIndex", mode="update"))["indexed"] == FILES
        assert await grep(second.editor, r"word77\b") == "77.txt"
        first.process.kill()
        await first.process.wait()
        (root / "new.txt").write_text("a new file\n")
        rebuilt = await run(second.editor, "rebuildIndex")  # it takes over
        assert rebuilt["indexed"] == FILES + 1
        assert await grep(second.editor, "new file") == "new.txt"
        (root / "new.txt").unlink()
        await second.editor.shut_down()
