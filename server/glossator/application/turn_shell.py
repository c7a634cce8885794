"""Runs the commands of one run, and keeps checkpoints around them.

A job is covered to its end, or to the end of the run: what it does later belongs to no turn. Whose
a change during a command is says docs/decisions/0059.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace

from glossator.application.saving import KeepsCheckpoints
from glossator.core.errors import GlossatorError, UsageError
from glossator.core.permission import Choice, PermissionAnswer, PermissionRequest
from glossator.permissions import HiddenFiles
from glossator.sandbox import (
    BlockedPaths,
    CommandLimits,
    Finished,
    IdleTimes,
    LimitedShell,
    Output,
    Polled,
    ShellCommand,
    ShellContext,
    Show,
    WorkspaceShell,
    blocked_notes,
    outcome_text,
    quarantine_question,
)
from glossator.sessions import Run
from glossator.workspace import WorkspaceHost

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TurnShell(ShellContext):
    """The shell of a run, from `SessionActing.shell_of`.

    `ask` asks the user about protected files that a command made.
    """

    host: WorkspaceHost
    shells: WorkspaceShell
    hidden: HiddenFiles | None
    acting: KeepsCheckpoints  # `SessionActing`
    turn: Run
    # `PermissionChecker.put`
    ask: Callable[[PermissionRequest], Awaitable[PermissionAnswer]]

    @property
    def unconfined(self) -> str | None:
        """Why there is no sandbox; None if there is one."""
        return self.shells.unconfined

    async def run(
        self, command: ShellCommand, seconds: float, show: Show | None = None
    ) -> Finished:
        """Run a command; see `Shell`."""
        listing = Listing(self.host)
        if command.permit.only_reads and self.unconfined is None:  # there is nothing to undo
            await listing.renew()
            limited = await self._limited()
            blocked = await asyncio.to_thread(_blocked, command, limited)
            blocked = replace(blocked, protected=())  # nothing is changed
            finished = await limited.run(command, seconds, show)
            return replace(finished, notes=await self._blocked_notes(finished.output, blocked))
        command = replace(command, idle=(idle := IdleTimes()))
        async with self.acting.checkpoints.around(self.turn.id, listing.paths, idle.covers):
            limited = await self._limited()
            blocked = await asyncio.to_thread(_blocked, command, limited)
            async with self._settling(limited.limits, command, listing) as settled:
                finished = await limited.run(command, seconds, show)
            notes = (*settled, *await self._blocked_notes(finished.output, blocked))
            return replace(finished, notes=notes)

    async def start(self, command: ShellCommand) -> str:
        """Begin a job; see `Shell`."""
        async with AsyncExitStack() as covered:
            listing, idle = Listing(self.host), IdleTimes()
            command = replace(command, idle=idle)
            around = self.acting.checkpoints.around(self.turn.id, listing.paths, idle.covers)
            await covered.enter_async_context(around)
            limited = await self._limited()
            blocked = await asyncio.to_thread(_blocked, command, limited)
            async with AsyncExitStack() as begun:
                settling = self._settling(limited.limits, command, listing)
                settled = await begun.enter_async_context(settling)
                job = await limited.start(command)
                ending = asyncio.create_task(self._ending(job, begun.pop_all(), settled))
            self.shells.endings[job] = ending
            self.shells.blocked[job] = blocked
            try:
                self.acting.checkpoints.job_began(self.turn.id, job, command.text)
            except GlossatorError:
                await self.stop(job)
                raise
            ended = asyncio.create_task(_until(ending))
            covering = asyncio.create_task(self._cover(job, ended, covered.pop_all()))
        self.turn.ending.push_async_callback(_end, ended, covering)
        return job

    async def poll(self, job: str, seconds: float) -> Polled:
        """The new output of a job."""
        return await self._noted(job, await self.shells.jobs.poll(job, seconds))

    async def stop(self, job: str) -> Polled:
        """Stop a job."""
        return await self._noted(job, await self.shells.jobs.stop(job))

    async def _noted(self, job: str, polled: Polled) -> Polled:
        blocked = self.shells.blocked.get(job, BlockedPaths())
        settled = () if polled.exit is None else await self.shells.notes(job)
        return replace(polled, notes=(*settled, *await self._blocked_notes(polled.output, blocked)))

    async def _blocked_notes(self, output: Output, blocked: BlockedPaths) -> tuple[str, ...]:
        """Notes on what the sandbox kept a command from."""
        if self.unconfined is not None:
            return ()
        snapshot = self.host.snapshot()
        notes = blocked_notes(output, blocked, snapshot.roots, snapshot.relative)
        return await asyncio.to_thread(tuple, notes)

    async def _cover(self, job: str, ended: asyncio.Task[None], covered: AsyncExitStack) -> None:
        """Cover a job until it ends, or until waiting for it is cancelled."""
        async with covered:
            await asyncio.wait({ended})
        if not ended.cancelled():
            self.acting.checkpoints.job_ended(self.turn.id, job)

    async def _ending(
        self, job: str, settling: AsyncExitStack, settled: list[str]
    ) -> tuple[str, ...]:
        """Wait for a job's end, then for the user's answer about the files it made."""
        async with settling:
            with suppress(UsageError):  # it was looked at after its end
                await self.shells.jobs.ended(job)
        return tuple(settled)

    @asynccontextmanager
    async def _settling(
        self, limits: CommandLimits, command: ShellCommand, listing: Listing
    ) -> AsyncIterator[list[str]]:
        """Keep protected files that a command in the block makes only if the user allows them.

        The user allowed the paths of its permit before. Yields a list for notes about it. If the
        block is cancelled, nobody is asked.
        """
        quarantine, notes = self.shells.quarantine, list[str]()
        if self.unconfined is not None:  # the user was asked about the command
            yield notes
            return
        quarantine.begin(limits.names)
        ended = False
        try:
            yield notes
            ended = True
        finally:
            try:
                settling = self._settle(notes, command, listing, asks=ended)
                await (settling if ended else asyncio.shield(asyncio.ensure_future(settling)))
            finally:
                quarantine.end()

    async def _settle(
        self, notes: list[str], command: ShellCommand, listing: Listing, *, asks: bool
    ) -> None:
        quarantine = self.shells.quarantine
        async with self.shells.settling:  # each file is handled by one command only
            await listing.renew()
            snapshot = self.host.snapshot()
            now = await asyncio.to_thread(self.shells.names, snapshot, self.hidden)
            made = await asyncio.to_thread(quarantine.new, now)
            allowed = command.permit.paths
            new = [path for path in made if path not in allowed and not self._is_saved(path)]
            if not new:
                return
            listing.forget()
            taken = await asyncio.to_thread(quarantine.take, new)
            answer = None
            try:
                if asks and not self.shells.closing.is_set():
                    request = await asyncio.to_thread(quarantine_question, taken, snapshot.relative)
                    answer = await self._answer(request)
            finally:
                stays = answer is not None and answer.choice is not Choice.DENY
                settle = quarantine.put_back if stays else quarantine.discard
                if command.idle is not None:
                    command.idle.ours.update(new)
                taken = await asyncio.to_thread(settle, taken)
                outcome = outcome_text(taken, snapshot.relative, answer, stays=stays)
                if answer is None:
                    self.turn.port.tell(f"{outcome}.")
            notes.append(f"[{outcome}]")

    def _is_saved(self, path: str) -> bool:
        """Whether the user saved the file in the editor meanwhile."""
        save = self.host.saves.get(path)
        return save is not None and save.at_ns >= self.shells.quarantine.since

    async def _answer(self, request: PermissionRequest) -> PermissionAnswer | None:
        """The user's answer; None if the server ends first."""
        with self.turn.clock.waiting():
            asking = asyncio.ensure_future(self.ask(request))
            closing = asyncio.ensure_future(self.shells.closing.wait())
            try:
                await asyncio.wait({asking, closing}, return_when=asyncio.FIRST_COMPLETED)
                return asking.result() if asking.done() else None
            finally:
                asking.cancel()
                closing.cancel()

    async def _limited(self) -> LimitedShell:
        self.turn.check()
        return await asyncio.to_thread(self.shells.limited, self.host.snapshot(), self.hidden)


