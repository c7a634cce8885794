"""The user's terminal: its keyboard, the pager, the lock that keeps questions apart."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import sys
import termios
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from typing import Protocol

_LINE_BYTES = 65_536  # a terminal hands over one line at a time, however many bytes are asked for
_QUITS_AT_ONCE = "FX"  # as git has it: less ends where all fits, and leaves the screen as it is


class TerminalLock:
    """One question at a time; what happens meanwhile is shown after the answer, in its order."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._asking = False
        self._waiting: list[Callable[[], None]] = []

    def show(self, write: Callable[[], None]) -> None:
        """Write something now, or once no question is open."""
        if self._asking:
            self._waiting.append(write)
        else:
            write()

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[None]:
        """Keep the terminal for a question within the block."""
        async with self._lock:
            self._asking = True
            try:
                yield
            finally:
                self.release()

    def release(self) -> None:
        """Write what waits, as no question is open any more."""
        self._asking = False
        waiting, self._waiting = self._waiting, []
        for write in waiting:
            write()


class Keyboard(Protocol):
    """Where answers come from."""

    def forget(self) -> None:
        """Leave out what was typed before anything was asked."""

    async def line(self) -> str:
        """The next line; "" at the end of input."""

    def aside(self) -> AbstractContextManager[None]:
        """Inside the block, what is typed is an answer; the line under way comes back after it."""

    def put(self, text: str) -> bool:
        """Have a line edited as if it had been typed; False where lines are not edited here."""

    def lend(self) -> AbstractAsyncContextManager[None]:
        """Let another program have it within the block."""


class StandardInput:
    """The terminal at standard input.

    Nothing reads while nobody waits: a thread in `readline` would hold a lock that the interpreter
    wants at its end, and take the line that was meant for the next question.
    """

    def forget(self) -> None:
        """Drop what was typed ahead: it answers no question that was not seen yet."""
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)

    async def line(self) -> str:
        """The next line; "" at the end of input, and when the terminal is gone."""
        return (await self._read()).decode(sys.stdin.encoding, "replace")

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Like a `Keyboard`'s; the terminal has the line that is being typed, and drops it."""
        self.forget()
        yield

    def put(self, text: str) -> bool:  # noqa: ARG002 - the terminal edits the line
        """Like a `Keyboard`'s."""
        return False

    def lend(self) -> AbstractAsyncContextManager[None]:
        """Like a `Keyboard`'s; nobody waits for a line meanwhile."""
        return nullcontext()

    async def _read(self) -> bytes:
        descriptor = sys.stdin.fileno()
        loop = asyncio.get_running_loop()
        typed: asyncio.Future[bytes] = loop.create_future()
        loop.add_reader(descriptor, _settle, typed, lambda: os.read(descriptor, _LINE_BYTES))
        try:
            return await typed
        finally:
            loop.remove_reader(descriptor)


class SharedKeyboard:
    """A keyboard at which several may wait: a line is for who asked last."""

    def __init__(self, keyboard: Keyboard) -> None:
        self.keyboard = keyboard
        self._waiting: list[asyncio.Future[str]] = []
        self._kept: list[str] = []  # lines whose reader was cancelled as they came
        self._reading: asyncio.Task[None] | None = None
        self._is_lent = False

    def forget(self) -> None:
        """Drop what was typed."""
        self._kept.clear()
        self.keyboard.forget()

    def aside(self) -> AbstractContextManager[None]:
        """Like a `Keyboard`'s."""
        self._kept.clear()
        return self.keyboard.aside()

    def put(self, text: str) -> bool:
        """Like a `Keyboard`'s."""
        return self.keyboard.put(text)

    async def line(self) -> str:
        """Like a `Keyboard`'s."""
        if self._kept:
            return self._kept.pop(0)
        typed: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting.append(typed)
        self._begin()
        try:
            return await typed
        except asyncio.CancelledError:
            if not typed.cancelled():
                self._kept.append(typed.result())
            raise
        finally:
            self._waiting.remove(typed)
            if not self._waiting:
                self._stop()

    @asynccontextmanager
    async def lend(self) -> AsyncIterator[None]:
        """Like a `Keyboard`'s; whoever waits for a line gets one that is typed afterwards."""
        self._is_lent = True
        self._stop()
        try:
            async with self.keyboard.lend():
                yield
        finally:
            self._is_lent = False
            self._begin()

    def _begin(self) -> None:
        if not self._is_lent and (self._reading is None or self._reading.done()):
            self._reading = asyncio.create_task(self._read())

    def _stop(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    async def _read(self) -> None:
        while self._waiting:
            line = await self.keyboard.line()
            waiting = [each for each in self._waiting if not each.done()]
            if waiting:
                waiting[-1].set_result(line)
            else:
                self._kept.append(line)


def _settle(typed: asyncio.Future[bytes], read: Callable[[], bytes]) -> None:
    if typed.done():
        return
    try:
        typed.set_result(read())
    except OSError:
        typed.set_result(b"")


async def page(text: str) -> bool:
    """Show `text` in $PAGER, or less, until it is left; False where there is no pager.

    The pager has the terminal meanwhile, and ends when the question is cancelled: rich's and
    typer's own pagers block the event loop until the user leaves them.
    """
    command = _pager() if sys.stdin.isatty() and sys.stdout.isatty() else []
    if not command:
        return False
    environment = {"LESS": _QUITS_AT_ONCE, **os.environ}
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, env=environment
        )
    except OSError:
        return False
    try:
        await process.communicate(text.encode("utf-8", "backslashreplace"))
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
    return True


def _pager() -> list[str]:
    """The words of the command; none where nothing of the kind is installed."""
    try:
        named = shlex.split(os.environ.get("PAGER", ""))
    except ValueError:
        named = []
    installed = (words for words in (named, ["less"], ["more"]) if words and shutil.which(words[0]))
    return next(installed, [])
