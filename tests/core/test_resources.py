"""A server may open as many files as the system lets it, its commands as many as before."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from glossator.core import own_process

_allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[1]  # of this machine
SOFT, HARD = 256, 4_096 if _allowed == resource.RLIM_INFINITY else min(4_096, _allowed)

SERVER = """
import asyncio, os, resource, sys
from glossator.core.own_process import raise_open_file_limit
from glossator.sandbox.confinement import SandboxPolicy, Unavailable
from glossator.sandbox.shell import ShellCommand, Shell

raise_open_file_limit()
policy = SandboxPolicy((sys.argv[1],))
shell = Shell(Unavailable(""), policy, os.environ, unconfined_after_asking=True)
told = asyncio.run(shell.run(ShellCommand("ulimit -S -n; ulimit -H -n"), 60))
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


@pytest.mark.parametrize(("most", "raised"), [(10_240, [8_192]), (256, []), (65_536, [65_536])])
def test_a_system_that_takes_less_than_its_hard_limit(
    most: int, raised: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As macOS, whose hard limit is infinite."""
    taken: list[int] = []

    def set_limit(_resource: int, limits: tuple[int, int]) -> None:
        if limits[0] > most:
            raise ValueError("not allowed to raise maximum limit")
        taken.append(limits[0])

    monkeypatch.setattr(own_process, "_of_commands", None)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (SOFT, resource.RLIM_INFINITY))
    monkeypatch.setattr(resource, "setrlimit", set_limit)
    own_process.raise_open_file_limit()
    assert taken == raised
    assert own_process.open_file_limit_of_commands() == (SOFT if raised else None)
