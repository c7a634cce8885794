"""Runs: each is one cancellable turn of a session, with numbered events and one terminal event.

A run has a clock, which stands still while the user is asked. While it is in progress, the user can
speak to it.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from glossator.core.attached import Attached, Exhibit
from glossator.core.errors import GlossatorError, SessionBusy, UsageError
from glossator.core.events import Envelope, Event, Notice, RunCancelled, RunFailed, RunFinished
from glossator.core.ports import EditorPort


class RunClock:
    """The working time of a run or a call, without waiting for the user. For the event loop."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._waited = 0.0
        self._waits = 0  # open questions to the user
        self._since = 0.0  # when the first of them was asked
        self._limits: dict[asyncio.Timeout, float | None] = {}  # seconds left, while it waits

    @property
    def seconds(self) -> float:
        """The working time so far."""
        return time.monotonic() - self._began - self.waited

    @property
    def waited(self) -> float:
        """The time spent waiting for the user."""
        return self._waited + (time.monotonic() - self._since if self._waits else 0.0)

    @property
    def waits(self) -> bool:
        """Whether the user is asked something now."""
        return self._waits > 0

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Wait for the user in this block; limits pause."""
        if not self._waits:
            self._since = time.monotonic()
            self._limits = {limit: _stop(limit) for limit in self._limits}
        self._waits += 1
        try:
            yield
        finally:
            self._waits -= 1
            if not self._waits:
                self._waited += time.monotonic() - self._since
                for limit, left in self._limits.items():
                    _go_on(limit, left)

    def waiting_also(
        self, around: Callable[[], AbstractContextManager[object]]
    ) -> Callable[[], AbstractContextManager[None]]:
        """A context manager that enters both `around` and `waiting`."""

        @contextmanager
        def both() -> Iterator[None]:
            with around(), self.waiting():
                yield

        return both

    @asynccontextmanager
    async def limit(self, seconds: float) -> AsyncIterator[None]:
        """Limit the working time of the block. Raises `TimeoutError`."""
        async with asyncio.timeout(seconds) as limit:
            self._limits[limit] = _stop(limit) if self._waits else None
            try:
                yield
            finally:
                del self._limits[limit]


def _stop(limit: asyncio.Timeout) -> float | None:
    when = limit.when()
    if when is None or limit.expired():
        return None
    limit.reschedule(None)
    return when - asyncio.get_running_loop().time()


def _go_on(limit: asyncio.Timeout, left: float | None) -> None:
    if left is not None:
        limit.reschedule(asyncio.get_running_loop().time() + left)


@dataclass(frozen=True, slots=True, eq=False)
class SteeredWords:
    """What the user said during a run, and what is attached to it."""

    text: str
    attached: tuple[Attached | Exhibit, ...] = ()
    told: asyncio.Future[bool] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class Steering:
    """The user's words that wait in one run, oldest first; for the event loop.

    It takes words between `open` and `close`. No words are lost: whoever gave them hears whether
    the model was told.
    """

    def __init__(self, opened: Callable[[], None] = lambda: None) -> None:
        """`opened` is called when it takes words."""
        self.is_open = False
        self.waiting: list[SteeredWords] = []
        self._opened = opened

    def open(self) -> None:
        """Take words from now on."""
        self.is_open = True
        self._opened()

    async def say(self, text: str, attached: Sequence[Attached | Exhibit] = ()) -> bool:
        """Have the model told with the next results; True if it was told.

        A caller that is cancelled takes the words back, unless they were told.
        """
        if not self.is_open:
            return False
        words = SteeredWords(text, tuple(attached))
        self.waiting.append(words)
        try:
            return await words.told
        except asyncio.CancelledError:
            if words.told.cancelled():
                raise
            return words.told.result()  # it was settled just before
        finally:
            if words in self.waiting:
                self.waiting.remove(words)

    def take(self) -> tuple[SteeredWords, ...]:
        """Take the words; they count as told, so put them into a message before any await."""
        return self._settle(told=True)

    def close(self) -> None:
        """Take no more words; safe to call again."""
        self.is_open = False
        self._settle(told=False)

    def _settle(self, *, told: bool) -> tuple[SteeredWords, ...]:
        # Words of a caller that was cancelled are taken back, even if it has not run since.
        settled = tuple(words for words in self.waiting if not words.told.done())
        self.waiting = []
        for words in settled:
            words.told.set_result(told)
        return settled


@dataclass(slots=True)
class Run:
    """A turn in progress; `emit` numbers its events, and callbacks in `ending` run at its end.

    `agents` are the sub-agents at work, by id. `steering` holds the user's words. `is_over`: the
    terminal event was sent. `reviews`: the user reviews its edits before they are made, whatever
    the settings.
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
    elsewhere: str = ""  # where somebody goes on with its session, which ends it
    began_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat())
    _seq: int = 0
    _noticed: set[str] = field(default_factory=set)

    @property
    def next_seq(self) -> int:
        """The number of the next event."""
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
        """End the run with this error, whatever it is doing."""
        if self.failure is None and not self.is_over:
            self.failure = error
            self.task.cancel()

    def show(self, event: Event) -> None:
        """Show an event that is not kept, because a later one of its kind replaces it."""
        self.port.emit(Envelope(self.id, self._seq, event))
        self._seq += 1

    def notice_once(self, about: str, message: str) -> None:
        """Show a notice, unless there was one about the same thing before."""
        if about not in self._noticed:
            self._noticed.add(about)
            self.emit(Notice(message))

    def tell(self, message: str) -> None:
        """Show a notice, unless the same one was shown before."""
        self.notice_once(message, message)


