"""The line that is being typed, edited as a terminal does it, and shown by the program itself.

A terminal shows keys where its cursor is, which a status line redraws.
"""

from __future__ import annotations

import asyncio
import codecs
import re
import signal
import sys
import termios
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from glossator.cli.terminal import StandardInput

_SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?")  # of an arrow or another such key
_ERASE = ("\x7f", "\b")
_ERASE_WORD = re.compile(r"\S*\s*$")
_LOCAL_FLAGS, _CONTROLS = 3, 6  # in what `tcgetattr` gives


class EditedLine:
    """What was typed so far; Backspace, Ctrl-W and Ctrl-U take some of it back."""

    def __init__(self) -> None:
        self.text = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def press(self, keys: bytes) -> list[str]:
        """The lines that these keys finish, with their ends; "" is the end of input."""
        lines: list[str] = []
        for key in _SEQUENCE.sub("", self._decoder.decode(keys)):
            if key in "\r\n":
                lines.append(f"{self.text}\n")
                self.text = ""
            elif key == "\x04":
                lines += [] if self.text else [""]
            else:
                self._edit(key)
        return lines

    def _edit(self, key: str) -> None:
        if key in _ERASE:
            self.text = self.text[:-1]
        elif key == "\x15":
            self.text = ""
        elif key == "\x17":
            self.text = _ERASE_WORD.sub("", self.text, count=1)
        elif key.isprintable():
            self.text += key


class EditedInput(StandardInput):
    """The terminal at standard input, which hands over each key inside the `with`.

    `show` gets the line whenever it changes; `entered` says that it is finished.
    """

    def __init__(self, show: Callable[[str], None], entered: Callable[[], None]) -> None:
        self._show = show
        self._entered = entered
        self._edited = EditedLine()
        self._lines: deque[str] = deque()

    def __enter__(self) -> Self:
        self._before: list[Any] = termios.tcgetattr(sys.stdin.fileno())
        self._take_keys()
        asyncio.get_running_loop().add_signal_handler(signal.SIGCONT, self._take_keys)
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        asyncio.get_running_loop().remove_signal_handler(signal.SIGCONT)
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._before)

    def forget(self) -> None:
        """Also what is under way."""
        super().forget()
        self._lines.clear()
        self.put("")

    @contextmanager
    def aside(self) -> Iterator[None]:
        """As a `Keyboard`'s."""
        under_way = self._edited.text
        self.forget()
        try:
            yield
        finally:
            self.put(under_way)

    def put(self, text: str) -> bool:
        """As a `Keyboard`'s."""
        self._edited.text = text
        self._show(text)
        return True

    async def line(self) -> str:
        """As a `Keyboard`'s."""
        while not self._lines:
            keys = await self._read()
            for line in self._edited.press(keys) if keys else [""]:
                self._lines.append(line)
                self._show(line.rstrip("\n"))
                self._entered()
            self._show(self._edited.text)
        return self._lines.popleft()

    @contextmanager
    def lend(self) -> Iterator[None]:
        """As a `Keyboard`'s; the terminal is as it was found meanwhile."""
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._before)
        try:
            yield
        finally:
            self._take_keys()

    def _take_keys(self) -> None:
        """The terminal neither waits for the end of a line nor shows anything; Ctrl-C stays."""
        modes = termios.tcgetattr(sys.stdin.fileno())
        modes[_LOCAL_FLAGS] &= ~(termios.ICANON | termios.ECHO)
        modes[_CONTROLS][termios.VMIN], modes[_CONTROLS][termios.VTIME] = 1, 0
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, modes)
