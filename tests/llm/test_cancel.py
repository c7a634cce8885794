"""Stopping at every point at which a request can stand: the connection is closed at once."""

import asyncio
from contextlib import aclosing

import pytest

from glossator.llm.model import ReplyUsage, RetryWait, TextPiece
from tests.llm.asking import asker, request_of
from tests.standin import SlowHeaders, Text, Turn, rate_limited


async def test_a_cancelled_stream_closes_its_connection() -> None:
    async with asker([Turn(Text("A long answer that is held."), gate=asyncio.Event())]) as ask:
        shown = asyncio.Event()

        async def read() -> None:
            async for event in ask.model.stream(request_of()):
                assert isinstance(event, ReplyUsage | TextPiece)
                if isinstance(event, TextPiece):
                    shown.set()

        reading = asyncio.create_task(read())
        await shown.wait()
        assert ask.api.open_streams == 1
        reading.cancel()
        await ask.api.wait_for_disconnect()
        with pytest.raises(asyncio.CancelledError):
            await reading


async def test_leaving_the_stream_closes_its_connection() -> None:
    async with asker([Turn(Text("A long answer that is held."), gate=asyncio.Event())]) as ask:
        async with aclosing(ask.model.stream(request_of())) as events:
            async for _ in events:
                break
        await ask.api.wait_for_disconnect()


async def test_cancelling_before_the_headers_closes_the_connection() -> None:
    async with asker([Turn(Text("Late."), fault=SlowHeaders(asyncio.Event()))]) as ask:
        asking = asyncio.create_task(ask.ask())
        await ask.api.wait_for_requests(1)
        asking.cancel()
        await ask.api.wait_for_disconnect()
        with pytest.raises(asyncio.CancelledError):
            await asking


async def test_a_retry_wait_is_told_before_it_begins_and_can_be_left() -> None:
    async with asker([Turn(fault=rate_limited(30)), Turn(Text("Never asked for."))]) as ask:
        async with aclosing(ask.model.stream(request_of())) as events:
            assert isinstance(await anext(events), RetryWait)
            assert ask.waits == []
        assert len(ask.api.requests) == 1


async def test_a_caller_cancelled_while_the_client_is_made_leaves_it_to_the_others() -> None:
    async with asker([Turn(Text("Hi."))]) as ask:
        first = asyncio.create_task(ask.model.prepare())
        second = asyncio.create_task(ask.reply())
        await asyncio.sleep(0)
        first.cancel()
        assert (await second).text == "Hi."
