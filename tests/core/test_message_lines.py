"""What a client sends that is no message, and a client that reads nothing any more."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from glossator.core.message_lines import MessageLines

LIMIT = 200
JUNK = 100_000  # lines; the answers to them are more than a socket holds
MOST = 2_000_000  # bytes of answers for a client that reads none: what a socket holds, and ours
ASKS = b'{"id": 1}'


def parse(line: bytes) -> Any:
    message = json.loads(line)
    if not isinstance(message, dict):
        raise ValueError("no object")  # noqa: TRY004 - as the doors say it
    return message


@asynccontextmanager
async def pair() -> AsyncIterator[
    tuple[MessageLines[Any], asyncio.StreamReader, asyncio.StreamWriter]
]:
    """Our end, and the client's two."""
    ours, theirs = socket.socketpair()
    lines = MessageLines(*await asyncio.open_connection(sock=ours, limit=LIMIT), parse)
    reader, writer = await asyncio.open_connection(sock=theirs)
    try:
        yield lines, reader, writer
    finally:
        lines.close()
        writer.close()


async def test_what_is_no_message_is_answered_and_left_out() -> None:
    async with pair() as (lines, reader, writer):
        writer.write(b"nonsense\n[1]\n\n" + b"x" * 2 * LIMIT + b'\n{"id": 7}\n')
        assert await lines.receive() == {"id": 7}
        refused = [json.loads(await reader.readline())["error"] for _ in range(3)]
        assert {each["code"] for each in refused} == {-32700}
        assert [each["message"] for each in refused][1:] == ["no object", "a message is too long"]
        writer.close()
        assert await lines.receive() is None


async def test_a_client_that_reads_no_refusals_can_leave() -> None:
    """And not all of them are kept for it."""
    async with pair() as (lines, reader, writer):
        receiving = asyncio.create_task(lines.receive())
        writer.write(b"[]\n" * JUNK)
        writer.write_eof()
        assert await asyncio.wait_for(receiving, 30) is None
        lines.close()
        assert len(await asyncio.wait_for(reader.read(), 30)) < MOST


async def test_a_client_that_left_is_not_waited_for() -> None:
    async with pair() as (lines, _, writer):
        writer.close()
        await writer.wait_closed()

        async def send_on() -> None:
            for _ in range(100):
                await asyncio.wait_for(lines.send(ASKS), 5)
                await asyncio.sleep(0.01)

        with pytest.raises(ConnectionError):
            await send_on()
        lines.close()
        with pytest.raises(ConnectionError):
            await lines.send(ASKS)
