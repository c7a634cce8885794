"""The shell of the workspace: made when a command first needs it, anew when its folders change."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from glossator.agent.permissions.hidden import HiddenFiles
from glossator.service.command_limits import CommandLimits
from glossator.settings.model import ShellSettings
from glossator.tools.shell.jobs import Jobs
from glossator.tools.shell.policy import Policy, Sandbox, Unavailable
from glossator.tools.shell.sandbox import find_sandbox
from glossator.tools.shell.shell import LimitedShell, Shell
from glossator.workspace.snapshot import WorkspaceSnapshot


class WorkspaceShell:
    """Makes the shells, and owns them. `get` and `limited` are for a thread, `close` is not."""

    def __init__(self, settings: ShellSettings, environment: Mapping[str, str]) -> None:
        self._settings = settings
        self._environment = environment
        self._limits = CommandLimits()
        self.jobs = Jobs()  # of all shells, so that they stay within reach
        self._making = threading.Lock()
        self._sandbox: Sandbox | Unavailable | None = None
        self._shells: dict[tuple[str, ...], Shell] = {}

    def get(self, roots: tuple[str, ...]) -> Shell:
        """The shell of these folders; blocking, the first time."""
        with self._making:
            if self._sandbox is None:
                self._sandbox = find_sandbox()
            if roots not in self._shells:
                policy = Policy(
                    roots, readable=self._settings.readable, network=self._settings.network
                )
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
        """The shell of a workspace, with what a command that starts now is kept from; blocking."""
        return LimitedShell(self.get(snapshot.roots), self._limits.of(snapshot, hidden))

    async def close(self) -> None:
        """End all jobs."""
        await self.jobs.close()
