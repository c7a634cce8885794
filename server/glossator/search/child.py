"""A program that is run for a search: waited for in short steps, ended with all that it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import IO, Self

_LOOK_UP = 0.02  # seconds between looks at whether the search was cancelled


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended, and what it wrote; `output` is empty if that went into a file."""

    code: int
    output: bytes
    errors: bytes


class Child:
    """A program at work, without our environment; leaving the `with` ends it.

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

    def wait(self, seconds: float, cancelled: Callable[[], bool]) -> Ended | None:
        """How it ended; None if it was cancelled. Raises `TimeoutError` past so many seconds."""
        deadline = monotonic() + seconds
        while not cancelled():
            try:
                output, errors = self._process.communicate(timeout=_LOOK_UP)
            except subprocess.TimeoutExpired:
                if monotonic() > deadline:
                    raise TimeoutError from None
                continue
            return Ended(self._process.returncode, output or b"", errors)
        return None

    def end(self) -> None:
        """End it, if it has not ended, and wait until it is gone; safe to call again."""
        if self._process.returncode is None:
            self._kill()
        with self._process:  # closes the pipes and takes the exit code
            pass

    def _kill(self) -> None:
        """End the program, and what it started if it is a script around another one."""
        if sys.platform == "win32":
            self._process.kill()
            return
        # the group cannot be another one's: its number is taken until our child is waited for;
        # where only the remains of the child are left of it, some systems refuse
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
