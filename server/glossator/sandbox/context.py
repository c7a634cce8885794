"""Who runs commands for the tool Bash."""

from __future__ import annotations

from typing import Protocol

from glossator.sandbox.jobs import Polled
from glossator.sandbox.process import Finished
from glossator.sandbox.shell import Command


class ShellContext(Protocol):
    """What runs the commands; `Shell` does."""

    @property
    def unconfined(self) -> str | None:
        """Why there is no sandbox; None if there is one."""

    async def run(self, command: Command, seconds: float) -> Finished:
        """Run a command to its end, or to the end of its time. Raises `UsageError`, `OSError`."""

    async def start(self, command: Command) -> str:
        """Run a command in the background; its job's name. Raises `UsageError`, `OSError`."""

    async def poll(self, job: str, seconds: float) -> Polled:
        """What is new of a job, after waiting so long for its end. Raises `UsageError`."""

    async def stop(self, job: str) -> Polled:
        """End a job. Raises `UsageError`."""
