"""The gate decides about a command by what it runs, not by its text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from glossator.tools.shell.bubblewrap import Bubblewrap
from glossator.tools.shell.policy import Limits
from glossator.tools.shell.policy import Policy as ShellPolicy
from glossator.tools.shell.shell import LimitedShell, Shell
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


async def test_in_auto_the_folders_of_the_sandbox_are_not_asked_about(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    def shell(snapshot: Any) -> LimitedShell:
        sandbox = Bubblewrap("/usr/bin/bwrap", (), sizes=True)
        return LimitedShell(Shell(sandbox, ShellPolicy(snapshot.roots), {"PATH": "/bin"}), Limits())

    at = Setting(await workspace({"a.txt": "a\n"}), tmp_path)
    at.gate = replace(at.gate, shell=shell)
    at.policy = policy("auto", root=at.ws.root)
    assert await at.run("git diff > /tmp/a.patch") is None
    assert not at.user.asked
    assert await at.run("git diff > /etc/a.patch") is None
    assert len(at.user.asked) == 1
