"""Runs: each is one cancellable turn of a session, with numbered events and one terminal event."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from glossator.agent import RunClock
from glossator.core.errors import GlossatorError, UsageError
from glossator.core.events import Envelope, Event, Notice, RunCancelled, RunFailed
from glossator.core.ports import EditorPort


@dataclass(slots=True)
class Run:
    """A turn in progress; `emit` numbers its events, `ending` closes things at its end.

    `agents` are its sub-agents at work, by id.
    """

    id: str
    session_id: str
    task: asyncio.Task[object]
    port: EditorPort
    note: Callable[[Envelope], None] | None = None
    clock: RunClock = field(default_factory=RunClock)
    ending: AsyncExitStack = field(default_factory=AsyncExitStack)
    agents: dict[str, asyncio.Task[object]] = field(default_factory=dict)
    _seq: int = 0
    _noticed: set[str] = field(default_factory=set)

    def emit(self, event: Event) -> None:
        """Note an event, then show it to the editor."""
        envelope = Envelope(self.id, self._seq, event)
        self._seq += 1
        if self.note:
            self.note(envelope)
        self.port.emit(envelope)

    def notice_once(self, about: str, message: str) -> None:
        """Show a notice, unless there was one about the same before."""
        if about not in self._noticed:
            self._noticed.add(about)
            self.emit(Notice(message))


class Runs:
    """The runs in progress."""

    def __init__(self, port: EditorPort) -> None:
        self._port = port
        self._runs: dict[str, Run] = {}
        self._claimed: set[str] = set()

    @asynccontextmanager
    async def open(
        self,
        session_id: str,
        run_id: str | None,
        note: Callable[[Envelope], None] | None = None,
    ) -> AsyncIterator[Run]:
        """A run as long as the block lasts, in the calling task; `note` gets every event.

        When the block fails or is cancelled, the terminal event is sent here; when it succeeds it
        has sent `RunFinished` itself. Raises `UsageError` while the session has another run.
        """
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a run is opened inside a task")
        if self.busy(session_id):
            raise UsageError("This session is answering already; wait for it or cancel it.")
        if run_id in self._runs:
            raise UsageError(
                f"There is a run {run_id!r} already; leave the id out or choose another."
            )
        run = Run(run_id or secrets.token_hex(8), session_id, task, self._port, note)
        self._runs[run.id] = run
        try:
            yield run
        except asyncio.CancelledError:
            run.emit(RunCancelled())
            raise
        except GlossatorError as error:
            run.emit(RunFailed(str(error)))
            raise
        except BaseException:
            run.emit(RunFailed("Glossator failed inside; its log says where."))
            raise
        finally:
            try:
                await run.ending.aclose()
            finally:
                del self._runs[run.id]

    def cancel(self, run_id: str | None = None) -> tuple[str, ...]:
        """Cancel one run, or all; gives the ids of those that were in progress."""
        chosen = [run for run in self._runs.values() if run_id in (None, run.id)]
        for run in chosen:
            run.task.cancel()
        return tuple(run.id for run in chosen)

    def cancel_agent(self, agent_id: str) -> tuple[str, ...]:
        """Cancel a sub-agent but not its run; gives its id if it was at work."""
        found = [run.agents[agent_id] for run in self._runs.values() if agent_id in run.agents]
        for task in found:
            task.cancel()
        return (agent_id,) if found else ()

    def has_agent(self, agent_id: str) -> bool:
        """Whether a sub-agent is at work."""
        return any(agent_id in run.agents for run in self._runs.values())

    async def drain(self) -> None:
        """Cancel every run and wait until each has ended."""
        tasks = [run.task for run in self._runs.values() if run.task is not asyncio.current_task()]
        self.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def active(self) -> tuple[str, ...]:
        """The ids of the runs in progress."""
        return tuple(self._runs)

    @contextmanager
    def claim(self, session_id: str) -> Iterator[None]:
        """The session has no run as long as the block lasts. Raises `UsageError` while it has."""
        if self.busy(session_id):
            raise UsageError("This session is at work; wait for it or cancel it, then try again.")
        self._claimed.add(session_id)
        try:
            yield
        finally:
            self._claimed.discard(session_id)

    def busy(self, session_id: str) -> bool:
        """Whether the session has a run in progress, or is claimed."""
        return session_id in self._claimed or any(
            run.session_id == session_id for run in self._runs.values()
        )
