"""Programs that are spoken to: what they read, what they may do, and their end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from glossator.sandbox.confinement import CommandLimits, Sandbox
from glossator.sandbox.served import ServedProgram
from glossator.sandbox.shell import Served, Shell
from tests.sandbox.conftest import MakeShell, processes

_TRIES = """
read -r line; echo "read $line"
echo x 2>/dev/null > inside && echo "wrote inside"
echo x > "$OWN/own" && echo "wrote its own"
cat hidden 2>/dev/null || echo "cannot read hidden"
echo "network: $(cat /proc/net/route | wc -l)"
echo "oh no" >&2
sleep 1000 &
read -r line; exit 3
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    own = tmp_path / "own"
    own.mkdir()
    return own


async def serve(shell: Shell, root: Path, own: Path, script: str) -> ServedProgram:
    (root / "hidden").write_text("secret")
    served = Served(("/bin/sh", "-c", script), str(root), str(own), environment={"OWN": str(own)})
    return await shell.serve(served, CommandLimits(hidden=(str(root / "hidden"),)))


async def test_what_it_may(shell: MakeShell, sandbox: Sandbox, root: Path, own: Path) -> None:
    program = await serve(shell(sandbox), root, own, _TRIES)
    program.write(b"a line\n")
    told = [(await program.reader.readline()).decode().strip() for _ in range(4)]
    assert told == ["read a line", "wrote its own", "cannot read hidden", "network: 1"]
    assert (program.memory() or 0) > 100_000
    assert not (root / "inside").exists()
    program.close()
    await asyncio.wait_for(program.gone.wait(), 10)
    assert program.exit is not None
    assert program.exit.code == 3
    assert program.last_words == "oh no"


async def test_nothing_of_it_is_left(
    shell: MakeShell, sandbox: Sandbox, root: Path, own: Path
) -> None:
    script = "trap '' TERM HUP; sleep 997531 & echo ready; while :; do sleep 1; done"
    program = await serve(shell(sandbox), root, own, script)
    assert await program.reader.readline() == b"ready\n"
    await program.stop()
    assert program.exit is not None
    assert processes("sleep 997531") == []


async def test_one_that_is_not_there(
    shell: MakeShell, sandbox: Sandbox, root: Path, own: Path
) -> None:
    program = await serve(shell(sandbox), root, own, "exec /nowhere/program")
    await asyncio.wait_for(program.gone.wait(), 10)
    assert program.exit is not None
    assert program.exit.code == 127
