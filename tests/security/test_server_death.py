"""A sandbox ends with its server, also with one that is killed while the sandbox is being made."""

from __future__ import annotations

import asyncio
import os
import random
import sys
from pathlib import Path

from tests.patience import until
from tests.sandbox.conftest import processes
from tests.sandboxed import SANDBOXED

pytestmark = SANDBOXED
_SEED = 7
_ROUNDS = 25
_LATEST = 0.03  # seconds after bubblewrap was started: about when the command runs
# forks servers that are killed when they have started bubblewrap, so many seconds later
_SERVERS = """
import asyncio, os, signal, sys, time
from glossator.sandbox.policy import SandboxPolicy
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
