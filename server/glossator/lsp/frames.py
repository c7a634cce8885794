"""Frames of the LSP base protocol: headers, an empty line, a body of `Content-Length` bytes.

Source: LSP 3.17, "Base Protocol". Header names are read in any letter case, and header lines may
end in LF alone; everything else that is wrong raises `MalformedFrame`, because after a wrong
header nobody can know where the next frame begins.
"""

from __future__ import annotations

import asyncio
import re
from typing import Protocol

MAX_BODY_BYTES = 64 * 1024 * 1024
MAX_HEADER_BYTES = 16 * 1024
FRAME_SECONDS = 30.0  # from a frame's first header line to the last byte of its body

_DIGITS = re.compile(rb"[0-9]{1,15}")


class MalformedFrame(Exception):
    """The stream is no longer a sequence of frames; it cannot be read on."""


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


async def read_frame(
    stream: asyncio.StreamReader, *, seconds: float = FRAME_SECONDS
) -> bytes | None:
    """The next frame's body; None when the stream ends between two frames.

    A frame that has begun must be whole within `seconds`. Raises `MalformedFrame`.
    """
    first = await _header_line(stream)
    if not first:
        return None
    try:
        async with asyncio.timeout(seconds):
            length = await _content_length(stream, first)
            return await stream.readexactly(length)
    except TimeoutError:
        raise MalformedFrame(f"a frame was not whole after {seconds:g} s") from None
    except asyncio.IncompleteReadError as cut:
        raise MalformedFrame(
            f"the stream ended after {len(cut.partial)} of {cut.expected} bytes of a body"
        ) from None


async def _content_length(stream: asyncio.StreamReader, line: bytes) -> int:
    length: int | None = None
    seen = 0
    while text := line.rstrip(b"\r\n"):
        seen += len(line)
        if seen > MAX_HEADER_BYTES:
            raise MalformedFrame(f"a header is longer than {MAX_HEADER_BYTES} bytes")
        name, colon, value = text.partition(b":")
        if not colon:
            raise MalformedFrame(f"a header line has no colon: {text[:80]!r}")
        if name.strip().lower() == b"content-length":
            parsed = _parse_length(value.strip())
            if length not in {None, parsed}:
                raise MalformedFrame(f"Content-Length is given twice: {length} and {parsed}")
            length = parsed
        line = await _header_line(stream)
        if not line:
            raise MalformedFrame("the stream ended inside a header")
    if length is None:
        raise MalformedFrame("a header has no Content-Length")
    return length


def _parse_length(value: bytes) -> int:
    if not _DIGITS.fullmatch(value) or int(value) > MAX_BODY_BYTES:
        raise MalformedFrame(
            f"Content-Length {value[:80]!r} is not a number of bytes up to {MAX_BODY_BYTES}"
        )
    return int(value)


async def _header_line(stream: asyncio.StreamReader) -> bytes:
    try:
        line = await stream.readline()
    except ValueError:  # no line end within the stream's limit
        raise MalformedFrame(f"a header line is longer than {MAX_HEADER_BYTES} bytes") from None
    if line and not line.endswith(b"\n"):
        raise MalformedFrame(f"the stream ended inside a header: {line[:80]!r}")
    return line
