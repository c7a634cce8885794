"""The commands of one run; what they change in listed files is kept, so that it can be taken back.

A job is covered to its end, or to that of the run: what it does later belongs to no turn.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass

from glossator.agent.permissions.hidden import HiddenFiles
from glossator.core.errors import GlossatorError
from glossator.service.checkpoints import Checkpoints
from glossator.service.runs import Run
from glossator.service.workspace_shell import WorkspaceShell
from glossator.tools.shell.jobs import Polled
from glossator.tools.shell.process import Finished
from glossator.tools.shell.shell import Command, LimitedShell
from glossator.workspace.host import WorkspaceHost

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TurnShell:
    """Implements `ShellContext`."""

    host: WorkspaceHost
    shells: WorkspaceShell
    hidden: HiddenFiles | None
    checkpoints: Checkpoints
    turn: Run

    @property
    def unconfined(self) -> str | None:
        """Why there is no sandbox; None if there is one."""
        return self.shells.unconfined

    async def run(self, command: Command, seconds: float) -> Finished:
        """Run a command; see `Shell`."""
        async with self.checkpoints.around(self.turn.id, self._listed):
            return await (await self._limited()).run(command, seconds)

    async def start(self, command: Command) -> str:
        """Begin a job; see `Shell`."""
        async with AsyncExitStack() as covered:
            await covered.enter_async_context(self.checkpoints.around(self.turn.id, self._listed))
            job = await (await self._limited()).start(command)
            try:
                self.checkpoints.job_began(self.turn.id, job, command.text)
            except GlossatorError:
                await self.stop(job)
                raise
            ended = asyncio.create_task(self.shells.jobs.ended(job))
            covering = asyncio.create_task(self._cover(job, ended, covered.pop_all()))
        self.turn.ending.push_async_callback(_end, ended, covering)
        return job

    async def poll(self, job: str, seconds: float) -> Polled:
        """What is new of a job."""
        return await self.shells.jobs.poll(job, seconds)

    async def stop(self, job: str) -> Polled:
        """End a job."""
        return await self.shells.jobs.stop(job)

    async def _cover(self, job: str, ended: asyncio.Task[None], covered: AsyncExitStack) -> None:
        """Until the job ends, or waiting for that is cancelled."""
        async with covered:
            await asyncio.wait({ended})
        if not ended.cancelled():
            self.checkpoints.job_ended(self.turn.id, job)

    async def _limited(self) -> LimitedShell:
        return await asyncio.to_thread(self.shells.limited, self.host.snapshot(), self.hidden)

    async def _listed(self) -> Iterable[str]:
        """The workspace's files now; what the command did was not told of yet."""
        self.host.sweep("a command ran")
        await self.host.ready()
        return [entry.path for entry in self.host.snapshot().listing.files]


async def _end(ended: asyncio.Task[None], covering: asyncio.Task[None]) -> None:
    """The run ends: what its job has changed so far is noted."""
    ended.cancel()
    await asyncio.wait({covering})
    try:
        covering.result()
    except GlossatorError as failure:
        _log.warning("That a job has ended is not kept: %s", failure)
