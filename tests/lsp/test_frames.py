"""Frames: what is read, what is refused, in whatever pieces it arrives."""

from __future__ import annotations

import asyncio
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.core import frames
from glossator.core.frames import (
    FRAME_SECONDS,
    MAX_BODY_BYTES,
    MAX_HEADER_BYTES,
    MalformedFrame,
    TooLarge,
    frame,
    read_frame,
    read_header,
)
from tests.lsp.support.chance import seeded


async def read_all_of(
    stream: asyncio.StreamReader, seconds: float = FRAME_SECONDS
) -> list[bytes | TooLarge]:
    bodies = []
    while (body := await read_frame(stream, seconds)) is not None:
        bodies.append(body)
    return bodies


async def read_all(data: bytes) -> list[bytes | TooLarge]:
    stream = asyncio.StreamReader()
    stream.feed_data(data)
    stream.feed_eof()
    return await read_all_of(stream)


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
    assert await read_all(data) == bodies


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
        (b"Content-Length: %d\r\n\r\n" % (MAX_BODY_BYTES + 1), "ended after 0 of"),
        (b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n", "up to"),
        (b"X: y\r\n" * 5000, "longer than"),
        (b"X" * (3 * MAX_HEADER_BYTES), "a header line is longer than"),
        (b"X:".ljust(MAX_HEADER_BYTES - 1) + b"\n\n", "a header is longer than"),
    ],
)
async def test_frames_that_are_refused(data: bytes, says: str) -> None:
    with pytest.raises(MalformedFrame, match=says.replace("+", r"\+")):
        await read_all(data)


async def test_a_header_may_be_as_long_as_it_says() -> None:
    line = b"Content-Length:".ljust(MAX_HEADER_BYTES - 4) + b"2\n"
    assert await read_all(line + b"\r\n{}") == [b"{}"]
    with pytest.raises(MalformedFrame, match="longer than"):
        await read_all(b" " + line + b"\r\n{}")


async def test_a_body_may_be_as_long_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MAX_BODY_BYTES", 100)
    whole, larger = await read_all(frame(bytes(100)) + frame(bytes(101)))
    assert (whole, larger) == (bytes(100), TooLarge(101, bytes(101)))


async def test_a_body_that_nobody_means_to_send_is_refused_by_its_header() -> None:
    stream = asyncio.StreamReader()
    stream.feed_data(b"Content-Length: %d\r\n\r\n" % 1024**3)
    assert await read_header(stream) == 1024**3
    stream.feed_data(b"Content-Length: %d\r\n\r\n" % (1024**3 + 1))
    with pytest.raises(MalformedFrame, match="up to"):
        await read_header(stream)


@pytest.mark.parametrize("begun", [b"Content-Length: 9\r\n", b"Content-Length: 9\r\n\r\n{}"])
async def test_a_frame_that_stays_half_is_given_up(begun: bytes) -> None:
    stream = asyncio.StreamReader()
    stream.feed_data(begun)
    with pytest.raises(MalformedFrame, match="not whole after"):
        await read_all_of(stream, seconds=0.01)


@given(
    bodies=st.lists(st.binary(max_size=300), max_size=5),
    cuts=st.lists(st.integers(0, 2000), max_size=20),
)
def test_frames_may_arrive_in_any_pieces(bodies: list[bytes], cuts: list[int]) -> None:
    data = b"".join(map(frame, bodies))
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [data[a:b] for a, b in itertools.pairwise(edges)]

    async def run() -> list[bytes | TooLarge]:
        stream = asyncio.StreamReader()
        reading = asyncio.create_task(read_all_of(stream))
        for number, piece in enumerate(pieces):
            stream.feed_data(piece)
            if number % 2:
                await asyncio.sleep(0)
        stream.feed_eof()
        return await reading

    assert asyncio.run(run()) == bodies


def whole_frames(data: bytes) -> list[bytes] | None:
    """The bodies, if the bytes are frames and nothing else."""
    bodies = []
    while data:
        lengths: set[bytes] = set()
        while True:
            line, end, data = data.partition(b"\n")
            name, colon, value = line.partition(b":")
            if end and not line.strip(b"\r"):
                break
            if not end or not colon:
                return None
            lengths |= {value.strip()} if name.strip() == b"Content-Length" else set()
        if len(lengths) != 1 or not (length := lengths.pop()).isdigit() or int(length) > len(data):
            return None
        bodies.append(data[: int(length)])
        data = data[int(length) :]
    return bodies


async def test_any_bytes_end_in_bodies_or_in_a_refusal() -> None:
    chance = seeded()
    parts = [b"Content-Length", b": ", b"2", b"99", b"\r\n", b"\n", b"\r", b"{}", b"\x00", b":"]
    parts += [b"Content-Length: 2\r\n", b"\r\n{}", frame(b"{}")] * 4
    read = 0
    for _ in range(5000):
        data = b"".join(chance.choices(parts, k=chance.randrange(12)))
        expected = whole_frames(data)
        try:
            assert await read_all(data) == expected, data
        except MalformedFrame:
            assert expected is None, data
        read += bool(expected)
    assert read > 100


class Pipe(asyncio.ReadTransport):
    """Notes what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def pause_reading(self) -> None:
        self.asked.append("pause")

    def resume_reading(self) -> None:
        self.asked.append("resume")


async def test_no_more_is_read_while_much_waits() -> None:
    stream, pipe = asyncio.StreamReader(), Pipe()
    stream.set_transport(pipe)
    large = frame(bytes(600_000))
    for _ in range(4):
        stream.feed_data(large)
    assert pipe.asked == ["pause"]
    stream.feed_eof()
    assert len(await read_all_of(stream)) == 4
    assert pipe.asked == ["pause", "resume"]


async def test_a_long_body_is_read_in_pieces() -> None:
    stream = asyncio.StreamReader()
    reading = asyncio.create_task(read_all_of(stream))
    whole = frame(bytes(3_000_000))
    for at in range(0, len(whole), 65536):
        stream.feed_data(whole[at : at + 65536])
        await asyncio.sleep(0)
    stream.feed_eof()
    assert await reading == [bytes(3_000_000)]


async def test_of_a_body_that_is_too_large_both_ends_are_kept() -> None:
    stream, size = asyncio.StreamReader(), MAX_BODY_BYTES + 100_000
    reading = asyncio.create_task(read_all_of(stream))
    whole = frame(b"begin" + bytes(size - 8) + b"end") + frame(b"{}")
    for at in range(0, len(whole), 1 << 20):
        stream.feed_data(whole[at : at + (1 << 20)])
        await asyncio.sleep(0)
    stream.feed_eof()
    large, after = await reading
    assert isinstance(large, TooLarge)
    assert (large.size, after) == (size, b"{}")
    assert large.ends.startswith(b"begin")
    assert large.ends.endswith(b"end")
    assert len(large.ends) < 100_000


async def test_a_connection_that_breaks_tells_why() -> None:
    stream = asyncio.StreamReader()
    stream.set_exception(ConnectionResetError("gone"))
    with pytest.raises(ConnectionResetError, match="gone"):
        await read_all_of(stream)
