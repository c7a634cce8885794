"""Commands run, are limited, and end with all they started, in a sandbox or not."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tracemalloc
import uuid
from pathlib import Path

import pytest

from glossator.core.errors import UsageError
from glossator.sandbox.confinement import Sandbox, Unavailable
from glossator.sandbox.environment import home_tools, scrubbed
from glossator.sandbox.jobs import MOST_RUNNING
from glossator.sandbox.output import HEAD, TAIL, Exit, Output, OutputBuffer, exit_text, output_text
from glossator.sandbox.shell import Shell, ShellCommand
from tests.patience import SECONDS
from tests.sandbox.conftest import KEY, MakeShell, processes
from tests.sandboxed import FOUND, SANDBOXED

NO_SANDBOX = Unavailable("There is none.")
BOTH = [
    pytest.param(FOUND, id="sandbox", marks=SANDBOXED),
    pytest.param(NO_SANDBOX, id="none"),
]
both = pytest.mark.parametrize("confinement", BOTH)


@both
@pytest.mark.parametrize(
    ("text", "output", "ended"),
    [
        ("echo a; echo b >&2; echo c", "a\nb\nc", Exit(0)),
        ("exit 7", "", Exit(7)),
        ("false", "", Exit(1)),
        ("no-such-program 2>/dev/null", "", Exit(127)),
        ("cat", "", Exit(0)),  # there is no input
        ("read x; echo $?", "1", Exit(0)),
        ("echo a; echo b\n echo c", "a\nb\nc", Exit(0)),
        ("exit 255", "", Exit(255)),
        ("test -t 1 || echo no terminal", "no terminal", Exit(0)),
        ("printf 'a\\0\\033[1mb\\033[0m\\r\\nc\\n10%%\\r20%%\\n\\xff'", "a�b\nc\n20%\n�", Exit(0)),
        ("--help 2>/dev/null", "", Exit(127)),
    ],
)
async def test_run(
    shell: MakeShell, confinement: Sandbox | Unavailable, text: str, output: str, ended: Exit
) -> None:
    finished = await shell(confinement).run(ShellCommand(text), SECONDS)
    assert (output_text(finished.output), finished.exit) == (output, ended)


async def test_the_signal_is_told(shell: MakeShell, sandbox: Sandbox) -> None:
    finished = await shell(NO_SANDBOX).run(ShellCommand("kill -9 $$"), SECONDS)
    assert finished.exit == Exit(None, "SIGKILL")
    finished = await shell(sandbox).run(ShellCommand("kill -SEGV $$"), SECONDS)
    assert finished.exit == Exit(139, "SIGSEGV")


LEFT_BEHIND = [
    "sleep {mark} & disown",
    "(sleep {mark} &)",
    "nohup sleep {mark} >/dev/null 2>&1 &",
    "trap '' TERM; sleep {mark} & echo",
]


def mark() -> str:
    return f"8{uuid.uuid4().int % 10**12}"


@both
@pytest.mark.parametrize("text", LEFT_BEHIND)
async def test_nothing_is_left_behind(
    shell: MakeShell, confinement: Sandbox | Unavailable, text: str
) -> None:
    number = mark()
    finished = await shell(confinement).run(ShellCommand(text.format(mark=number)), SECONDS)
    assert finished.exit == Exit(0)
    assert processes(number) == []


STUBBORN = [
    "echo begun; sleep {mark}",
    "echo begun; sleep {mark} & sleep {mark}",
    "trap '' TERM; echo begun; while true; do sleep {mark}; done",
    "trap 'exit 3' TERM; echo begun; sleep {mark}",
]


@both
@pytest.mark.parametrize("text", STUBBORN)
async def test_the_time_limit_ends_all(
    shell: MakeShell, confinement: Sandbox | Unavailable, text: str
) -> None:
    number = mark()
    finished = await shell(confinement).run(ShellCommand(text.format(mark=number)), 0.5)
    assert finished.timed_out
    assert "begun" in output_text(finished.output)
    assert processes(number) == []


async def test_in_the_sandbox_a_session_of_its_own_does_not_help(
    shell: MakeShell, sandbox: Sandbox
) -> None:
    number = mark()
    text = f"setsid sleep {number} & (setsid sleep {number} &); echo"
    await shell(sandbox).run(ShellCommand(text), SECONDS)
    assert processes(number) == []


@both
async def test_ending_at_any_moment_ends_all(
    shell: MakeShell, confinement: Sandbox | Unavailable
) -> None:
    """Above all while the sandbox is being made."""
    confined, number = shell(confinement), mark()
    for step in range(40):
        task = asyncio.create_task(confined.run(ShellCommand(f"sleep {number}"), SECONDS))
        for _ in range(step * 5):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
    assert processes(number) == []


@both
async def test_cancelling_ends_all(
    shell: MakeShell, confinement: Sandbox | Unavailable, root: Path
) -> None:
    number = mark()
    os.mkfifo(root / "begun")
    text = f"sleep {number} & echo > begun; trap '' TERM; while true; do sleep {number}; done"
    task = asyncio.create_task(shell(confinement).run(ShellCommand(text), SECONDS))
    await asyncio.to_thread((root / "begun").read_text)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert processes(number) == []


async def test_a_command_asked_to_end_may_clean_up(shell: MakeShell, sandbox: Sandbox) -> None:
    confined = shell(sandbox)
    job = await confined.start(
        ShellCommand("trap 'echo cleaned; exit 5' TERM; echo begun; sleep 1000 & wait")
    )
    text = ""
    while "begun" not in text:
        text += output_text((await confined.poll(job, 0.05)).output)
    polled = await confined.stop(job)
    assert output_text(polled.output) == "cleaned"
    assert polled.exit == Exit(5)


@both
async def test_much_output_is_not_held(
    shell: MakeShell, confinement: Sandbox | Unavailable
) -> None:
    tracemalloc.start()
    try:
        finished = await shell(confinement).run(
            ShellCommand("yes | head -c 100000000; echo end"), SECONDS
        )
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000
    output = finished.output
    assert len(output.head) == HEAD
    assert len(output.tail) == TAIL
    assert output.omitted_bytes == 100_000_004 - HEAD - TAIL
    text = output_text(output)
    assert text.startswith("y\ny\n")
    assert text.endswith("y\nend")
    assert "lines, 100.0 MB left out here; narrow it" in text


def test_kept_holds_both_ends() -> None:
    kept = OutputBuffer(head=10, tail=10)
    for number in range(100):
        kept.feed(b"%02d\n" % number)
    output = kept.take()
    assert output == Output(b"00\n01\n02\n0", b"\n97\n98\n99\n", 280, 93)
    assert output_text(output) == (
        "00\n01\n02\n[94 lines, 282 bytes left out here; narrow it with grep, head or tail,"
        " or write it to a file and Read that]\n97\n98\n99"
    )
    kept.feed(b"new")
    assert kept.take() == Output(b"new")
    assert kept.take() == Output()


@pytest.mark.parametrize("piece", [1, 3, 7, 1000])
@pytest.mark.parametrize("size", [0, 9, 10, 11, 20, 21, 500])
def test_kept_counts_every_byte(piece: int, size: int) -> None:
    kept, data = OutputBuffer(head=10, tail=10), bytes(range(10)) * 50
    for at in range(0, size, piece):
        kept.feed(data[at : min(at + piece, size)])
    output = kept.take()
    assert len(output.head) + len(output.tail) + output.omitted_bytes == size
    assert output.omitted_bytes == max(0, size - 20)
    lines = data[:size].count(b"\n")
    assert output.omitted_lines == lines - (output.head + output.tail).count(b"\n")


@pytest.mark.parametrize(
    ("ended", "text"),
    [
        (None, "[still running]"),
        (Exit(0), "[exit code 0]"),
        (Exit(None, "SIGTERM"), "[ended by SIGTERM]"),
        (Exit(137, "SIGKILL"), "[exit code 137: perhaps ended by SIGKILL]"),
    ],
)
def test_exit_text(ended: Exit | None, text: str) -> None:
    assert exit_text(ended) == text


def test_environment() -> None:
    found = scrubbed(
        {
            "PATH": "/usr/bin::.:bin:/bin",
            "HOME": "/h",
            "LC_ALL": "C",
            "LANG": "C",
            "ANTHROPIC_API_KEY": KEY,
            "GITHUB_TOKEN": KEY,
            "AWS_SECRET_ACCESS_KEY": KEY,
            "HTTPS_PROXY": KEY,
            "LD_PRELOAD": KEY,
            "BASH_ENV": KEY,
            "BASH_FUNC_ls%%": KEY,
            "GIT_SSH_COMMAND": KEY,
            "PATH_KEY": KEY,
            "SSH_AUTH_SOCK": KEY,
            "TERM": "xterm",
            "PAGER": "less",
        }
    )
    assert KEY not in found.values()
    assert found["PATH"] == "/usr/bin:/bin"
    assert (found["HOME"], found["LC_ALL"], found["TERM"], found["PAGER"]) == (
        *("/h", "C", "dumb", "cat"),
    )


def test_no_credentials_among_the_tools_of_a_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    names = (".cargo/bin", ".local/bin", ".nvm/node/bin", "bin", "tools/x/bin", ".fly/bin")
    for each in (*names, ".ssh"):
        (tmp_path / each).mkdir(parents=True)
    path = ":".join(str(tmp_path / each) for each in names)
    found = {os.path.relpath(each, tmp_path) for each in home_tools({"PATH": path})}
    assert found == {".cargo/bin", ".local/bin", ".nvm/node", ".nvm", "bin", "tools/x", ".fly/bin"}


async def test_jobs_die_with_the_server(sandbox: Sandbox, root: Path) -> None:
    """Even if it is killed; without a sandbox nothing can see to that."""
    os.mkfifo(root / "alive")
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVER, str(root), stdout=asyncio.subprocess.PIPE
    )
    reading = asyncio.create_task(asyncio.to_thread((root / "alive").read_text))
    assert await server.wait() == -signal.SIGKILL
    assert await asyncio.wait_for(reading, SECONDS) == "up\n"  # its end: nobody holds it open


SERVER = """
import asyncio, os, signal, sys
from glossator.sandbox.confinement import SandboxPolicy
from glossator.sandbox.workspace_shell import find_sandbox
from glossator.sandbox.shell import ShellCommand, Shell