class Runs:
    """The runs in progress."""

    def __init__(self, port: EditorPort) -> None:
        self._port = port
        self._runs: dict[str, Run] = {}
        self._claimed: dict[str, bool] = {}  # sessions, and whether it is only for a moment
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def open(
        self,
        session_id: str,
        run_id: str | None,
        note: Callable[[Envelope], None] | None = None,
    ) -> AsyncIterator[Run]:
        """A run that lasts as long as the block, in the calling task; `note` gets every event.

        When the block fails or is cancelled, the terminal event is sent here; when it succeeds it
        has sent `RunFinished` itself. Waits for an undo and for the end of a run that is over;
        raises `SessionBusy` while the session has another run.
        """
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a run is opened inside a task")
        await self._settled(session_id)
        if self.busy(session_id):
            raise SessionBusy("This session is answering already; wait for it or cancel it.")
        if run_id in self._runs:
            raise UsageError(
                f"There is a run {run_id!r} already; leave the id out or choose another."
            )
        steering = Steering(self._changed.set)
        named = run_id or secrets.token_hex(8)
        run = Run(named, session_id, task, self._port, note, steering=steering)
        self._runs[run.id] = run
        try:
            yield run
        except asyncio.CancelledError:
            if run.failure is not None:  # `fail` cancelled the task: no cancellation to its awaiter
                run.emit(RunFailed(str(run.failure)))
                task.uncancel()
                raise run.failure from None
            run.emit(RunCancelled(run.elsewhere))
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
                self._changed.set()

    def cancel(self, run_id: str | None = None) -> tuple[str, ...]:
        """Cancel one run, or all; returns the ids of those that were in progress."""
        chosen = [run for run in self._runs.values() if run_id in (None, run.id)]
        for run in chosen:
            run.task.cancel()
        return tuple(run.id for run in chosen)

    def of(self, session_id: str) -> list[Run]:
        """The runs of a session, one at most that is not over."""
        return [run for run in self._runs.values() if run.session_id == session_id]

    def end(self, session_id: str, elsewhere: str) -> None:
        """Cancel the runs of a session that goes on elsewhere."""
        for run in self.of(session_id):
            if not (run.elsewhere or run.is_over):
                run.elsewhere = elsewhere
                run.task.cancel()

    def steered(self, run_id: str | None = None, session_id: str | None = None) -> list[Run]:
        """The runs that take the user's words now: the named one, a session's, or all."""
        return [
            run
            for run in self._runs.values()
            if run.steering.is_open
            and run_id in (None, run.id)
            and session_id in (None, run.session_id)
        ]

    def session_of(self, run_id: str | None) -> str | None:
        """The session of a run that is on."""
        run = None if run_id is None else self._runs.get(run_id)
        return None if run is None else run.session_id

    def waits(self, session_id: str) -> bool:
        """Whether the session has a run that waits for the user."""
        runs = self._runs.values()
        return any(run.session_id == session_id and run.clock.waits for run in runs)

    def cancel_agent(self, agent_id: str) -> tuple[str, ...]:
        """Cancel a sub-agent but not its run; returns its id if it was at work."""
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
        """Keep runs out of the session during the block. Raises `UsageError` while it has one.

        A run that begins while the session is claimed `briefly` waits for the end of the claim.
        """
        await self._settled(session_id)
        if self.busy(session_id):
            raise UsageError("This session is at work; wait for it or cancel it, then try again.")
        self._claimed[session_id] = briefly
        try:
            yield
        finally:
            del self._claimed[session_id]
            self._changed.set()

    async def _settled(self, session_id: str) -> None:
        """Wait for something that ends soon by itself: people are told of an end just before it."""
        while self._claimed.get(session_id) or any(
            run.is_over and run.session_id == session_id for run in self._runs.values()
        ):
            self._changed.clear()
            await self._changed.wait()

    async def free_or_steered(self, session_id: str) -> None:
        """Wait until the session is free, or has a run that takes the user's words."""
        while self.busy(session_id) and not self.steered(session_id=session_id):
            self._changed.clear()
            await self._changed.wait()

    def busy(self, session_id: str) -> bool:
        """Whether the session has a run in progress, or is claimed."""
        return session_id in self._claimed or any(
            run.session_id == session_id for run in self._runs.values()
        )
