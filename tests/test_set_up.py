"""What `make` sets up: the system's packages are installed or named, and Node is the wheel's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PACKAGES = Path(__file__).parents[1] / ".ci" / "packages"
SAID = """
Missing packages, as Debian names them: fish tank
Install them as root, then run this again:
    apt-get update && apt-get install --no-install-recommends fish tank

"""
INSTALL = "install -y --no-install-recommends fish tank\n"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs it on a system that has only these programs; gives exit code, calls and complaint."""

    def run(**programs: str) -> tuple[int, str, str]:
        for name, script in programs.items():
            program = tmp_path / name.replace("_", "-")
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
        done = subprocess.run(
            [PACKAGES, "swim:fish", "swim:tank", "fly:bird"],
            env={"PATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    return run


CALL = 'echo "$@"'
THROUGH = 'echo "$@"; "$@"'  # what `env` and `sudo` do


def test_nothing_is_installed_where_nothing_is_missing(run: Run) -> None:
    assert run(swim="", fly="", id="echo 0", env=THROUGH, apt_get=CALL) == (0, "", "")


@pytest.mark.parametrize(("user", "through"), [("0", "env"), ("1000", "sudo")])
def test_what_is_missing_is_installed_by_root_or_with_sudo(
    run: Run, user: str, through: str
) -> None:
    code, called, said = run(
        fly="", id=f"echo {user}", apt_get='echo "apt: $@"', **{through: THROUGH}
    )
    assert (code, said) == (0, "")
    assert [line.rsplit(maxsplit=1)[-1] for line in called.splitlines()] == [
        *("update", "update"),
        *("tank", "tank"),
    ]
    assert called.endswith(INSTALL)


@pytest.mark.parametrize(
    "programs",
    [
        {"id": "echo 1000", "apt_get": CALL},  # nor sudo
        {"id": "echo 1000", "apt_get": CALL, "sudo": "exit 1"},  # without the right to it
        {"id": "echo 0", "env": THROUGH, "apt_get": "exit 100"},  # without a network
        {"id": "echo 0", "env": THROUGH},  # another system
    ],
)
def test_what_cannot_be_installed_is_named(run: Run, programs: dict[str, str]) -> None:
    code, called, said = run(fly="", **programs)
    assert (code, said) == (1, SAID)
    assert INSTALL not in called


@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="`make` sets up a virtual environment")
@pytest.mark.parametrize("program", ["node", "npm", "npx"])
def test_node_is_the_wheels(program: str) -> None:
    folder = Path(sys.prefix) / "node"
    assert (folder / program).resolve().is_relative_to(sys.prefix)
    said = subprocess.check_output(
        [folder / program, "--version"], env={"PATH": str(folder) + ":/usr/bin:/bin"}, text=True
    )
    assert said.startswith("v24." if program == "node" else "11.")
