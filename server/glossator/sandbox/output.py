"""What is kept of a command's output: its beginning and its end, within a budget."""

from __future__ import annotations

from dataclasses import dataclass

HEAD = 6_000  # bytes
TAIL = 12_000  # bytes


@dataclass(frozen=True, slots=True)
class Output:
    """Both ends of an output, and how much was between them; `tail` is empty if nothing was."""

    head: bytes = b""
    tail: bytes = b""
    omitted_bytes: int = 0
    omitted_lines: int = 0


class Kept:
    """Takes output as it comes, and never holds more than the budget and a piece of it."""

    def __init__(self, head: int = HEAD, tail: int = TAIL) -> None:
        self._limits = head, tail
        self._clear()

    def feed(self, data: bytes) -> None:
        """More output."""
        head, tail = self._limits
        room = head - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail += data
            if len(self._tail) > 4 * tail:
                self._trim()

    def take(self) -> Output:
        """What came since the last time."""
        if len(self._tail) > self._limits[1]:
            self._trim()
        if not self._bytes:
            output = Output(bytes(self._head + self._tail))
        else:
            output = Output(bytes(self._head), bytes(self._tail), self._bytes, self._lines)
        self._clear()
        return output

    def _clear(self) -> None:
        self._head, self._tail = bytearray(), bytearray()
        self._bytes = self._lines = 0  # dropped between the two

    def _trim(self) -> None:
        over = len(self._tail) - self._limits[1]
        self._lines += self._tail.count(b"\n", 0, over)
        self._bytes += over
        del self._tail[:over]
