"""When the processes of a command did nothing at all, so that a change on disk is not theirs.

The kernel counts how long and how often each thread has run. If all counts below a process are the
same at two moments, none of its threads ran in between: whoever changed a file then was another
program. Linux only; elsewhere nothing is ever known to be idle.

Source: proc(5), `/proc/PID/task/TID/schedstat` and `children`.
"""

from __future__ import annotations

import os
import threading
import time
from bisect import bisect_right
from collections.abc import Iterable
from contextlib import suppress
from operator import itemgetter
from pathlib import Path

from glossator.core.atomic import FILE_TIME_LAG_NS
from glossator.workspace import is_inside

_MIN_PAUSE_SECONDS = 0.05  # between two looks
_PAUSE_FACTOR = 25  # the pause lasts this many times as long as the look before
_MAX_THREADS = 2_000  # threads that are looked at


class IdleTimes:
    """When one command was idle, from before its start to after its end; for any thread."""

    def __init__(self) -> None:
        self.ours: set[str] = set()  # what the server itself wrote for the command
        self._began = self._ended = 0  # ns since 1970; 0: not yet
        self._idle: list[tuple[int, int]] = []
        self._gone = threading.Event()
        self._touched: tuple[str, ...] = ()
        self._at_end: dict[str, int] = {}  # when touched folders had been changed

    def begin(self, touched: Iterable[str] = ()) -> None:
        """Note that the command is about to start; its sandbox changes `touched` folders later."""
        self._touched = tuple(touched)
        self._began = time.time_ns()

    def follow(self, process: int) -> None:
        """Watch a started process, and all below it, until `end`."""
        threading.Thread(target=self._look, args=(process,), name="shell idle", daemon=True).start()

    def end(self) -> None:
        """Note that the command and all that it started are gone; its sandbox is not yet."""
        for folder in self._touched:
            with suppress(OSError):  # it is gone, too
                self._at_end[folder] = os.lstat(folder).st_ctime_ns
        self._ended = time.time_ns()
        self._gone.set()

    def covers(self, path: str, changed: int) -> bool:
        """Whether the last change of a file or folder (ns since 1970) was not the command's."""
        if not self._began:
            return False
        if any(is_inside(path, each) or path == os.path.dirname(each) for each in self.ours):
            return False
        changed = min(changed, self._at_end.get(path, changed))
        last = changed + FILE_TIME_LAG_NS
        if last < self._began or 0 < self._ended <= changed:
            return True
        at = bisect_right(self._idle, changed, key=itemgetter(0)) - 1
        return at >= 0 and last <= self._idle[at][1]

    def _look(self, process: int) -> None:
        known, since, pause, goes_on = None, 0, 0.0, False
        while not self._gone.wait(pause):
            begun = time.time_ns()
            found = _activity(process)
            if found is not None and found == known:
                if goes_on:
                    self._idle[-1] = self._idle[-1][0], begun
                else:
                    self._idle.append((since, begun))
                goes_on = True
            else:
                goes_on = False
            known, since = found, time.time_ns()
            pause = max(_MIN_PAUSE_SECONDS, (since - begun) / 1e9 * _PAUSE_FACTOR)


def _activity(process: int) -> dict[str, bytes] | None:
    """How much each thread below a process has run so far; None if that cannot be told."""
    found: dict[str, bytes] = {}
    waiting = [str(process)]
    try:
        while waiting:
            tasks = f"/proc/{waiting.pop()}/task"
            for thread in os.listdir(tasks):
                # in this order: who starts another process after the first look has run since
                found[thread] = Path(f"{tasks}/{thread}/schedstat").read_bytes()
                waiting += Path(f"{tasks}/{thread}/children").read_text("ascii").split()
                state = Path(f"{tasks}/{thread}/stat").read_bytes().rpartition(b")")[2].split()[0]
                if state == b"R":  # on a busy machine it may wait long for its turn
                    return None
                if len(found) > _MAX_THREADS:
                    return None
    except OSError:
        return None
    return found
