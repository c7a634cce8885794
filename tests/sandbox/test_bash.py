"""The tool Bash: what the model asks for and what it is told."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from glossator.core.errors import UsageError
from glossator.core.permission import Access
from glossator.core.tool_result import ToolResult
from glossator.sandbox.bash_tool import Bash, BashArgs
from glossator.sandbox.confinement import Sandbox, Unavailable
from glossator.sandbox.output import Exit, ended_badly, exit_text
from glossator.sandbox.shell import Shell
from glossator.shell import FailedPart
from glossator.tools.conversation_state import CommandRuns
from tests.sandbox.conftest import MakeShell
from tests.workspaces import MakeWorkspace, Workspace


@pytest.fixture
async def ws(workspace: MakeWorkspace) -> Workspace:
    return await workspace({})


async def call(
    shell: Shell, ws: Workspace, runs: CommandRuns | None = None, **arguments: Any
) -> ToolResult:
    context = ws.context(abilities=(shell,), runs=runs or CommandRuns())
    return await Bash().run(BashArgs(**arguments), context)


async def test_a_command(shell: MakeShell, sandbox: Sandbox, ws: Workspace, root: Path) -> None:
    (root / "sub").mkdir()
    bash = shell(sandbox)
    assert Bash.access is Access.EXECUTE
    result = await call(bash, ws, command="pwd; exit 2", cwd="sub")
    text = f"{root}/sub\n[run 1] [exit code 2]"
    assert result == ToolResult(text, outcome="exit code 2", number="[run 1]", unsuccessful=True)
    assert ended_badly(result.text)
    good = await call(bash, ws, command="echo '[exit code 1]'")
    assert good.text == "[exit code 1]\n[run 1] [exit code 0]"
    assert not ended_badly(good.text)
    assert (await call(bash, ws, command="true")).text == "[no output]\n[run 1] [exit code 0]"


@pytest.mark.skipif(shutil.which("bash") is None, reason="only bash tells of parts")
async def test_a_failed_part_of_a_pipeline(
    shell: MakeShell, sandbox: Sandbox, ws: Workspace
) -> None:
    """A run is not called good because `tail` had something to show."""
    bash, runs = shell(sandbox), CommandRuns()
    command = "(echo 1 failed; exit 1) | tail -5"
    ended = "exit code 0, that of the last part; `(echo 1 failed; exit 1)` ended with exit code 1"
    result = await call(bash, ws, runs, command=command)
    assert result.text == f"1 failed\n[run 1] [{ended}]"
    assert result.unsuccessful
    await call(bash, ws, runs, command=command, background=True)
    result = await call(bash, ws, runs, job="1", timeout_seconds=60)
    assert result.text == f"1 failed\n[{ended}]"
    result = await call(bash, ws, runs, command="yes | head -1")
    assert result.text == "y\n[run 3] [exit code 0]"
    assert (result.outcome, result.unsuccessful) == ("1 line of output", False)
    assert runs.lines() == (f"[{ended}] {command}", f"[{ended}] {command}", "yes | head -1")


@pytest.mark.parametrize(
    ("ended", "badly"),
    [
        (None, False),
        (Exit(0), False),
        (Exit(0, failed=(FailedPart("a", 1),)), True),
        (Exit(1), True),
        (Exit(137, "SIGKILL"), True),
        (Exit(None, "SIGTERM"), True),
    ],
)
@pytest.mark.parametrize("run", ["", "[run 3] "])
def test_how_a_command_ended_is_read_back(ended: Exit | None, badly: bool, run: str) -> None:
    text = f"2 passed\n{run}{exit_text(ended)}\n[run without a sandbox]"
    assert ended_badly(text) is badly


async def test_the_time_limit(shell: MakeShell, sandbox: Sandbox, ws: Workspace) -> None:
    result = await call(
        shell(sandbox), ws, command="echo begun; exec sleep 1000", timeout_seconds=3
    )
    assert result.error
    assert result.text == (
        "begun\n[run 1] [ended at its limit of 3 s. Raise it with timeout_seconds (at most 600),"
        " or run it in the background]"
    )


async def test_long_output(shell: MakeShell, sandbox: Sandbox, ws: Workspace) -> None:
    result = await call(shell(sandbox), ws, command="seq 100000")
    assert result.omitted
    assert len(result.text) < 19_000
    assert re.search(
        r"^\d+\n\[9[\d,]+ lines, \d+\.\d kB left out here; narrow it with grep, .*\]\n\d+$",
        result.text,
        re.MULTILINE,
    )
    assert result.text.endswith("99999\n100000\n[run 1] [exit code 0]")


async def test_a_job(shell: MakeShell, sandbox: Sandbox, ws: Workspace) -> None:
    bash = shell(sandbox)
    result = await call(bash, ws, command="echo hello; exit 3", background=True)
    assert result.text == (
        "[run 1] Started job 1. Check it with job='1'. What it changes after this turn"
        " cannot be undone."
    )
    result = await call(bash, ws, job="1", timeout_seconds=60)
    assert result.text == "hello\n[exit code 3]"
    await call(bash, ws, command="sleep 1000", background=True)
    assert (await call(bash, ws, job="2")).text == "[no output]\n[still running]"
    stopped = await call(bash, ws, job="2", stop=True)
    assert "ended by SIG" in stopped.text or "exit code 143" in stopped.text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "Give a command"),
        ({"command": "ls", "stop": True}, "Give a command, or a job"),
        ({"command": "ls", "job": "1"}, "not both"),
        ({"job": "1", "background": True}, "not both"),
        ({"job": "9"}, "There is no job '9'"),
        ({"command": "ls", "cwd": "/"}, "outside the workspace"),
        ({"command": "ls", "cwd": "a\0b"}, "is no folder.\nGive one, or none."),
        ({"command": "ls", "cwd": "a\ud800"}, "is no folder.\nGive one, or none."),
    ],
)
async def test_misuse(
    shell: MakeShell, sandbox: Sandbox, ws: Workspace, arguments: dict[str, Any], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        await call(shell(sandbox), ws, **arguments)


async def test_without_a_sandbox_it_says_so(shell: MakeShell, ws: Workspace) -> None:
    result = await call(shell(Unavailable("There is none.")), ws, command="echo a")
    assert result.text == "a\n[run 1] [exit code 0]\n[run without a sandbox]"


def test_the_description_says_the_limits() -> None:
    assert "18 kB" in Bash.description
    assert "120 s" in Bash.description
