"""A sandbox ends with its server, also with one that is killed while the sandbox is being made."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import sys
from pathlib import Path

import pytest

from tests.patience import SECONDS, until
from tests.sandbox.conftest import processes
from tests.sandboxed import SANDBOXED

pytestmark = SANDBOXED
_SEED = 7
_ROUNDS = 25
_LATEST = 0.03  # seconds after bubblewrap was started: about when the command runs
# forks servers that are killed when they have started bubblewrap, so many seconds later
_SERVERS = """
import asyncio, os, signal, sys, time
from glossator.sandbox.confinement import SandboxPolicy
from glossator.sandbox.workspace_shell import find_sandbox
from glossator.sandbox.shell import ShellCommand, Shell

root, mark, *delays = sys.argv[1:]
shell = Shell(find_sandbox(), SandboxPolicy((root,)), os.environ)

async def serve():
    await shell.start(ShellCommand(f"sleep {mark}"))
    await asyncio.sleep(1000)

def started(server):
    return any(
        open(f"/proc/{server}/task/{thread}/children").read()
        for thread in os.listdir(f"/proc/{server}/task")
    )

for delay in delays:
    server = os.fork()
    if not server:
        asyncio.run(serve())
    while not started(server):
        time.sleep(0.0005)
    time.sleep(float(delay))
    os.kill(server, signal.SIGKILL)
    os.waitpid(server, 0)
"""


async def test_a_sandbox_ends_with_its_server(tmp_path: Path) -> None:
    chance = random.Random(_SEED)
    mark = f"{10**8 + os.getpid()}.25"
    delays = [str(chance.uniform(0, _LATEST)) for _ in range(_ROUNDS)]
    words = (sys.executable, "-c", _SERVERS, str(tmp_path), mark, *delays)
    servers = await asyncio.create_subprocess_exec(*words)
    assert await servers.wait() == 0
    await until(lambda: not processes(mark))


# ends the child that waits for the server's end, and tries to have the first process outlive it
_ATTACK = """
import ctypes, os
seize, attach = 0x4206, 16
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long] * 4
for each in filter(str.isdecimal, os.listdir("/proc")):
    if int(each) not in (1, os.getpid(), os.getppid()):
        os.kill(int(each), 9)
print("traced:", [libc.ptrace(how, 1, 0, 0) for how in (seize, attach)].count(0), flush=True)
class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
here = ctypes.create_string_buffer(8)
vector = Vector(ctypes.cast(here, ctypes.c_void_p), 8)
there = int(open("/proc/self/maps").readline().split("-")[0], 16)
print("written:", libc.process_vm_writev(1, ctypes.byref(vector), 1, ctypes.byref(vector), 1, 0))
print("denied:", ctypes.get_errno() == 1, flush=True)
try:
    print("opened:", open("/proc/1/mem", "r+b"), flush=True)
except PermissionError:
    print("closed", flush=True)
"""
_SERVER = """
import asyncio, os, sys
from glossator.sandbox.confinement import SandboxPolicy
from glossator.sandbox.workspace_shell import find_sandbox
from glossator.sandbox.shell import ShellCommand, Shell

async def serve(root, mark):
    shell = Shell(find_sandbox(), SandboxPolicy((root,)), {"PATH": os.defpath, "HOME": root})
    job = await shell.start(ShellCommand(f"{sys.argv[3]} attack.py; echo done; sleep {mark}"))
    said = ""
    while "done" not in said:
        said += (await shell.poll(job, 1.0)).output.head.decode()
    print(said, flush=True)
    await asyncio.sleep(1000)

asyncio.run(serve(*sys.argv[1:3]))
"""


async def test_no_command_keeps_a_sandbox_alive(tmp_path: Path) -> None:
    """It can end what waits for the server's end, but not change the first process."""
    python = shutil.which("python3", path=os.defpath)
    if python is None:
        pytest.skip("the system has no Python to attack with")
    (tmp_path / "attack.py").write_text(_ATTACK)
    mark = f"{10**8 + os.getpid()}.75"
    words = (sys.executable, "-c", _SERVER, str(tmp_path), mark, python)
    server = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
    assert server.stdout is not None
    async with asyncio.timeout(SECONDS):
        said = (await server.stdout.readuntil(b"done\n")).decode()
    assert said.split("\n")[:4] == ["traced: 0", "written: -1", "denied: True", "closed"]
    assert processes(mark)
    server.kill()
    await server.wait()
    await until(lambda: not processes(mark))
