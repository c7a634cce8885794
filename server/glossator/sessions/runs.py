"""Runs: each is one cancellable turn of a session, with numbered events and one terminal event."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from glossator.core.errors import GlossatorError, UsageError
from glossator.core.events import Envelope, Event, Notice, RunCancelled, RunFailed, RunFinished
from glossator.core.ports import EditorPort
from glossator.sessions.run_clock import RunClock
from glossator.sessions.steering import Steering


@dataclass(slots=True)
class Run:
    """A turn in progress; `emit` numbers its events, `ending` closes things at its end.

    `agents` are its sub-agents at work, by id. `steering` has the user's words for it. `is_over`:
    the terminal event was sent. `reviews`: the user reviews its edits before they are made,
    whatever the settings.
    """

    id: str
    session_id: str
    task: asyncio.Task[object]
    port: EditorPort
    note: Callable[[Envelope], None] | None = None
    clock: RunClock = field(default_factory=RunClock)
    ending: AsyncExitStack = field(default_factory=AsyncExitStack)
    agents: dict[str, asyncio.Task[object]] = field(default_factory=dict)
    steering: Steering = field(default_factory=Steering)
    is_over: bool = False
    reviews: bool = False
    check: Callable[[], None] = lambda: None  # raises `UsageError` where it may not act any more
    failure: GlossatorError | None = None
    began_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat())
    _seq: int = 0
    _noticed: set[str] = field(default_factory=set)

    @property
    def next_seq(self) -> int:
        """The number of its next event."""
        return self._seq

    def emit(self, event: Event) -> None:
        """Note an event, then show it to the editor."""
        envelope = Envelope(self.id, self._seq, event)
        self._seq += 1
        if isinstance(event, RunFinished | RunFailed | RunCancelled):
            self.is_over = True
        if self.note:
            self.note(envelope)
        self.port.emit(envelope)
        if self.is_over:
            self.steering.close()

    def fail(self, error: GlossatorError) -> None:
        """End it with this error, whatever it is at."""
        if self.failure is None and not self.is_over:
            self.failure = error
            self.task.cancel()

    def show(self, event: Event) -> None:
        """Show an event that is not worth keeping: another one of its kind will say it better."""
        self.port.emit(Envelope(self.id, self._seq, event))
        self._seq += 1

    def notice_once(self, about: str, message: str) -> None:
        """Show a notice, unless there was one about the same before."""
        if about not in self._noticed:
            self._noticed.add(about)
            self.emit(Notice(message))

    def tell(self, message: str) -> None:
        """Show a notice, once."""
        self.notice_once(message, message)


class Runs:
    """The runs in progress."""

    def __init__(self, port: EditorPort) -> None:
        self._port = port
        self._runs: dict[str, Run] = {}
        self._claimed: dict[str, bool] = {}  # sessions, and whether it is only for a moment
        self._freed = asyncio.Event()

    @asynccontextmanager
    async def open(
        self,
        session_id: str,
        run_id: str | None,
        note: Callable[[Envelope], None] | None = None,
    ) -> AsyncIterator[Run]:
        """A run as long as the block lasts, in the calling task; `note` gets every event.

        When the block fails or is cancelled, the terminal event is sent here; when it succeeds it
        has sent `RunFinished` itself. Waits for an undo and for the end of a run that is over;
        raises `UsageError` while the session has another run.
        """
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a run is opened inside a task")
        await self._settled(session_id)
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
            if run.failure is not None:
                run.emit(RunFailed(str(run.failure)))
                task.uncancel()
                raise run.failure from None
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
                self._freed.set()

    def cancel(self, run_id: str | None = None) -> tuple[str, ...]:
        """Cancel one run, or all; gives the ids of those that were in progress."""
        chosen = [run for run in self._runs.values() if run_id in (None, run.id)]
        for run in chosen:
            run.task.cancel()
        return tuple(run.id for run in chosen)

    def steered(self, run_id: str | None = None, session_id: str | None = None) -> list[Run]:
        """The runs that hear the user's words now: the one named, that of a session, or all."""
        return [
            run
            for run in self._runs.values()
            if run.steering.is_open
            and run_id in (None, run.id)
            and session_id in (None, run.session_id)
        ]

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

    @asynccontextmanager
    async def claim(self, session_id: str, *, briefly: bool = False) -> AsyncIterator[None]:
        """The session has no run as long as the block lasts. Raises `UsageError` while it has.

        What comes while it is claimed `briefly` waits.
        """
        await self._settled(session_id)
        if self.busy(session_id):
            raise UsageError("This session is at work; wait for it or cancel it, then try again.")
        self._claimed[session_id] = briefly
        try:
            yield
        finally:
            del self._claimed[session_id]
            self._freed.set()

    async def _settled(self, session_id: str) -> None:
        """Wait for what ends by itself in a moment: people are told of an end before it is."""
        while self._claimed.get(session_id) or any(
            run.is_over and run.session_id == session_id for run in self._runs.values()
        ):
            self._freed.clear()
            await self._freed.wait()

    def busy(self, session_id: str) -> bool:
        """Whether the session has a run in progress, or is claimed."""
        return session_id in self._claimed or any(
            run.session_id == session_id for run in self._runs.values()
        )
