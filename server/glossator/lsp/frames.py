"""Frames of the LSP base protocol: headers, an empty line, a body of `Content-Length` bytes.

Source: LSP 3.17, "Base Protocol". Header names are read in any letter case, and header lines may
end in LF alone; everything else that is wrong raises `MalformedFrame`, because after a wrong
header nobody can know where the next frame begins. Of a body that is too large only both ends are
kept.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Protocol

MAX_BODY_BYTES = 64 * 1024 * 1024
MAX_HEADER_BYTES = 16 * 1024

_MAX_SKIPPED_BYTES = 1024**3  # of a body that is too large; no client means to send more
_END_BYTES = 8 * 1024  # of each end of a body that is too large
_DIGITS = re.compile(rb"[0-9]{1,15}")


class MalformedFrame(Exception):
    """The stream is no longer a sequence of frames; it cannot be read on."""


class TooLarge(NamedTuple):
    """A body of `size` bytes, more than `MAX_BODY_BYTES`; `ends` are its first and last ones."""

    size: int
    ends: bytes


class Sink(Protocol):
    """Where bytes go."""

    def write(self, data: bytes) -> None:
        """Queue bytes, keeping their order; never blocks."""

    async def flush(self) -> None:
        """Wait until what was queued is on its way."""

    async def close(self) -> None:
        """Send what was queued, then end."""


def frame(body: bytes) -> bytes:
    """A body with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Frames:
    """Cuts a stream, whose bytes come in any pieces, into the bodies of frames."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._header = 0  # bytes of it that were read
        self._length: int | None = None
        self._in_body = False
        self._skipped = 0  # bytes of a body that is too large
        self._ends = b""

    def __len__(self) -> int:
        return len(self._bytes)

    @property
    def begun(self) -> bool:
        """Whether a part of a frame is there."""
        return bool(self._bytes or self._header)

    def feed(self, data: bytes) -> None:
        """Take in what came."""
        self._bytes += data

    def take(self) -> bytes | TooLarge | None:
        """The next frame's body, if it has come as a whole. Raises `MalformedFrame`."""
        while not self._in_body:
            end = self._bytes.find(b"\n") + 1
            if (end or len(self._bytes)) > MAX_HEADER_BYTES:
                raise MalformedFrame(f"a header line is longer than {MAX_HEADER_BYTES} bytes")
            if not end:
                return None
            self._read_header(self._cut(end))
        length = self._length or 0
        if length > MAX_BODY_BYTES:
            self._skip(length - self._skipped)
        if self._skipped + len(self._bytes) < length:
            return None
        body = TooLarge(length, self._ends) if self._skipped else self._cut(length)
        self._header, self._length, self._in_body = 0, None, False
        self._skipped, self._ends = 0, b""
        return body

    def end(self) -> None:
        """The stream has ended. Raises `MalformedFrame` if it did so within a frame."""
        if self._in_body:
            raise MalformedFrame(
                f"the stream ended after {self._skipped + len(self._bytes)} of {self._length}"
                " bytes of a body"
            )
        if self.begun:
            raise MalformedFrame(f"the stream ended inside a header: {bytes(self._bytes[:80])!r}")

    def _skip(self, most: int) -> None:
        data = self._cut(min(most, len(self._bytes)))
        self._skipped += len(data)
        ends = self._ends + data
        whole = len(ends) <= 2 * _END_BYTES
        self._ends = ends if whole else ends[:_END_BYTES] + ends[-_END_BYTES:]

    def _cut(self, count: int) -> bytes:
        data = bytes(self._bytes[:count])
        del self._bytes[:count]
        return data

    def _read_header(self, line: bytes) -> None:
        self._header += len(line)
        if self._header > MAX_HEADER_BYTES:
            raise MalformedFrame(f"a header is longer than {MAX_HEADER_BYTES} bytes")
        text = line.rstrip(b"\r\n")
        if not text:
            if self._length is None:
                raise MalformedFrame("a header has no Content-Length")
            self._in_body = True
            return
        name, colon, value = text.partition(b":")
        if not colon:
            raise MalformedFrame(f"a header line has no colon: {text[:80]!r}")
        if name.strip().lower() == b"content-length":
            parsed = _parse_length(value.strip())
            if self._length not in {None, parsed}:
                raise MalformedFrame(f"Content-Length is given twice: {self._length} and {parsed}")
            self._length = parsed


def _parse_length(value: bytes) -> int:
    if not _DIGITS.fullmatch(value) or int(value) > _MAX_SKIPPED_BYTES:
        raise MalformedFrame(
            f"Content-Length {value[:80]!r} is not a number of bytes up to {_MAX_SKIPPED_BYTES}"
        )
    return int(value)
