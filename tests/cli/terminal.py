"""A program at a terminal of its own, with somebody who reads and types."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import sys
import termios
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pyte
import pytest

from tests.cli.support import PYTHONPATH
from tests.patience import SECONDS

CTRL_C, CTRL_D = "\x03", "\x04"

_SIZE = (40, 100)  # lines, columns
_CODES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x1b\x07]*(\x1b\\|\x07))")


class _Screen(pyte.Screen):
    """A terminal's screen, with the lines that went off its top."""

    def reset(self) -> None:
        self.gone: list[str] = []
        super().reset()

    def index(self) -> None:
        if self.cursor.y == self.lines - 1:
            self.gone.append("".join(self.buffer[0][x].data for x in range(self.columns)))
        super().index()


class Terminal:
    """What was shown so far, without colours and cursor movements, and the keys."""

    def __init__(
        self, keys: int, process: asyncio.subprocess.Process, size: tuple[int, int]
    ) -> None:
        rows, columns = size
        self._screen = _Screen(columns, rows)
        self._drawing = pyte.ByteStream(self._screen)
        self._drawn = 0  # bytes of what was shown
        self._keys = keys
        self._process = process
        self._shown = bytearray()
        self._read_to = 0  # in `seen`
        self._dark = False  # nothing more will be shown
        self._news = asyncio.Event()
        asyncio.get_running_loop().add_reader(keys, self._take)

    @property
    def seen(self) -> str:
        """Everything that was shown."""
        return _CODES.sub("", self._shown.decode("utf-8", "replace")).replace("\r\n", "\n")

    @property
    def screen(self) -> str:
        """What stands in the terminal now, from its first line on."""
        self._drawing.feed(bytes(self._shown[self._drawn :]))
        self._drawn = len(self._shown)
        lines = [*self._screen.gone, *self._screen.display]
        return "\n".join(map(str.rstrip, lines)).rstrip("\n") + "\n"

    def cells(self) -> list[list[pyte.screens.Char]]:
        """What the window shows, with its colours."""
        self.screen  # noqa: B018 - draws what was shown since
        columns = range(self._screen.columns)
        return [[self._screen.buffer[y][x] for x in columns] for y in range(self._screen.lines)]

    async def sees(self, *texts: str, without: str | None = None) -> str:
        """Wait until the texts stand in the terminal, and another does not; all that does."""
        screen = ""
        try:
            async with asyncio.timeout(SECONDS):
                while True:
                    screen = self.screen
                    if all(text in screen for text in texts) and (without or "\0") not in screen:
                        return screen
                    assert not self._dark, f"ended without showing {texts}: {screen}"
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError as error:
            raise AssertionError(f"{texts} is not shown, without {without}: {screen}") from error

    def resize(self, rows: int, columns: int) -> None:
        """Give the window another size."""
        self.screen  # noqa: B018 - what was shown so far had the old one
        self._screen.resize(rows, columns)
        termios.tcsetwinsize(self._keys, (rows, columns))

    async def until(self, text: str) -> str:
        """Wait until `text` is shown after what was waited for before; all up to its end."""
        try:
            async with asyncio.timeout(SECONDS):
                while (place := self.seen.find(text, self._read_to)) < 0:
                    assert not self._dark, f"ended without showing {text!r}: {self.seen}"
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError as error:
            raise AssertionError(f"{text!r} is not shown: {self.screen}") from error
        self._read_to = place + len(text)
        return self.seen[: self._read_to]

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._keys, keys.encode())

    async def echo(self, key: str) -> float:
        """Press a key that was not shown before; the seconds until it is."""
        begun, known = time.perf_counter(), len(self._shown)
        self.type(key)
        async with asyncio.timeout(SECONDS):
            while self._shown.find(key.encode(), known) < 0:
                self._news.clear()
                await self._news.wait()
        return time.perf_counter() - begun

    def terminate(self) -> None:
        """Send SIGTERM."""
        self._process.terminate()

    async def ended(self) -> int:
        """The exit code."""
        async with asyncio.timeout(SECONDS):
            return await self._process.wait()

    def _take(self) -> None:
        try:
            self._shown += os.read(self._keys, 65_536)
        except OSError:  # how Linux says that nobody has the terminal open any more
            asyncio.get_running_loop().remove_reader(self._keys)
            self._dark = True
        self._news.set()


@asynccontextmanager
async def at_terminal(
    arguments: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    program: str = sys.executable,
    size: tuple[int, int] = _SIZE,
) -> AsyncIterator[Terminal]:
    """Run Python, or another program, with these arguments; it is ended with the block."""
    try:
        keys, screen = pty.openpty()
    except OSError as error:
        pytest.skip(f"this system has no pseudo-terminals: {error}")
    termios.tcsetwinsize(screen, size)
    words = (
        arguments if program == sys.executable and arguments[0] == "-m" else [program, *arguments]
    )
    around = {name: os.environ[name] for name in os.environ if name not in ("COLUMNS", "LINES")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.at_terminal", *words),
        stdin=screen,
        stdout=screen,
        stderr=screen,
        start_new_session=True,
        cwd=cwd,
        env={**around, "PYTHONPATH": PYTHONPATH, "TERM": "xterm-256color", **env},
    )
    os.close(screen)
    try:
        yield Terminal(keys, process, size)
    finally:
        asyncio.get_running_loop().remove_reader(keys)
        if process.returncode is None:
            process.kill()
            await process.wait()
        os.close(keys)
