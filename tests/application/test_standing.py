"""A run ends with a message when a folder of the workspace is deleted or replaced."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from glossator.application.acting import while_folders_stand
from glossator.core.errors import UsageError
from glossator.core.events import RunFailed
from glossator.core.permission import Choice, PermissionAnswer
from glossator.sessions.runs import Runs
from tests.patience import until
from tests.stage import Recorder, stage
from tests.standin import Text, ToolUse, Turn
from tests.workspaces import MakeWorkspace

_AUTO = {"permissions": {"mode": "auto"}}
_FILES = {"a.txt": "a\n", "sub/b.txt": "b\n"}
_DONE = Turn(Text("Done."))


def deleted(root: Path) -> None:
    shutil.rmtree(root)


def replaced(root: Path) -> None:
    os.rename(root, root.with_name("old"))
    shutil.copytree(root.with_name("old"), root)


def emptied(root: Path) -> None:
    os.rename(root, root.with_name("old"))
    root.mkdir()


@pytest.mark.parametrize("change", [deleted, replaced, emptied])
async def test_a_run_ends_when_its_folder_is_another_one(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    root = tmp_path / "ws"
    waits = "echo > began.txt; until [ -e go.txt ]; do sleep 0.01; done"
    script = [
        Turn(ToolUse("Bash", {"command": waits})),
        Turn(ToolUse("Write", {"path": "new.txt", "text": "new\n"})),
        _DONE,
    ]
    async with stage(root, _FILES, script, _AUTO) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)] * 9
        asked = asyncio.create_task(s.ask("Go."))
        await until((root / "began.txt").exists)
        change(root)
        with pytest.raises(UsageError, match=f"The folder {root} was deleted or replaced"):
            await asked
        (failed,) = [e.event for e in s.port.envelopes if isinstance(e.event, RunFailed)]
        assert "nothing more is written there" in failed.message
        assert not (root / "new.txt").exists()
        assert root.exists() == (change is not deleted)
        assert s.app.runs.active() == ()


async def test_nothing_is_begun_before_the_change_is_heard_of(workspace: MakeWorkspace) -> None:
    ws, port = await workspace(_FILES), Recorder()

    async def work() -> None:
        async with Runs(port).open("session", None) as run:
            with while_folders_stand(ws.host, run):
                run.check()
                replaced(ws.root)
                with pytest.raises(UsageError):
                    run.check()
                await asyncio.Event().wait()

    with pytest.raises(UsageError, match="was deleted or replaced"):
        await work()
    assert [type(each.event) for each in port.envelopes] == [RunFailed]
