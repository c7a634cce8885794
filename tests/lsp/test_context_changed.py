"""A client that shows what goes into the window is told when that changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.lsp.features import build_server
from tests.lsp.support.editor import connected

OF_FILES = {"kind": "instructions"}


async def test_an_instruction_file_that_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    root = tmp_path / "ws"
    root.mkdir()
    async with connected(build_server()) as editor:
        await editor.initialize(
            {"experimental": {"glossator": {"events": True}}},
            initializationOptions={"trusted": True},
            workspaceFolders=[{"uri": root.as_uri(), "name": "ws"}],
        )
        found = await editor.result(
            editor.command("glossator.listContext", {"kind": "instructions"})
        )
        assert [each for each in found["sources"] if each["source"] == "project"] == []
        file = root / "AGENTS.md"
        file.write_text("Use tabs.\n")
        changes = {"changes": [{"uri": file.as_uri(), "type": 1}]}
        editor.notify("workspace/didChangeWatchedFiles", changes)
        await editor.told("glossator/contextChanged")
        found = await editor.result(
            editor.command("glossator.listContext", {"kind": "instructions"})
        )
        (ours,) = (each for each in found["sources"] if each["source"] == "project")
        assert (ours["name"], ours["state"]) == ("AGENTS.md", "on")
        assert ours["actions"] == ["turnOff", "open"]
        await editor.shut_down()
