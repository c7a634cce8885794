"""Short looks at the disk, in a thread: those that begin at the same time wake it only once.

To wake a thread, and to be woken by it, takes longer than most looks, and a question begins with
ten of them (docs/decisions/0072).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

_PATIENCE = 0.05  # seconds that looks wait for one that takes long

_P = ParamSpec("_P")
_T = TypeVar("_T")


async def look(work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Like `asyncio.to_thread`, for work that is nearly always quick.

    Looks that begin before the event loop turns are made one after the other, and give their
    results together. One that takes long holds up the others by some 50 ms, and no more.
    """
    loop = asyncio.get_running_loop()
    if (batch := _batches.get(loop)) is None:
        batch = _batches[loop] = _Batch(loop)
        loop.call_soon(batch.begin)
    found: asyncio.Future[_T] = loop.create_future()
    batch.waiting.append((found, partial(copy_context().run, work, *args, **kwargs)))
    return await found


class _Batch:
    """Looks that begin together."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.waiting: deque[tuple[asyncio.Future[Any], Callable[[], Any]]] = deque()
        self._made: deque[tuple[asyncio.Future[Any], Any]] = deque()
        self._loop = loop

    def begin(self) -> None:
        """Make the looks; those that are asked for from now on are another batch."""
        del _batches[self._loop]
        self._work_on()

    def _work_on(self) -> None:
        """Have a thread make what waits, beside others that may be at it."""
        begun: list[asyncio.Future[Any]] = []

        def work() -> None:
            while True:
                try:
                    found, one = self.waiting.popleft()
                except IndexError:  # another thread took the last one
                    return
                if found.done():  # nobody waits for it any more
                    continue
                begun.append(found)
                self._made.append((found, one()))

        def ended(thread: asyncio.Future[None]) -> None:
            late.cancel()
            self._give()
            if error := thread.exception():
                if not begun[-1].done():
                    begun[-1].set_exception(error)
                self._leave_behind()

        late = self._loop.call_later(_PATIENCE, self._leave_behind)
        self._loop.run_in_executor(None, work).add_done_callback(ended)

    def _leave_behind(self) -> None:
        """Go on with what waits for a look that failed, or that takes long."""
        self._give()
        if self.waiting:
            self._work_on()

    def _give(self) -> None:
        while self._made:
            found, result = self._made.popleft()
            if not found.done():
                found.set_result(result)


_batches: WeakKeyDictionary[asyncio.AbstractEventLoop, _Batch] = WeakKeyDictionary()
