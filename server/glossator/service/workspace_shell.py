"""The shell of the workspace: made when a command first needs it, anew when its folders change."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator, Mapping

from glossator.agent.permissions.protected import own_folders, protected_below
from glossator.settings.model import ShellSettings
from glossator.tools.shell.policy import Policy, Sandbox, Unavailable
from glossator.tools.shell.sandbox import find_sandbox
from glossator.tools.shell.shell import Shell

_OF_GIT = ("config", "hooks")


class WorkspaceShell:
    """Makes the shells, and owns them. `get` is for a thread, the rest for the event loop."""

    def __init__(
        self,
        roots: Callable[[], tuple[str, ...]],
        settings: ShellSettings,
        environment: Mapping[str, str],
    ) -> None:
        self._roots = roots
        self._settings = settings
        self._environment = environment
        self._making = threading.Lock()
        self._sandbox: Sandbox | Unavailable | None = None
        self._shells: dict[tuple[str, ...], Shell] = {}

    def get(self) -> Shell:
        """The shell of the folders that are open now; blocking, the first time."""
        roots = self._roots()
        with self._making:
            if self._sandbox is None:
                self._sandbox = find_sandbox()
            if roots not in self._shells:
                self._shells[roots] = self._make(self._sandbox, roots)
            return self._shells[roots]

    async def close(self) -> None:
        """End all jobs."""
        await asyncio.gather(*(shell.close() for shell in self._shells.values()))

    def _make(self, sandbox: Sandbox | Unavailable, roots: tuple[str, ...]) -> Shell:
        found = [protected_below(root, own_folders()) for root in roots]
        policy = Policy(
            roots,
            protected=tuple(
                path
                for each in found
                for name in (*each.there, *each.missing)
                for path in _kept_from_commands(name)
            ),
            readable=self._settings.readable,
            network=self._settings.network,
        )
        return Shell(sandbox, policy, self._environment, unconfined_after_asking=True)


def _kept_from_commands(path: str) -> Iterator[str]:
    """What of a protected path a command may not change: of a repository what runs programs.

    A link cannot be kept from being replaced; edits through it are asked about all the same.
    """
    if os.path.islink(path):
        return
    if os.path.basename(path) == ".git" and os.path.isdir(path):
        yield from (os.path.join(path, name) for name in _OF_GIT)
    else:
        yield path
