"""A started command with all that it starts: signals to it, and its end. Unix only."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL, Signals

_REMAINS_SECONDS = 0.5  # that killed processes may take to go


class ProcessGroup:
    """A command that leads a session; `nested` if it is a child there with a session of its own.

    All methods but `wait` are for one thread.
    """

    def __init__(self, popen: subprocess.Popen[bytes], *, nested: bool) -> None:
        self._popen = popen
        self._nested = nested
        self._inner: int | None = None  # the group in a sandbox, once it was sent a signal
        self._reaping = threading.Lock()  # the number is ours until the exit code is taken

    def signal(self, number: Signals) -> None:
        """Signal the command; a sandbox around it then ends by itself.

        A sandbox that is still being made is ended at once: the child that makes it would ignore
        another signal, and would live on without its parent.
        """
        with self._reaping:
            if self._popen.returncode is None:
                self._signal_living(number)

    def kill(self) -> None:
        """End all, sandbox included."""
        with self._reaping:
            if self._popen.returncode is None:
                self._signal_living(SIGKILL)
                _signal_group(self._popen.pid, SIGKILL)

    def wait(self) -> None:
        """Wait until all is gone, in a thread; the process id stays taken where that is possible.

        What the command left in the background is ended then.
        """
        if sys.platform == "linux":
            os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOWAIT)
        else:
            self._popen.wait()
        with self._reaping:
            _signal_group(self._popen.pid, SIGKILL)  # what it left behind
            self._popen.wait()
        _await_end(self._popen.pid)
        if self._inner is not None:
            _await_end_of_sandbox(self._inner)

    def _signal_living(self, number: Signals) -> None:
        if not self._nested:
            _signal_group(self._popen.pid, number)
        elif (inner := _inner_group(self._popen.pid)) is not None:
            self._inner = inner
            _signal_group(inner, number)
        else:
            _signal_group(self._popen.pid, SIGKILL)


def _signal_group(group: int, number: Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _await_end(group: int) -> None:
    """Wait until a group that was sent `SIGKILL` is gone, or only zombies are left."""
    deadline = time.monotonic() + _REMAINS_SECONDS
    with suppress(ProcessLookupError, PermissionError):
        while time.monotonic() < deadline:
            os.killpg(group, 0)
            time.sleep(0.002)


def _await_end_of_sandbox(first: int) -> None:
    """Wait until the first process of a sandbox is dead, and with it all that ran there."""
    deadline = time.monotonic() + _REMAINS_SECONDS
    with suppress(OSError):
        while time.monotonic() < deadline:
            state = Path(f"/proc/{first}/stat").read_text("ascii", "replace").rpartition(") ")[2]
            if state.startswith(("Z", "X")):  # nobody takes its exit code
                return
            time.sleep(0.002)


def _inner_group(process: int) -> int | None:
    """The group of a sandboxed command, that of its first process, once the sandbox is made."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()
        groups = {os.getpgid(int(each)) for each in children} - {process}
    except OSError:
        return None
    return groups.pop() if groups else None
