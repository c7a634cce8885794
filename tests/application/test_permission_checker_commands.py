"""The gate decides about a command by what it runs, not by its text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from glossator.core.permission import Choice, PermissionAnswer
from glossator.sandbox.bubblewrap import Bubblewrap
from glossator.sandbox.confinement import CommandLimits, HardLinkedFiles
from glossator.sandbox.confinement import SandboxPolicy as ShellPolicy
from glossator.sandbox.shell import LimitedShell, Shell
from tests.application.test_permission_checker import Setting
from tests.permissions.asking import policy
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
        sandbox = Bubblewrap("/usr/bin/bwrap", (), modern=True)
        return LimitedShell(
            Shell(sandbox, ShellPolicy(snapshot.roots), {"PATH": "/bin"}), CommandLimits()
        )

    at = Setting(await workspace({"a.txt": "a\n"}), tmp_path)
    at.gate = replace(at.gate, limited=shell)
    at.policy = policy("auto", root=at.ws.root)
    assert await at.run("git diff > /tmp/a.patch") is None
    assert not at.user.asked
    assert await at.run("git diff > /etc/a.patch") is None
    assert len(at.user.asked) == 1


@pytest.mark.parametrize(
    ("linked", "named"), [([], []), (["a"], ["a"]), (["a", "b", "c"], ["a and 2 more"])]
)
async def test_who_is_asked_is_told_of_files_with_other_names(
    workspace: MakeWorkspace, tmp_path: Path, linked: list[str], named: list[str]
) -> None:
    at = Setting(await workspace({}), tmp_path)
    found = HardLinkedFiles(tuple(str(at.ws.root / name) for name in linked))
    at.gate = replace(at.gate, hard_linked=lambda _: found)
    assert await at.run("touch x") is None
    (asked,) = at.user.asked
    told = [reason for reason in asked.reasons if "other names elsewhere" in reason]
    assert [reason.partition(" may go by ")[0] for reason in told] == named


async def test_who_is_asked_about_what_only_reads_is_told_of_none(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    at = Setting(await workspace({"a": "a\n"}), tmp_path)
    found = HardLinkedFiles((str(at.ws.root / "a"),))
    at.gate = replace(at.gate, hard_linked=lambda _: found)
    at.policy = policy(root=at.ws.root, ask=["Bash(cat:*)"])
    assert await at.run("cat a") is None
    (asked,) = at.user.asked
    assert not any("other names elsewhere" in reason for reason in asked.reasons)


async def test_the_network_is_allowed_for_a_session_by_the_line(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    def shell(snapshot: Any) -> LimitedShell:
        sandbox = Bubblewrap("/usr/bin/bwrap", (), modern=True)
        return LimitedShell(
            Shell(sandbox, ShellPolicy(snapshot.roots), {"PATH": "/bin"}), CommandLimits()
        )

    at = Setting(await workspace({"a.txt": "a\n"}), tmp_path)
    at.gate = replace(at.gate, limited=shell)
    at.policy = policy("auto", root=at.ws.root)
    at.user.answer = PermissionAnswer(Choice.SESSION)
    assert await at.run("git push", network=True) is None
    assert await at.run("git push", network=True) is None
    (asked,) = at.user.asked
    assert asked.choices == tuple(Choice)
    assert (asked.reasons, asked.suggestions) == (
        ("It would use the network.",),
        ("Network(git push)",),
    )
    at.user.answer = PermissionAnswer(Choice.DENY)
    assert await at.run("git push; id", network=True) is not None
    assert await at.run("git push", network=True) is None
