"""A workspace on disk, and the sandbox of this machine."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import psutil
import pytest

from glossator.sandbox.confinement import Sandbox, SandboxPolicy, Unavailable
from glossator.sandbox.shell import Shell
from tests.sandboxed import FOUND

KEY = "sk-not-to-be-seen"


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    if isinstance(FOUND, Unavailable):
        pytest.skip(FOUND.reason)
    return FOUND


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    root.mkdir()
    return root


MakeShell = Callable[..., Shell]


@pytest.fixture
async def shell(root: Path) -> AsyncIterator[MakeShell]:
    """Makes shells of the workspace; `sandbox` may be `Unavailable`, `more` is of the policy."""
    shells = []

    def make(sandbox: Sandbox | Unavailable, *protected: str, network: bool = False) -> Shell:
        policy = SandboxPolicy(
            (str(root),), tuple(f"{root}/{each}" for each in protected), network=network
        )
        environment = {**os.environ, "ANTHROPIC_API_KEY": KEY, "BASH_ENV": "/etc/passwd"}
        shells.append(Shell(sandbox, policy, environment, unconfined_after_asking=True))
        return shells[-1]

    yield make
    for each in shells:
        await each.close()


def processes(mark: str) -> list[int]:
    """The processes with a mark in their command line, zombies aside."""
    return [
        process.pid
        for process in psutil.process_iter(["cmdline", "status"])
        if process.info["status"] != psutil.STATUS_ZOMBIE
        and mark in " ".join(process.info["cmdline"] or ())
    ]
