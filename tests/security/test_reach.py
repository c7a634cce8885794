"""What a command can neither reach nor use up: other programs' FIFOs and sockets, the machine."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from glossator.core.errors import UsageError
from glossator.sandbox import bubblewrap
from glossator.sandbox.confinement import CommandLimits, Quota, SandboxPolicy
from glossator.sandbox.output import output_text
from glossator.sandbox.shell import Shell, ShellCommand
from tests.patience import SECONDS
from tests.sandboxed import FOUND, SANDBOXED

pytestmark = SANDBOXED


def _shell(root: Path, quota: Quota | None = None) -> Shell:
    return Shell(FOUND, SandboxPolicy((str(root),), quota=quota or Quota()), os.environ)


async def _said(shell: Shell, text: str, limits: CommandLimits | None = None) -> str:
    finished = await shell.run(ShellCommand(text), SECONDS, limits=limits or CommandLimits())
    assert not finished.timed_out
    return output_text(finished.output)


async def test_nothing_beside_or_above_the_workspace(tmp_path: Path) -> None:
    """By any name: neither what is there, nor what comes while the command runs."""
    root = tmp_path / "a/ws"
    root.mkdir(parents=True)
    (root / "up").symlink_to(tmp_path)
    for folder in (tmp_path, tmp_path / "a"):
        os.mkfifo(folder / "fifo")
        (folder / "file").write_text("secret")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(folder / "sock"))
    ways = ("..", "../..", "up", "/proc/self/cwd/..", "/proc/1/cwd/..", str(tmp_path))
    places = " ".join(f"{way}/{name}" for way in ways for name in ("fifo", "sock", "file"))
    shell = _shell(root)
    told = await _said(shell, f"for f in {places}; do [ -e $f ] && echo seen $f; done; ls ..")
    assert told == "ws"
    job = await shell.start(ShellCommand("echo up; until [ -e go ]; do sleep 0.01; done; ls -A .."))
    while not (await shell.poll(job, 0.05)).output.head:
        pass
    os.mkfifo(tmp_path / "a/later")
    (root / "go").touch()
    assert output_text((await shell.poll(job, SECONDS)).output) == "ws"


async def test_what_is_of_no_use_to_programs_is_not_there(tmp_path: Path) -> None:
    told = await _said(_shell(tmp_path), "ls /; ls -A /home /root /srv /mnt /boot /var/lib 2>&1")
    top = set(told.split())
    assert {"usr", "etc", "proc", "dev", "tmp"} <= top
    assert not {"srv", "boot", "mnt", "media"} & top
    assert "dpkg" not in told


async def test_the_folders_of_the_sandbox_are_read_only(tmp_path: Path) -> None:
    told = await _said(_shell(tmp_path), "touch /x /dev/x /var/x; echo x > /dev/null")
    assert told.count("Read-only file system") == 3


async def test_fifos_of_the_workspace_are_covered(tmp_path: Path) -> None:
    """As sockets are: another program may read them."""
    os.mkfifo(tmp_path / "fifo")
    limits = CommandLimits(sockets=(str(tmp_path / "fifo"),))
    told = await _said(_shell(tmp_path), "[ -p fifo ] || echo none; echo x > fifo", limits)
    assert told.startswith("none")
    assert "Read-only" in told or "denied" in told


async def test_no_socket_or_fifo_of_a_readable_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However it was bound, and by whichever name the folder is shown."""
    place, root = tmp_path / "place", tmp_path / "ws"
    (place / "sub").mkdir(parents=True)
    root.mkdir()
    (tmp_path / "link").symlink_to(place)
    monkeypatch.setattr(bubblewrap, "_TEMPORARY", ("/run", "/dev/shm"))  # so that it is shown
    monkeypatch.chdir(place)
    os.mkfifo("fifo")
    os.mkfifo("sub/fifo")
    with ExitStack() as servers:
        for name in ("rel.sock", "./dot.sock", "../place/up.sock", str(place / "whole.sock")):
            server = servers.enter_context(socket.socket(socket.AF_UNIX))
            server.bind(name)
        policy = SandboxPolicy((str(root),), readable=(str(tmp_path / "link"),))
        shell = Shell(FOUND, policy, os.environ)
        see = "for f in */* */*/*; do [ -S $f ] || [ -p $f ] && echo seen $f; done; ls */sub *"
        told = await _said(shell, f"cd {tmp_path} && {see}")
    assert "seen" not in told
    assert "rel.sock" in told


async def test_a_readable_folder_that_holds_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "_FIND_SECONDS", 0.0)
    root, readable = tmp_path / "ws", tmp_path / "readable"
    for folder in (root, readable):
        folder.mkdir()
    shell = Shell(FOUND, SandboxPolicy((str(root),), readable=(str(readable),)), os.environ)
    with pytest.raises(UsageError, match=r"could not be found out: it took more than 0 s"):
        await shell.run(ShellCommand("true"), SECONDS)


async def test_temporary_folders_are_limited(tmp_path: Path) -> None:
    places = "/tmp /var/tmp /run /dev/shm ~"
    write = f"for p in {places}; do head -c 9000000 /dev/zero > $p/x; wc -c < $p/x; done"
    told = await _said(_shell(tmp_path, Quota(temporary_bytes=4_000_000)), write)
    assert told.count("No space left on device") == 5
    sizes = [int(line) for line in told.splitlines() if line.isdigit()]
    assert len(sizes) == 5
    assert max(sizes) < 5_000_000


async def test_memory_is_limited(tmp_path: Path) -> None:
    command = f'{sys.executable} -c "bytearray(400_000_000)"'
    shell = Shell(
        FOUND,
        SandboxPolicy(
            (str(tmp_path),),
            readable=(sys.prefix, sys.base_prefix),
            quota=Quota(memory_bytes=200_000_000),
        ),
        os.environ,
    )
    assert "MemoryError" in await _said(shell, command)


_BOMB = """
import os, signal, time
children = []
try:
    for _ in range(200):
        child = os.fork()
        if not child:
            time.sleep(100)
        children.append(child)
except OSError as error:
    print(error.strerror)
for child in children:
    os.kill(child, signal.SIGKILL)
"""
_SERVER = """
import asyncio, os, sys
from glossator.sandbox.confinement import SandboxPolicy, Quota
from glossator.sandbox.output import output_text
from glossator.sandbox.workspace_shell import find_sandbox
from glossator.sandbox.shell import ShellCommand, Shell

async def serve(root, bomb):
    quota = Quota(processes=64)
    policy = SandboxPolicy((root,), readable=(sys.prefix, sys.base_prefix), quota=quota)
    shell = Shell(find_sandbox(), policy, os.environ)
    command = ShellCommand(f"{sys.executable} {bomb}; ulimit -u 9999; ulimit -u")
    finished = await shell.run(command, 60)
    print(output_text(finished.output))

asyncio.run(serve(*sys.argv[1:]))
"""


@pytest.mark.skipif(os.getuid() == 0, reason="Linux exempts root from limits of processes")
async def test_processes_are_limited(tmp_path: Path) -> None:
    """Those of the sandbox are counted, whatever else the user runs."""
    (tmp_path / "bomb.py").write_text(_BOMB)
    words = (sys.executable, "-c", _SERVER, str(tmp_path), "bomb.py")
    server = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
    told = (await server.communicate())[0].decode()
    assert "Resource temporarily unavailable" in told
    assert told.rstrip().endswith("64"), "and cannot be raised"
