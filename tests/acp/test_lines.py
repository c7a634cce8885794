"""What a client sends that is no message, and a client that reads nothing any more."""

from __future__ import annotations

import asyncio
import json

import pytest

from glossator.acp.lines import Lines

LIMIT = 200


async def pair() -> tuple[Lines, asyncio.StreamReader, asyncio.StreamWriter, asyncio.Server]:
    """Our end, the client's two, and what listens."""
    ours: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
    listening = await asyncio.start_server(
        lambda *streams: ours.put_nowait(streams), "127.0.0.1", 0, limit=LIMIT
    )
    reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname()[:2])
    return Lines(*await ours.get()), reader, writer, listening


async def test_what_is_no_message_is_answered_and_left_out() -> None:
    lines, reader, writer, listening = await pair()
    writer.write(b"nonsense\n[1]\n\n" + b"x" * 2 * LIMIT + b'\n{"id": 7}\n')
    assert await lines.receive() == {"id": 7}
    refused = [json.loads(await reader.readline()) for _ in range(3)]
    assert {each["error"]["code"] for each in refused} == {-32700}
    writer.close()
    assert await lines.receive() is None
    await lines.close()
    listening.close()


async def test_a_client_that_left_is_not_waited_for() -> None:
    lines, _, writer, listening = await pair()
    writer.close()
    await writer.wait_closed()

    async def send_on() -> None:
        for _ in range(100):
            await asyncio.wait_for(lines.send({"id": 1, "method": "asks"}), 5)
            await asyncio.sleep(0.01)

    with pytest.raises(ConnectionError):
        await send_on()
    await lines.close()
    with pytest.raises(ConnectionError):
        await lines.send({"id": 2, "method": "asks"})
    await lines.send({"id": 3, "result": None})  # whoever asked is gone
    listening.close()
