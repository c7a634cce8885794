"""Ctrl-C and SIGTERM while a command runs: ask first, insist the second time."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Self


class Interrupts:
    """Signals inside a `with`: the first Ctrl-C calls `ask`, a second one or SIGTERM `insist`.

    `exit_code` is None until a signal came, then the shell's 128 + its number. `ask` is called by
    the event loop, `insist` at once: it must get through to a loop that is stuck.
    """

    def __init__(self, ask: Callable[[], None], insist: Callable[[], None]) -> None:
        self.exit_code: int | None = None
        self._ask = ask
        self._insist = insist
        self._loop = asyncio.get_running_loop()

    def __enter__(self) -> Self:
        self._before = {
            number: signal.signal(number, self._received)
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _received(self, number: int, _frame: FrameType | None) -> None:
        first = self.exit_code is None
        self.exit_code = 128 + number
        if first and number == signal.SIGINT:
            self._loop.call_soon_threadsafe(self._ask)
        else:
            self._insist()
