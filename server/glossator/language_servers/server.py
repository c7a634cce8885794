"""One server of one folder: started when it is asked, ended when it rests, and started again.

After it has died a few times it is left alone for a while.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from glossator.core.errors import UsageError
from glossator.language_servers.connection import Refused, Unanswered, first_of
from glossator.language_servers.known import FoundServer
from glossator.language_servers.running import Running
from glossator.workspace import Listing

IDLE_SECONDS = 900.0  # without a question, after which it is ended
MOST_RESTARTS = 3  # within:
_ENDS_SECONDS = 600.0
_DEAD = "{why}. Symbols goes by outlines until a later question starts it again."


class NotStarted(Exception):
    """It may not be started; the message is part of a sentence."""


class Server:
    """Keeps one server; `launch` starts its program, `tell` is told once when it dies."""

    listing: Listing  # as it was last told, since its launch

    def __init__(
        self,
        found: FoundServer,
        root: str,
        launch: Callable[[Server], Awaitable[Running]],
        tell: Callable[[str], None],
    ) -> None:
        self.found = found
        self.root = root
        self.changed: set[str] = set()  # paths, since it was last told
        self.telling = asyncio.Lock()  # held while changes are sent to it
        self.start_seconds: float | None = None  # until it had read the workspace
        self._launch = launch
        self._tell = tell
        self._ends: deque[float] = deque(maxlen=MOST_RESTARTS + 1)
        self._why = ""  # it ended last
        self._up: asyncio.Future[Running | str] | None = None
        self._life: asyncio.Task[None] | None = None
        self._uses = 0
        self._rest: asyncio.TimerHandle | None = None

    @property
    def running(self) -> Running | None:
        """The running server, whether or not it has read the workspace."""
        if self._life is None or self._up is None or not self._up.done():
            return None
        up = self._up.result()
        return up if isinstance(up, Running) and not up.connection.gone.done() else None

    @property
    def state(self) -> str:
        """What it does, for people."""
        if self.running is not None:
            return "runs"
        return "starts" if self.starts else self._why or "not started yet"

    @property
    def starts(self) -> bool:
        """Whether it was started, and has not read the workspace yet."""
        if self._life is None or self._up is None:
            return False
        up = self.running
        return not self._up.done() if up is None else not up.settled.done()

    async def ready(self, deadline: float) -> Running | str:
        """The server once it has read the workspace; else why it is not there at `deadline`."""
        if self._life is not None and self._is_ending(self._life):
            await asyncio.wait({self._life}, timeout=_left(deadline))
        if self._life is None:
            if self._has_died_often():
                return f"{self._why}; it ended {len(self._ends)} times, so it rests for a while"
            self.changed.clear()
            self._up = asyncio.get_running_loop().create_future()
            self._life = asyncio.create_task(self._live(self._up))
            self._life.add_done_callback(partial(self._is_over, self._up))
        assert self._up is not None  # noqa: S101 - made with the task
        await first_of(self._up, seconds=_left(deadline))
        if self._up.done():
            if isinstance(up := self._up.result(), str):
                return up
            await first_of(up.settled, up.connection.gone, seconds=_left(deadline))
            if up.connection.gone.done():
                return str(up.connection.gone.result())
            if up.settled.done():
                return up
        return f"{self.found.name} is still starting"

    @contextmanager
    def used(self) -> Iterator[None]:
        """It is asked something in the block, and rests after it."""
        self._uses += 1
        if self._rest is not None:
            self._rest.cancel()
        try:
            yield
        finally:
            self._uses -= 1
            loop = asyncio.get_running_loop()
            if not self._uses:
                self._rest = loop.call_later(IDLE_SECONDS, self._end)

    async def close(self) -> None:
        """End it."""
        if self._rest is not None:
            self._rest.cancel()
        self._end()
        if self._life is not None:
            await asyncio.wait({self._life})

    def _end(self) -> None:
        if self._life is not None:
            self._life.cancel()

    async def _live(self, up: asyncio.Future[Running | str]) -> None:
        """One life, from its start to its end."""
        began, running = time.monotonic(), None
        why, died = f"{self.found.name} was ended", False
        try:
            running = await self._launch(self)
            await running.initialize()
            self._why = ""
            up.set_result(running)
            await first_of(running.settled, running.connection.gone)
            if running.settled.done():
                self.start_seconds = time.monotonic() - began
            await first_of(running.connection.gone)
            why, died = running.connection.gone.result(), True
        except NotStarted as error:
            why = str(error)
        except (UsageError, OSError) as error:
            why, died = f"{self.found.name} could not be started: {error}", True
        except (Refused, Unanswered) as error:
            why, died = f"{self.found.name} could not be started: {error}", True
        finally:
            if running is not None:
                await _undisturbed(running.close())
            self._why = why if died else ""
            if died:
                self._died(why)
            if not up.done():
                up.set_result(why)

    def _is_over(self, up: asyncio.Future[Running | str], _life: asyncio.Task[None]) -> None:
        """Also of a life that was cancelled before it began."""
        self._life = None
        if not up.done():
            up.set_result(f"{self.found.name} was ended")

    def _is_ending(self, life: asyncio.Task[None]) -> bool:
        is_over = self._up is not None and self._up.done() and self.running is None
        return life.cancelling() > 0 or is_over

    def _died(self, why: str) -> None:
        now = time.monotonic()
        is_news = not self._ends or now - self._ends[-1] > _ENDS_SECONDS
        self._ends.append(now)
        if is_news:
            self._tell(_DEAD.format(why=why))

    def _has_died_often(self) -> bool:
        full = len(self._ends) == self._ends.maxlen
        return full and time.monotonic() - self._ends[0] < _ENDS_SECONDS


async def _undisturbed(ending: Coroutine[Any, Any, None]) -> None:
    """Await an end that is bounded in time, also if the waiting is cancelled meanwhile."""
    task = asyncio.create_task(ending)
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait({task})


def _left(deadline: float) -> float:
    return max(0.0, deadline - asyncio.get_running_loop().time())
