"""The shells of a workspace, one for each set of folders, and which sandbox this machine has."""

from __future__ import annotations

import asyncio
import os
import platform
import threading
from collections.abc import Iterable, Mapping

from glossator.permissions import HiddenFiles, fixed_paths, git_protected_paths
from glossator.sandbox import quarantine
from glossator.sandbox.bubblewrap import find_bubblewrap
from glossator.sandbox.command_limits import LimitFinder
from glossator.sandbox.confinement import (
    HardLinkedFiles,
    Quota,
    Sandbox,
    SandboxPolicy,
    Unavailable,
)
from glossator.sandbox.hard_links import hard_linked_files
from glossator.sandbox.jobs import Jobs
from glossator.sandbox.mounts import remove_placeholder
from glossator.sandbox.output import BlockedPaths
from glossator.sandbox.quarantine import ProtectedNames, Quarantine
from glossator.sandbox.seatbelt import find_seatbelt
from glossator.sandbox.shell import LimitedShell, Shell
from glossator.settings import ShellSettings
from glossator.workspace import WorkspaceSnapshot


class WorkspaceShell:
    """Makes and owns the shells; all but `notes` and `close` are blocking, for threads."""

    def __init__(self, settings: ShellSettings, environment: Mapping[str, str]) -> None:
        self._settings = settings
        self._environment = environment
        self._limits = LimitFinder()
        self.jobs = Jobs()  # of all shells, so that they stay within reach
        self.quarantine = Quarantine()
        self.endings: dict[str, asyncio.Task[tuple[str, ...]]] = {}  # by job: notes on its end
        self.blocked: dict[str, BlockedPaths] = {}  # by job
        self.closing = asyncio.Event()
        self.settling = asyncio.Lock()
        self._making = threading.Lock()
        self._sandbox: Sandbox | Unavailable | None = None
        self._shells: dict[tuple[str, ...], Shell] = {}

    def get(self, roots: tuple[str, ...]) -> Shell:
        """The shell of these folders; blocking, the first time."""
        with self._making:
            if self._sandbox is None:
                self._sandbox = find_sandbox()
            if roots not in self._shells:
                policy = _policy(roots, self._settings)
                self._shells[roots] = Shell(
                    self._sandbox,
                    policy,
                    self._environment,
                    unconfined_after_asking=True,
                    jobs=self.jobs,
                )
            return self._shells[roots]

    @property
    def unconfined(self) -> str | None:
        """Why the shells made so far have no sandbox; None if they have one."""
        return self._sandbox.reason if isinstance(self._sandbox, Unavailable) else None

    def limited(self, snapshot: WorkspaceSnapshot, hidden: HiddenFiles | None) -> LimitedShell:
        """The shell of a workspace with the limits of the next command; blocking."""
        return LimitedShell(self.get(snapshot.roots), self._limits.of(snapshot, hidden))

    def hard_linked(
        self, snapshot: WorkspaceSnapshot, hidden: HiddenFiles | None
    ) -> HardLinkedFiles:
        """The files with other names elsewhere, which commands may not change unasked; blocking.

        Raises `UsageError`; see `hard_links`.
        """
        limited = self.limited(snapshot, hidden)
        if self.unconfined is not None:
            return HardLinkedFiles()
        return hard_linked_files(snapshot.roots, limited.limits.protected)

    def sweep(self, roots: Iterable[str]) -> None:
        """Remove what an earlier server left behind; blocking."""
        quarantine.sweep()
        for root in roots:
            for path in (*fixed_paths(root), *git_protected_paths(os.path.join(root, ".git"))):
                remove_placeholder(path)

    def names(self, snapshot: WorkspaceSnapshot, hidden: HiddenFiles | None) -> ProtectedNames:
        """The existing paths with protected names; blocking."""
        return self._limits.names(snapshot, hidden)

    async def notes(self, job: str) -> tuple[str, ...]:
        """Notes on a job that has ended, once the quarantine of its files is settled."""
        self.blocked.pop(job, None)
        ending = self.endings.pop(job, None)
        return () if ending is None else await asyncio.shield(ending)

    async def close(self) -> None:
        """End all jobs. Protected files that they made stay in quarantine; nobody is asked."""
        self.closing.set()
        await self.jobs.close()
        await asyncio.gather(*self.endings.values(), return_exceptions=True)


def _policy(roots: tuple[str, ...], settings: ShellSettings) -> SandboxPolicy:
    quota = Quota(settings.max_processes, settings.max_memory_bytes, settings.max_temporary_bytes)
    return SandboxPolicy(roots, readable=settings.readable, network=settings.network, quota=quota)


def find_sandbox() -> Sandbox | Unavailable:
    """The sandbox of this system, tried out; takes about 30 ms, so call it from a thread."""
    match platform.system():
        case "Linux":
            return find_bubblewrap()
        case "Darwin":
            return find_seatbelt()
        case _:
            return Unavailable(
                "There is no sandbox for this system, so every command is asked about."
            )
