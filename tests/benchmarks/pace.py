"""How slow this machine is, against the one on which the targets in seconds were set.

Machines are noisy, and what a shared one does takes half as long again in a bad hour. So ripgrep
searches the same files in turn with what is measured, and is the measure of the machine.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
from pathlib import Path

from tests.benchmarks.corpus import ripgrep

# seconds of CPU for a search of all files, where the targets were set
_THERE = {
    "django-5.2": 0.125,
    "cpython": 0.058,
    "kubernetes": 0.335,
    "typescript": 0.607,
    "linux": 1.0,
}


class Pace:
    """Of this machine in one run, by searches of `root` with ripgrep."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._seconds: list[float] = []

    def take(self) -> None:
        """Search all files once, for what none of them holds."""
        command = [str(ripgrep()), "--no-config", "--hidden", "zzzqqqxxx", str(self._root)]
        before = _cpu_of_children()
        searched = subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        assert searched.returncode == 1, "ripgrep could not search"
        self._seconds.append(_cpu_of_children() - before)

    def allow(self, most: float) -> float:
        """What to allow where the target is `most`: as much again at most, and never less."""
        return most * min(max(1.0, self._here / _THERE[self._root.name]), 2.0)

    def __str__(self) -> str:
        here, there = (f"{seconds * 1000:.0f}" for seconds in (self._here, _THERE[self._root.name]))
        return f"ripgrep takes {here} ms of CPU for all files, {there} there"

    @property
    def _here(self) -> float:
        return statistics.median(self._seconds)


def _cpu_of_children() -> float:
    """Seconds that all children that ended have taken."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
