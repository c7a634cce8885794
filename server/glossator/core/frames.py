"""Frames of the LSP base protocol: headers, an empty line, and a body of `Content-Length` bytes.

Source: LSP 3.17, "Base Protocol". Header names may have any letter case, and header lines may end
in LF alone. Any other mistake raises `MalformedFrame`, because after a wrong header the start of
the next frame is unknown. Of a body that is too large only both ends are kept.
"""

from __future__ import annotations

import asyncio
import re
from typing import NamedTuple

MAX_BODY_BYTES = 64 * 1024 * 1024
MAX_HEADER_BYTES = 16 * 1024
FRAME_SECONDS = 30.0  # from a frame's first line to its last byte

_MAX_SKIPPED_BYTES = 1024**3  # of a body that is too large; no client means to send more
_END_BYTES = 8 * 1024  # of each end of a body that is too large
_CHUNK = 64 * 1024
_LONG_LINE = f"a header line is longer than {MAX_HEADER_BYTES} bytes"
_DIGITS = re.compile(rb"[0-9]{1,15}")


class MalformedFrame(Exception):
    """The stream is no longer a sequence of frames; it cannot be read on."""


class TooLarge(NamedTuple):
    """A body of `size` bytes, more than `MAX_BODY_BYTES`; `ends` are its first and last ones."""

    size: int
    ends: bytes


def frame(body: bytes) -> bytes:
    """A body with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


async def read_frame(
    reader: asyncio.StreamReader, seconds: float = FRAME_SECONDS
) -> bytes | TooLarge | None:
    """The next frame's body, or None at the end of the stream.

    `seconds` limits the time from its first line on. Raises `MalformedFrame` and `OSError`.
    """
    first = await _read_line(reader)
    if not first:
        return None
    try:
        async with asyncio.timeout(seconds):
            length = await _rest_of_header(reader, first)
            large = length > MAX_BODY_BYTES
            return await (_skip_body(reader, length) if large else read_body(reader, length))
    except TimeoutError:
        raise MalformedFrame(f"a frame was not whole after {seconds:g} s") from None


async def read_header(reader: asyncio.StreamReader) -> int:
    """The `Content-Length` of the next frame. Raises `MalformedFrame` and `OSError`."""
    return await _rest_of_header(reader, await _read_line(reader))


async def read_body(reader: asyncio.StreamReader, length: int) -> bytes:
    """A body of `length` bytes. Raises `MalformedFrame` and `OSError`."""
    try:
        return await reader.readexactly(length)
    except asyncio.IncompleteReadError as error:
        raise _ended(len(error.partial), length) from None


async def _skip_body(reader: asyncio.StreamReader, length: int) -> TooLarge:
    skipped, ends = 0, b""
    while skipped < length:
        data = await reader.read(min(_CHUNK, length - skipped))
        if not data:
            raise _ended(skipped, length)
        skipped += len(data)
        ends += data
        if len(ends) > 2 * _END_BYTES:
            ends = ends[:_END_BYTES] + ends[-_END_BYTES:]
    return TooLarge(length, ends)


async def _rest_of_header(reader: asyncio.StreamReader, line: bytes) -> int:
    """The length that a header gives, whose first line was read."""
    size, length = 0, None
    while True:
        size += len(line)
        if size > MAX_HEADER_BYTES:
            raise MalformedFrame(f"a header is longer than {MAX_HEADER_BYTES} bytes")
        if not line.endswith(b"\n"):
            raise MalformedFrame(f"the stream ended inside a header: {line[:80]!r}")
        text = line.rstrip(b"\r\n")
        if not text:
            break
        length = _length_so_far(text, length)
        line = await _read_line(reader)
    if length is None:
        raise MalformedFrame("a header has no Content-Length")
    return length


async def _read_line(reader: asyncio.StreamReader) -> bytes:
    """A header line with its end; less at the end of the stream."""
    try:
        line = await reader.readline()
    except ValueError:  # it is longer than the reader's own limit
        raise MalformedFrame(_LONG_LINE) from None
    if len(line) > MAX_HEADER_BYTES:
        raise MalformedFrame(_LONG_LINE)
    return line


def _length_so_far(text: bytes, known: int | None) -> int | None:
    """The body's length, after the header line `text`."""
    name, colon, value = text.partition(b":")
    if not colon:
        raise MalformedFrame(f"a header line has no colon: {text[:80]!r}")
    if name.strip().lower() != b"content-length":
        return known
    value = value.strip()
    if not _DIGITS.fullmatch(value) or int(value) > _MAX_SKIPPED_BYTES:
        raise MalformedFrame(
            f"Content-Length {value[:80]!r} is not a number of bytes up to {_MAX_SKIPPED_BYTES}"
        )
    if known not in {None, int(value)}:
        raise MalformedFrame(f"Content-Length is given twice: {known} and {int(value)}")
    return int(value)


def _ended(read: int, length: int) -> MalformedFrame:
    return MalformedFrame(f"the stream ended after {read} of {length} bytes of a body")
