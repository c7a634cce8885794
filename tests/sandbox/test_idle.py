"""When a command rests: what changes then is not its doing."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from glossator.sandbox.idle import IdleTimes
from tests.patience import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="told by Linux alone")

# a process below the one that is followed, which writes and rests in turn
_SCRIPT = "(while read -r name; do echo x > $name; echo done; done); true"


@pytest.fixture
def command(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        ["sh", "-c", _SCRIPT],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


def write(command: subprocess.Popen[str], path: Path) -> int:
    """Have the command write a file; when it did."""
    assert command.stdin is not None
    assert command.stdout is not None
    command.stdin.write(f"{path.name}\n")
    command.stdin.flush()
    command.stdout.readline()
    return path.stat().st_ctime_ns


def touch(path: Path) -> int:
    """Write a file; when that was."""
    path.write_text("x")
    return path.stat().st_ctime_ns


def is_known(idle: IdleTimes, path: Path, seen: list[int]) -> bool:
    """Write a file once more; whether one of the times is known to be nobody's."""
    seen.append(touch(path))
    return any(idle.covers(path.name, at) for at in seen)


async def test_what_is_written_while_it_rests_is_known(
    command: subprocess.Popen[str], tmp_path: Path
) -> None:
    idle = IdleTimes()
    assert not idle.covers("x", touch(tmp_path / "early"))  # nothing is known yet
    idle.begin()
    idle.follow(command.pid)
    for _ in range(5):
        its = write(command, tmp_path / "its")
        await until(partial(is_known, idle, tmp_path / "ours", []))
        assert not idle.covers("its", its)
    last = write(command, tmp_path / "its")
    command.kill()
    command.wait()
    idle.end()
    assert not idle.covers("its", last)
    assert idle.covers("after", time.time_ns() + 10**9)
    idle.ours.add("/ws/.vscode")
    assert not idle.covers("/ws/.vscode/tasks.json", last + 10**9)


async def test_what_the_sandbox_removes_after_a_command_hides_no_change_of_a_folder(
    tmp_path: Path,
) -> None:
    idle = IdleTimes()
    folder, placeholder = str(tmp_path), tmp_path / "placeholder"
    placeholder.mkdir()
    idle.begin([folder])
    (tmp_path / "its").touch()
    idle.end()
    placeholder.rmdir()
    assert not idle.covers(folder, time.time_ns() + 10**9)
    assert idle.covers(str(tmp_path / "its"), time.time_ns() + 10**9)


@pytest.fixture
def busy() -> Iterator[int]:
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as process:
        yield process.pid
        process.kill()


async def test_before_it_began_and_while_it_works(tmp_path: Path, busy: int) -> None:
    idle = IdleTimes()
    before = touch(tmp_path / "before") - 10**9
    idle.begin()
    idle.follow(busy)
    assert idle.covers("before", before)
    seen: list[int] = []
    await until(lambda: is_known(idle, tmp_path / "ours", seen) or len(seen) > 100)
    assert len(seen) > 100
    idle.end()
