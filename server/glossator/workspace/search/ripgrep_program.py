"""Which ripgrep program a search runs (never one that the workspace may contain), and running it.

A found program is remembered; after a failure, the search for one is repeated after a while.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import IO, Self

from glossator.workspace.files.roots import Roots, is_inside

_OLDEST = 14
_VERSION = re.compile(rb"ripgrep (\d+)\.")
_PATIENCE = 2.0  # seconds for `--version`
_LOOK_AGAIN = 60.0  # seconds until the next search after a failure
_LEFT_OUT = 300.0  # seconds without one that hung
_REMEMBERED = 8  # sets of roots
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
class NoRipgrep:
    """Why ripgrep is not used, and what the user can do about it."""

    reason: str
    next_step: str = ""


_found: dict[tuple[str, Roots], tuple[str | NoRipgrep, float]] = {}  # and until when that holds
_left_out: dict[str, float] = {}  # programs that hung, and until when they are not run


def find_ripgrep(
    setting: str, roots: Roots, cancelled: Callable[[], bool] = lambda: False
) -> str | NoRipgrep:
    """The program to run, as an absolute path that does not lie in the workspace.

    `setting` is `auto`, `off`, or a path. Programs are asked for their version: from a thread only.
    """
    found, until = _found.get((setting, roots), (None, 0.0))
    if found is None or monotonic() > until:
        found = _look_for(setting, roots, cancelled)
        if cancelled():
            return NoRipgrep("off: the search was cancelled")
        if len(_found) >= _REMEMBERED:
            _found.clear()
        until = math.inf if isinstance(found, str) else monotonic() + _LOOK_AGAIN
        _found[setting, roots] = found, until
    if isinstance(found, str) and is_left_out(found):
        return NoRipgrep(
            f"off for some minutes: {found} did not end in time",
            "Searches read the files without it. Find out why it hangs, or set workspace.ripgrep.",
        )
    return found


def leave_out(program: str) -> None:
    """Do not run this program for some minutes."""
    _left_out[program] = monotonic() + _LEFT_OUT


def is_left_out(program: str) -> bool:
    """Whether it hung recently."""
    return monotonic() < _left_out.get(program, 0.0)


def _look_for(setting: str, roots: Roots, cancelled: Callable[[], bool]) -> str | NoRipgrep:
    if setting == "off":
        return NoRipgrep("off: turned off by the setting workspace.ripgrep")
    if setting != "auto":
        named = os.path.expanduser(setting)
        if os.path.isabs(named) and _is_ripgrep(named, cancelled):
            return named
        return NoRipgrep(
            f"off: workspace.ripgrep is {setting}, no full path of ripgrep {_OLDEST}+",
            f"Set workspace.ripgrep to auto, off, or the full path of ripgrep {_OLDEST} or newer.",
        )
    for folder in _folders():
        program = shutil.which("rg", path=folder)
        if program is None or _in_workspace(program, roots):
            continue
        if _is_ripgrep(program, cancelled):
            return program
    return NoRipgrep(
        f"off: no rg of version {_OLDEST} or newer on the PATH;"
        " install ripgrep or name it in the setting workspace.ripgrep"
    )


def _is_ripgrep(program: str, cancelled: Callable[[], bool]) -> bool:
    """Whether it is ripgrep, and new enough to treat line ends as we do."""
    try:
        with Child([program, "--no-config", "--version"]) as child:
            ended = child.wait(_PATIENCE, cancelled)
    except OSError:  # a `TimeoutError` is one, too
        return False
    version = _VERSION.match(ended.output) if ended is not None else None
    return version is not None and int(version[1]) >= _OLDEST


def _folders() -> Iterable[str]:
    """Where ripgrep may be: absolute folders of the PATH, then VS Code's own."""
    yield from filter(os.path.isabs, os.environ.get("PATH", "").split(os.pathsep))
    for place in _VSCODE:
        start = Path(place).expanduser()
        found = Path(start.anchor).glob(f"{start.relative_to(start.anchor)}/{_IN_VSCODE}")
        yield from (str(program.parent) for program in found)


def _in_workspace(program: str, roots: Roots) -> bool:
    """Whether the program lies in the workspace."""
    return any(
        is_inside(path, root)
        for path in (os.path.abspath(program), os.path.realpath(program))
        for root in roots.paths
    )


_LOOK_UP = 0.02  # seconds between two checks whether the search was cancelled


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """The exit code and output of a program; `output` is empty if it went into a file."""

    code: int
    output: bytes
    errors: bytes


class Child:
    """A running program, without our environment; leaving the `with` ends it.

    Raises `OSError` when it cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str | bytes],
        folder: str | None = None,
        output: int | IO[bytes] = subprocess.PIPE,
    ) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - a program outside the workspace
            command,
            cwd=folder,
            env={},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            process_group=0,  # Ctrl-C in a terminal is for the server to handle
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def wait(self, seconds: float, cancelled: Callable[[], bool]) -> ProgramResult | None:
        """How it ended; None if it was cancelled. Raises `TimeoutError` past so many seconds."""
        deadline = monotonic() + seconds
        while not cancelled():
            try:
                output, errors = self._process.communicate(timeout=_LOOK_UP)
            except subprocess.TimeoutExpired:
                if monotonic() > deadline:
                    raise TimeoutError from None
                continue
            return ProgramResult(self._process.returncode, output or b"", errors)
        return None

    def end(self) -> None:
        """End it and wait for its end; safe to call again."""
        if self._process.returncode is None:
            self._kill()
        with self._process:  # closes the pipes and takes the exit code
            pass

    def _kill(self) -> None:
        """End the program and its children."""
        if sys.platform == "win32":
            self._process.kill()
            return
        # the group cannot be another one's: its number is taken until our child is waited for;
        # where only the remains of the child are left of it, some systems refuse
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