class Listing:
    """The workspace's files and links; a listing made as a command ended is used once more."""

    def __init__(self, host: WorkspaceHost) -> None:
        self._host = host
        self._known: list[str] | None = None

    async def paths(self) -> Iterable[str]:
        """The current files, listed by a sweep, since no watcher reports in time."""
        if self._known is None:
            await self.renew()
        known, self._known = self._known, None
        return known or ()

    async def renew(self) -> None:
        """List them again."""
        self._host.sweep("a command ran")
        await self._host.ready()
        listing = self._host.snapshot().listing
        self._known = [*(entry.path for entry in listing.files), *listing.dead_ends]

    def forget(self) -> None:
        """Forget the listing, because files have changed."""
        self._known = None


def _blocked(command: ShellCommand, limited: LimitedShell) -> BlockedPaths:
    """The paths that the sandbox keeps a command from; blocking."""
    limits = limited.limits
    return BlockedPaths(
        command.permit.hard_linked,
        limits.protected,
        limits.readable,
        limits.hidden,
        limited.shell.place(command.cwd).cwd,
        limited.shell.readable,
    )


async def _until(ending: asyncio.Task[tuple[str, ...]]) -> None:
    await asyncio.wait({ending})


async def _end(ended: asyncio.Task[None], covering: asyncio.Task[None]) -> None:
    """End the run: note what its job has changed so far."""
    ended.cancel()
    await asyncio.wait({covering})
    try:
        covering.result()
    except GlossatorError as failure:
        _log.warning("That a job has ended is not kept: %s", failure)
