"""What the user allowed of a protected path happens; what a command was kept from is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from glossator.core.permission import Choice, PermissionAnswer
from tests.sandboxed import SANDBOXED
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn

pytestmark = SANDBOXED
_DONE = Turn(Text("Done."))
_AUTO = {"permissions": {"mode": "auto"}}


def bash(command: str) -> Turn:
    return Turn(ToolUse("Bash", {"command": command}, "c"))


def told(s: Stage) -> str:
    return str(s.results(1)["c"]["content"])


@pytest.mark.parametrize(
    ("path", "before"),
    [("AGENTS.md", None), ("AGENTS.md", "old\n"), (".npmrc", "old\n"), (".mcp.json", None)],
)
async def test_a_write_that_the_user_allowed_is_made(
    tmp_path: Path, path: str, before: str | None
) -> None:
    """Asked about once, and nothing else becomes writable by it."""
    files = {"CLAUDE.md": "old\n"} | ({} if before is None else {path: before})
    script = [bash(f"echo new > {path}; sh -c 'echo evil >> CLAUDE.md'"), _DONE]
    async with stage(tmp_path, files, script, _AUTO) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)]
        await s.ask("Go.")
        (request,) = s.port.permissions
        assert any("is protected" in reason for reason in request.reasons)
        assert "[Protected, so that no command changes it unasked: CLAUDE.md]" in told(s)
    assert (tmp_path / path).read_text() == "new\n"
    assert (tmp_path / "CLAUDE.md").read_text() == "old\n"


async def test_what_else_is_in_a_protected_folder_stays(tmp_path: Path) -> None:
    files = {".vscode/settings.json": "old\n", ".vscode/tasks.json": "old\n"}
    line = "echo new > .vscode/settings.json; sh -c 'echo evil > .vscode/tasks.json'"
    async with stage(tmp_path, files, [bash(line), _DONE], _AUTO) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)]
        await s.ask("Go.")
    assert (tmp_path / ".vscode/settings.json").read_text() == "new\n"
    assert (tmp_path / ".vscode/tasks.json").read_text() == "old\n"


async def test_a_refused_change_of_a_protected_file_is_told(tmp_path: Path) -> None:
    script = [bash("rm -f AGENTS.md"), _DONE]
    async with stage(tmp_path, {"AGENTS.md": "old\n"}, script, _AUTO) as s:
        await s.ask("Go.")
        assert "[Protected, so that no command changes it unasked: AGENTS.md]" in told(s)
        assert s.port.permissions == []
    assert (tmp_path / "AGENTS.md").read_text() == "old\n"


async def test_a_repository_above_the_workspace_is_said_to_be_unseen(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    root = tmp_path / "sub"
    root.mkdir()
    async with stage(root, {}, [bash("git status"), _DONE], _AUTO) as s:
        await s.ask("Go.")
        assert "[Commands see nothing above the workspace, so they miss its repository." in told(s)
    assert os.listdir(root) == []
