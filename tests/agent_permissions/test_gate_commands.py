"""The gate decides about a command by what it runs, not by its text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent_permissions.asking import policy
from tests.agent_permissions.test_gate import Setting
from tests.workspaces import MakeWorkspace


@pytest.mark.parametrize("command", ["rm a.txt", "ls && rm a.txt", "/bin/rm 'a.txt' > out"])
async def test_a_denied_command_is_denied_and_nobody_is_asked(
    workspace: MakeWorkspace, tmp_path: Path, command: str
) -> None:
    at = Setting(await workspace({"a.txt": "a\n"}), tmp_path)
    at.policy = policy(root=at.ws.root, deny=["Bash(rm:*)"])
    denied = await at.run(command)
    assert denied is not None
    assert "denied: Bash(rm:*)" in denied
    assert at.user.asked == []
    assert await at.run("mv a.txt b.txt") is None
    assert len(at.user.asked) == 1


async def test_where_a_command_writes_is_decided_as_an_edit_there(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    at = Setting(await workspace({"a.txt": "a\n"}), tmp_path)
    at.policy = policy(root=at.ws.root, deny=["Edit(a.txt)"])
    denied = await at.run("echo x > a.txt")
    assert denied is not None
    assert "denied: Edit(a.txt)" in denied
    assert await at.run("echo x > b.txt") is None
