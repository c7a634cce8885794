"""A server may open as many files as the system lets it, its commands as many as before."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

SOFT, HARD = 256, 4_096

SERVER = """
import asyncio, os, resource, sys
from glossator.core.descriptors import raise_limit
from glossator.tools.shell.policy import Policy, Unavailable
from glossator.tools.shell.shell import Command, Shell

raise_limit()
shell = Shell(Unavailable(""), Policy((sys.argv[1],)), os.environ, unconfined_after_asking=True)
told = asyncio.run(shell.run(Command("ulimit -S -n; ulimit -H -n"), 60))
print(*resource.getrlimit(resource.RLIMIT_NOFILE), *told.output.head.decode().split())
"""


@pytest.mark.parametrize("soft", [SOFT, HARD])
def test_the_limit_is_raised_and_commands_keep_theirs(soft: int, tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-c", SERVER, str(tmp_path)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, HARD)),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    assert [int(number) for number in told.stdout.split()] == [HARD, HARD, soft, HARD]