async def serve(root):
    shell = Shell(find_sandbox(), SandboxPolicy((root,)), os.environ)
    await shell.start(ShellCommand("exec 9>alive; echo up >&9; echo up; sleep 1000"))
    while not (await shell.poll("1", 0.05)).output.head:
        pass
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(serve(sys.argv[1]))
"""


@both
async def test_jobs(shell: MakeShell, confinement: Sandbox | Unavailable, root: Path) -> None:
    os.mkfifo(root / "go")
    confined = shell(confinement)
    job = await confined.start(ShellCommand("echo one; cat go; echo two; exit 4"))
    text = ""
    while "one" not in text:
        text += output_text((await confined.poll(job, 0.05)).output)
    polled = await confined.poll(job, 0)
    assert polled.exit is None
    assert polled.output == Output()
    await asyncio.to_thread((root / "go").write_text, "go\n")
    polled = await confined.poll(job, SECONDS)
    assert output_text(polled.output) == "go\ntwo"
    assert polled.exit == Exit(4)
    with pytest.raises(UsageError, match="There is no job '1': there are none now"):
        await confined.poll(job, 0)


async def test_jobs_are_few_and_end_with_their_owner(shell: MakeShell, sandbox: Sandbox) -> None:
    confined, number = shell(sandbox), mark()
    names = [await confined.start(ShellCommand(f"sleep {number}")) for _ in range(MOST_RUNNING)]
    assert names == [str(each + 1) for each in range(MOST_RUNNING)]
    with pytest.raises(UsageError, match=r"which is the maximum\.\nStop one of 1, 2"):
        await confined.start(ShellCommand("true"))
    polled = await confined.stop("1")
    assert polled.exit is not None
    assert await confined.start(ShellCommand(f"sleep {number}")) == str(MOST_RUNNING + 1)
    await confined.close()
    assert processes(number) == []


async def test_ended_jobs_nobody_asks_about_are_forgotten(shell: MakeShell) -> None:
    confined = shell(NO_SANDBOX)
    await _run_jobs(confined, 40)
    with pytest.raises(UsageError, match="There is no job '1'"):
        await confined.poll("1", 0)
    assert (await confined.poll("40", SECONDS)).exit == Exit(0)


async def _run_jobs(shell: Shell, count: int) -> None:
    for _ in range(count):
        job = await shell.start(ShellCommand("true"))
        await shell._jobs._job(job).process.wait()
