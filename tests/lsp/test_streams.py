"""What is written to a pipe: at once where it takes it, in order, and the end is noticed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from glossator.core.standard_streams import open_streams
from tests.patience import SECONDS


@dataclass
class Pipe:
    """Our end of what a server writes to."""

    reading: int
    writer: asyncio.StreamWriter


@pytest.fixture
async def pipe() -> AsyncIterator[Pipe]:
    (stdin, _our_stdin), (reading, stdout) = os.pipe(), os.pipe()
    _, writer, _ = await open_streams(stdin, stdout)
    yield Pipe(reading, writer)
    writer.close()
    for end in (_our_stdin, reading):
        with contextlib.suppress(OSError):  # the test closed it
            os.close(end)


async def test_what_the_pipe_takes_is_written_at_once(pipe: Pipe) -> None:
    os.set_blocking(pipe.reading, False)
    for number in range(100):
        pipe.writer.write(b"%d" % number)
        assert os.read(pipe.reading, 10) == b"%d" % number


async def test_what_the_pipe_does_not_take_waits_in_order(pipe: Pipe) -> None:
    messages = [bytes([65 + number % 26]) * (number * 4_001) for number in range(60)]
    for message in messages:
        pipe.writer.write(message)
    whole = b"".join(messages)
    assert await asyncio.to_thread(_read, pipe.reading, len(whole)) == whole


async def test_the_other_end_is_gone(pipe: Pipe) -> None:
    os.close(pipe.reading)
    pipe.writer.write(b"lost")
    async with asyncio.timeout(SECONDS):
        with contextlib.suppress(OSError):
            await pipe.writer.wait_closed()


async def test_files_are_read_and_written_to_their_ends(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"question\n")
    stdin = os.open(tmp_path / "in", os.O_RDONLY)
    stdout = os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT)
    reader, writer, written = await open_streams(stdin, stdout)
    async with asyncio.timeout(SECONDS):
        assert await reader.read() == b"question\n"
        writer.write(bytes(1_000_000))
        writer.close()
        await writer.wait_closed()
        await asyncio.to_thread(written)
    assert (tmp_path / "out").read_bytes() == bytes(1_000_000)


def _read(descriptor: int, length: int) -> bytes:
    parts = bytearray()
    while len(parts) < length:
        parts += os.read(descriptor, 65536)
    return bytes(parts)


async def test_one_socket_is_read_and_written() -> None:
    """As inetd and `socat EXEC:` give it; what comes in does not look like its end."""
    ours, theirs = socket.socketpair()
    ours.settimeout(SECONDS)
    with ours:
        given = theirs.detach()
        reader, writer, written = await open_streams(given, os.dup(given))
        for number in range(3):
            ours.sendall(b"question %d\n" % number)
            assert await reader.readline() == b"question %d\n" % number
            writer.write(b"answer\n")
            assert await asyncio.to_thread(ours.recv, 100) == b"answer\n"
        writer.close()
        await asyncio.to_thread(written)
