"""What `make` sets up: the system's packages are installed or named, and Node is the wheel's."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
PACKAGES = REPOSITORY / ".ci" / "packages"
SAID = """
Missing packages, as Debian names them: fish tank
Install them as root, then run this again:
    apt-get update && apt-get install --no-install-recommends fish tank

"""
ELSEWHERE = """
Missing: swim swim
Install what your system has for that, then run this again.

"""
INSTALL = "install -y --no-install-recommends fish tank\n"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs it on a system that has only these programs; gives exit code, calls and complaint."""

    def run(*needs: str, **programs: str) -> tuple[int, str, str]:
        for name, script in programs.items():
            program = tmp_path / name.replace("_", "-")
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
        done = subprocess.run(
            [PACKAGES, *(needs or ("swim:fish", "swim:tank", "fly:bird"))],
            env={"PATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    return run


CALL = 'echo "$@"'
THROUGH = '"$@"'  # what `sudo` does
ENV = 'echo "$1"; shift; "$@"'


def test_nothing_is_installed_where_nothing_is_missing(run: Run) -> None:
    assert run(swim="", fly="", id="echo 0", env=THROUGH, apt_get=CALL) == (0, "", "")


@pytest.mark.parametrize("update", ["", 'case "$*" in *update) exit 100; esac'])
@pytest.mark.parametrize(("user", "sudo"), [("0", "exit 1"), ("1000", THROUGH)])
def test_what_is_missing_is_installed_by_root_or_with_sudo(
    run: Run, user: str, sudo: str, update: str
) -> None:
    """Also where a source of packages is out of reach."""
    apt = f'echo "apt: $@"; {update}'
    code, called, said = run(fly="", id=f"echo {user}", apt_get=apt, env=ENV, sudo=sudo)
    assert (code, said) == (0, "")
    assert [line.rsplit(maxsplit=1)[-1] for line in called.splitlines()] == [
        *("DEBIAN_FRONTEND=noninteractive", "update"),
        *("DEBIAN_FRONTEND=noninteractive", "tank"),
    ]
    assert called.endswith(INSTALL)


@pytest.mark.parametrize(
    "programs",
    [
        {"id": "echo 1000", "apt_get": CALL},  # nor sudo
        {"id": "echo 1000", "apt_get": CALL, "sudo": "exit 1"},  # without the right to it
        {"id": "echo 0", "env": ENV, "apt_get": "exit 100"},  # without a network
    ],
)
def test_what_cannot_be_installed_is_named(run: Run, programs: dict[str, str]) -> None:
    code, called, said = run(fly="", **programs)
    assert (code, said) == (1, SAID)
    assert INSTALL not in called


def test_other_systems_are_told_what_is_missing(run: Run) -> None:
    assert run(fly="", id="echo 0", env=ENV) == (1, "", ELSEWHERE)
    assert run(":python3-venv", id="echo 0")[2] == ELSEWHERE.replace("swim swim", "python3-venv")


@pytest.mark.parametrize(
    ("need", "programs", "met"),
    [
        ("eglot:elpa-eglot", {"emacs": "exit 0"}, True),
        ("eglot:elpa-eglot", {"emacs": "exit 255"}, False),
        ("eglot:elpa-eglot", {}, False),
        ("fonts:some", {"fc_list": "echo DejaVu"}, True),
        ("fonts:some", {"fc_list": ""}, False),
        ("fonts:some", {}, False),
    ],
)
def test_a_browser_without_fonts_or_an_emacs_without_eglot_is_not_enough(
    run: Run, need: str, programs: dict[str, str], met: bool
) -> None:
    code, called, _ = run(need, id="echo 0", env=ENV, apt_get=CALL, **programs)
    assert code == 0
    assert called.endswith(f" {need.partition(':')[2]}\n") != met


@pytest.mark.parametrize("target", ["test", "demo"])
def test_an_old_python_is_named_at_once(target: str, tmp_path: Path) -> None:
    old = tmp_path / "python"
    code = "import sys; sys.version_info = (3, 9); exec(sys.argv[2])"
    old.write_text(f"#!/bin/sh\nexec '{sys.executable}' -c '{code}' \"$@\"\n")
    old.chmod(0o755)
    made = subprocess.run(
        ["make", target, f"PYTHON={old}", f"VENV={tmp_path / 'venv'}"],
        cwd=REPOSITORY,
        env={name: each for name, each in os.environ.items() if "MAKE" not in name},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.stderr.startswith("Glossator needs Python 3.11 or newer, and this is 3.9. ")
    assert made.stdout == ""


@pytest.mark.parametrize(
    ("script", "name", "replaces"),
    [
        ("vscode-client/test/code/setup.sh", "glossator-code", False),
        ("tests/clients/setup.sh", "glossator-clients", True),
    ],
)
def test_of_the_cache_folder_only_our_own_part_is_deleted(
    script: str, name: str, tmp_path: Path, *, replaces: bool
) -> None:
    """`replaces`: and that only when another is complete, which a failed download never is."""
    cache, npm = tmp_path / "my cache", tmp_path / "npm"
    (cache / name).mkdir(parents=True)
    for folder in (cache, cache / name):
        (folder / "kept.txt").touch()
    npm.write_text("#!/bin/sh\nexit 7\n")
    npm.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run([REPOSITORY / script, cache], env={"PATH": path}, check=False)
    assert done.returncode == 7
    assert (cache / "kept.txt").exists()
    assert (cache / name / "kept.txt").exists() == replaces


@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="`make` sets up a virtual environment")
@pytest.mark.parametrize("program", ["node", "npm", "npx"])
def test_node_is_the_wheels(program: str) -> None:
    folder = Path(sys.prefix) / "node"
    assert (folder / program).resolve().is_relative_to(sys.prefix)
    said = subprocess.check_output(
        [folder / program, "--version"], env={"PATH": str(folder) + ":/usr/bin:/bin"}, text=True
    )
    major = int(said.lstrip("v").partition(".")[0])
    assert major == 24 if program == "node" else major >= 11
