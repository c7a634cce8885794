"""Which ripgrep is run: never one that the workspace could have brought along."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from glossator.workspace.roots import Roots, is_inside

_OLDEST = 14
_VERSION = re.compile(rb"ripgrep (\d+)\.")
_PATIENCE = 5  # seconds for it to tell its version
_IN_VSCODE = "node_modules/@vscode/ripgrep/bin/rg"
_VSCODE = (
    "/usr/share/code/resources/app",
    "/usr/lib/code",
    "/opt/visual-studio-code/resources/app",
    "/snap/code/current/usr/share/code/resources/app",
    "/Applications/Visual Studio Code.app/Contents/Resources/app",
    "~/.vscode-server/cli/servers/*/server",
    "~/.vscode-server/bin/*",
)


@dataclass(frozen=True, slots=True)
class Absent:
    """Why ripgrep is not used."""

    reason: str


@lru_cache(maxsize=8)
def find_ripgrep(setting: str, roots: Roots) -> str | Absent:
    """The program to run, as an absolute path that does not lie in the workspace.

    `setting` is `auto`, `off`, or a path.
    """
    if setting == "off":
        return Absent("off: turned off by the setting workspace.ripgrep")
    if setting != "auto":
        named = os.path.expanduser(setting)
        if os.path.isabs(named) and _is_ripgrep(named):
            return named
        return Absent(f"off: workspace.ripgrep is {setting}, no full path of ripgrep {_OLDEST}+")
    for folder in _folders():
        program = shutil.which("rg", path=folder)
        if program is not None and not _in_workspace(program, roots) and _is_ripgrep(program):
            return program
    return Absent(
        f"off: no rg of version {_OLDEST} or newer on the PATH;"
        " install ripgrep or name it in the setting workspace.ripgrep"
    )


def _is_ripgrep(program: str) -> bool:
    """Whether it says so, and is not so old that its line ends are others."""
    try:
        run = subprocess.run(  # noqa: S603 - named by the user, or on the user's PATH
            [program, "--no-config", "--version"],
            capture_output=True,
            check=False,
            env={},
            stdin=subprocess.DEVNULL,
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    version = _VERSION.match(run.stdout)
    return version is not None and int(version[1]) >= _OLDEST


def _folders() -> Iterable[str]:
    """Where ripgrep may be: absolute folders of the PATH, then the one VS Code brings along."""
    yield from filter(os.path.isabs, os.environ.get("PATH", "").split(os.pathsep))
    for place in _VSCODE:
        start = Path(place).expanduser()
        found = Path(start.anchor).glob(f"{start.relative_to(start.anchor)}/{_IN_VSCODE}")
        yield from (str(program.parent) for program in found)


def _in_workspace(program: str, roots: Roots) -> bool:
    """Whether what the workspace holds would be run."""
    return any(
        is_inside(path, root)
        for path in (os.path.abspath(program), os.path.realpath(program))
        for root in roots.paths
    )
