"""What is written to a pipe: at once where it takes it, in order, and the end is told."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator

import pytest

from glossator.lsp.streams import ThreadSink

Pipe = tuple[int, int]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    reading, writing = os.pipe()
    yield reading, writing
    for end in (reading, writing):
        try:
            os.close(end)
        except OSError:
            continue  # the test closed it


def _sink(pipe: Pipe, broken: Callable[[str], None] = pytest.fail) -> ThreadSink:
    return ThreadSink(pipe[1], broken)


async def test_what_the_pipe_takes_is_written_at_once(pipe: Pipe) -> None:
    sink = _sink(pipe)
    os.set_blocking(pipe[0], False)
    for number in range(100):
        sink.write(b"%d" % number)
        assert os.read(pipe[0], 10) == b"%d" % number
    await sink.close()


async def test_what_the_pipe_does_not_take_waits_in_order(pipe: Pipe) -> None:
    sink = _sink(pipe)
    messages = [bytes([65 + number % 26]) * (number * 4_001) for number in range(60)]
    for message in messages:
        sink.write(message)
    whole = b"".join(messages)
    read = await asyncio.to_thread(_read, pipe[0], len(whole))
    assert read == whole
    await sink.close()


async def test_the_other_end_is_gone(pipe: Pipe) -> None:
    told = threading.Event()
    sink = _sink(pipe, lambda _reason: told.set())
    os.close(pipe[0])
    sink.write(b"lost")
    assert await asyncio.to_thread(told.wait, 30)
    await sink.close()


def _read(descriptor: int, length: int) -> bytes:
    parts = bytearray()
    while len(parts) < length:
        parts += os.read(descriptor, 65536)
    return bytes(parts)
