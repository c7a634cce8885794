"""What the user types, line by line."""

from __future__ import annotations

import asyncio
import os
import sys
import termios
from collections.abc import Callable
from typing import Protocol

_LINE_BYTES = 65_536  # a terminal hands over one line at a time, however many bytes are asked for


class Keyboard(Protocol):
    """Where answers come from."""

    def forget(self) -> None:
        """Leave out what was typed before anything was asked."""

    async def line(self) -> str:
        """The next line; "" at the end of input."""


class Terminal:
    """The terminal at standard input.

    Nothing reads while nobody waits: a thread in `readline` would hold a lock that the interpreter
    wants at its end, and take the line that was meant for the next question.
    """

    def forget(self) -> None:
        """What was typed ahead is no answer to a question that was not seen yet."""
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)

    async def line(self) -> str:
        """The next line; "" at the end of input, and when the terminal is gone."""
        descriptor = sys.stdin.fileno()
        loop = asyncio.get_running_loop()
        typed: asyncio.Future[bytes] = loop.create_future()
        loop.add_reader(descriptor, _settle, typed, lambda: os.read(descriptor, _LINE_BYTES))
        try:
            return (await typed).decode(sys.stdin.encoding, "replace")
        finally:
            loop.remove_reader(descriptor)


def _settle(typed: asyncio.Future[bytes], read: Callable[[], bytes]) -> None:
    if typed.done():
        return
    try:
        typed.set_result(read())
    except OSError:
        typed.set_result(b"")
