"""The shell of the workspace: made when a command first needs it, anew when its folders change."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterable, Mapping

from glossator.documents.snapshot import WorkspaceSnapshot
from glossator.permissions.hidden import HiddenFiles
from glossator.permissions.protected import fixed_paths
from glossator.sandbox import set_aside
from glossator.sandbox.command_limits import CommandLimits
from glossator.sandbox.guards import clear
from glossator.sandbox.hard_links import shared_files
from glossator.sandbox.jobs import Jobs
from glossator.sandbox.policy import Policy, Quota, Sandbox, Shared, Unavailable
from glossator.sandbox.refused import Closed
from glossator.sandbox.repository import of_repository
from glossator.sandbox.sandbox import find_sandbox
from glossator.sandbox.set_aside import Names, SetAside
from glossator.sandbox.shell import LimitedShell, Shell
from glossator.settings.model import ShellSettings


class WorkspaceShell:
    """Makes the shells, and owns them. `get` and `limited` are for a thread, `close` is not."""

    def __init__(self, settings: ShellSettings, environment: Mapping[str, str]) -> None:
        self._settings = settings
        self._environment = environment
        self._limits = CommandLimits()
        self.jobs = Jobs()  # of all shells, so that they stay within reach
        self.aside = SetAside()
        self.endings: dict[str, asyncio.Task[tuple[str, ...]]] = {}  # by job: notes on its end
        self.closed: dict[str, Closed] = {}  # by job
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
        """The shell of a workspace, with what a command is kept from; blocking."""
        return LimitedShell(self.get(snapshot.roots), self._limits.of(snapshot, hidden))

    def shared(self, snapshot: WorkspaceSnapshot, hidden: HiddenFiles | None) -> Shared:
        """What commands may change only if the user allowed just that: see `hard_links`; blocking.

        Raises `UsageError`.
        """
        limited = self.limited(snapshot, hidden)
        if self.unconfined is not None:
            return Shared()
        return shared_files(snapshot.roots, limited.limits.protected)

    def sweep(self, roots: Iterable[str]) -> None:
        """Remove what an earlier server left behind; blocking."""
        set_aside.sweep()
        for root in roots:
            for path in (*fixed_paths(root), *of_repository(os.path.join(root, ".git"))):
                clear(path)

    def names(self, snapshot: WorkspaceSnapshot, hidden: HiddenFiles | None) -> Names:
        """What is there now by a protected name; blocking."""
        return self._limits.names(snapshot, hidden)

    async def notes(self, job: str) -> tuple[str, ...]:
        """What is to be said of a job that has ended, once that is settled."""
        self.closed.pop(job, None)
        ending = self.endings.pop(job, None)
        return () if ending is None else await asyncio.shield(ending)

    async def close(self) -> None:
        """End all jobs. What they made and the user would be asked about is set aside."""
        self.closing.set()
        await self.jobs.close()
        await asyncio.gather(*self.endings.values(), return_exceptions=True)


def _policy(roots: tuple[str, ...], settings: ShellSettings) -> Policy:
    quota = Quota(settings.max_processes, settings.max_memory_bytes, settings.max_temporary_bytes)
    return Policy(roots, readable=settings.readable, network=settings.network, quota=quota)
