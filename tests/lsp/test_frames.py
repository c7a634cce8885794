"""Frames: what is read, what is refused, in whatever pieces it arrives."""

from __future__ import annotations

import asyncio
import contextlib
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.lsp.frames import (
    MAX_BODY_BYTES,
    MAX_HEADER_BYTES,
    MalformedFrame,
    frame,
    read_frame,
)
from tests.lsp.support.chance import seeded


def stream(*pieces: bytes, end: bool = True) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=MAX_HEADER_BYTES)
    for piece in pieces:
        reader.feed_data(piece)
    if end:
        reader.feed_eof()
    return reader


async def read_all(reader: asyncio.StreamReader) -> list[bytes]:
    bodies = []
    while (body := await read_frame(reader)) is not None:
        bodies.append(body)
    return bodies


@pytest.mark.parametrize(
    ("data", "bodies"),
    [
        (b"", []),
        (b"Content-Length: 2\r\n\r\n{}", [b"{}"]),
        (b"content-length:2\r\n\r\n{}", [b"{}"]),
        (b"CONTENT-LENGTH : 2\n\n{}", [b"{}"]),
        (b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", [b"{}"]),
        (b"Content-Type: x; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}", [b"{}"]),
        (b"Content-Length: 0\r\n\r\nContent-Length: 002\r\n\r\n{}", [b"", b"{}"]),
        (b"Content-Length: 4\r\n\r\n\r\n\r\n", [b"\r\n\r\n"]),
    ],
)
async def test_frames_that_are_read(data: bytes, bodies: list[bytes]) -> None:
    assert await read_all(stream(data)) == bodies


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"Content-Length: 2", "ended inside a header"),
        (b"Content-Length: 2\r\n", "ended inside a header"),
        (b"Content-Length: 9\r\n\r\n{}", "ended after 2 of 9 bytes"),
        (b"\r\n", "no Content-Length"),
        (b"hello\r\n\r\n", "no colon: b'hello'"),
        (b"Content-Length: two\r\n\r\n", "b'two'"),
        (b"Content-Length: +2\r\n\r\n{}", "b'+2'"),
        (b"Content-Length: 0x2\r\n\r\n{}", "b'0x2'"),
        (b"Content-Length: \xd9\xa2\r\n\r\n{}", "not a number"),
        (b"Content-Length: 2 2\r\n\r\n{}", "b'2 2'"),
        (b"Content-Length: 2\r\ncontent-length: 3\r\n\r\n{}", "given twice: 2 and 3"),
        (b"Content-Length: %d\r\n\r\n" % (MAX_BODY_BYTES + 1), "up to"),
        (b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n", "up to"),
        (b"X: y\r\n" * 5000, "longer than"),
        (b"X" * (3 * MAX_HEADER_BYTES), "longer than"),
    ],
)
async def test_frames_that_are_refused(data: bytes, says: str) -> None:
    with pytest.raises(MalformedFrame, match=says.replace("+", r"\+")):
        await read_all(stream(data))


@pytest.mark.parametrize("begun", [b"Content-Length: 9\r\n", b"Content-Length: 9\r\n\r\n{}"])
async def test_a_frame_that_stays_half_is_given_up(begun: bytes) -> None:
    with pytest.raises(MalformedFrame, match="not whole after"):
        await read_frame(stream(begun, end=False), seconds=0.01)


@given(
    bodies=st.lists(st.binary(max_size=300), max_size=5),
    cuts=st.lists(st.integers(0, 2000), max_size=20),
)
def test_frames_may_arrive_in_any_pieces(bodies: list[bytes], cuts: list[int]) -> None:
    data = b"".join(map(frame, bodies))
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [data[a:b] for a, b in itertools.pairwise(edges)]

    async def run() -> list[bytes]:
        reader = stream(end=False)
        reading = asyncio.create_task(read_all(reader))
        for piece in pieces:
            reader.feed_data(piece)
            await asyncio.sleep(0)
        reader.feed_eof()
        return await reading

    assert asyncio.run(run()) == bodies


async def test_any_bytes_end_in_bodies_or_in_a_refusal() -> None:
    chance = seeded()
    parts = [b"Content-Length", b": ", b"2", b"99", b"\r\n", b"\n", b"\r", b"{}", b"\x00", b":"]
    for _ in range(5000):
        data = b"".join(chance.choices(parts, k=chance.randrange(20)))
        with contextlib.suppress(MalformedFrame):
            await read_all(stream(data))
