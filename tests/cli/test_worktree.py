"""A chat in a worktree of its own, at a terminal: its edits stay there until they are merged."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from glossator.cli.launch import with_values
from tests.cli.terminal import CTRL_D
from tests.cli.test_acting import AFTER, BEFORE, PROMPT, SCRIPT, program, text, workspace
from tests.cli.test_talking import READY
from tests.standin import StandIn, Text, Turn


def git(root: Path, *words: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    run = subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)
    return run.stdout.decode()


async def test_a_chat_works_beside_the_users_files_and_is_merged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    fish = workspace(root)
    git(root, "init", "-q", "-b", "trunk")
    git(root, "add", ".")
    git(root, "commit", "-qm", "First")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ada@example.org")
    script = [*SCRIPT, Turn(Text("`fish.py:1` is deep."))]
    async with StandIn(script) as api:
        async with program(root, api, "chat", "--trust", "--worktree") as terminal:
            await terminal.until("a branch of its own, glossator/work-1")
            await terminal.sees(READY)
            terminal.type("dive\n")
            await terminal.sees("--- fish.py\n", PROMPT.rstrip())
            terminal.type("y\n")
            await terminal.until("+depth = 2")
            await terminal.until("It is done.")
            await terminal.sees(READY)
            assert text(fish) == BEFORE
            terminal.type(CTRL_D)
            assert await terminal.ended() == 0
        async with program(root, api, "sessions") as terminal:
            await terminal.until("glossator/work-1")
            assert await terminal.ended() == 0
        async with program(root, api, "chat", "--trust", "--continue") as terminal:
            await terminal.sees(READY)
            terminal.type("/discard\n")
            await terminal.until("glossator/work-1 was not thrown away: 1 changed file")
            await terminal.sees(READY)
            terminal.type("How deep?\n")
            await terminal.until("is deep.")
            await terminal.sees(READY)
            assert text(fish) == BEFORE
            terminal.type("/merge\n")
            await terminal.until("Merged glossator/work-1 into trunk: 1 file.")
            await terminal.until("To take it back: `git reset --keep ")
            await terminal.until("The next question begins a new session.")
            assert text(fish) == AFTER
            await terminal.sees(READY)
            terminal.type(CTRL_D)
            assert await terminal.ended() == 0
        assert api.refusals == []
    assert git(root, "status", "--porcelain") == ""


def test_a_worktree_without_a_name_has_one_chosen() -> None:
    assert with_values(["ask", "--worktree", "why?"]) == ["ask", "--worktree=", "why?"]
    assert with_values(["ask", "--worktree=a", "--", "--worktree"]) == [
        *("ask", "--worktree=a", "--", "--worktree"),
    ]
