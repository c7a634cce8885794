"""A run's limits count its work, not the time in which the user thinks."""

from __future__ import annotations

import asyncio

import pytest

from glossator.agent.clock import RunClock

_LIMIT = 0.5  # seconds


async def answer_late(clock: RunClock) -> None:
    """Two questions at once, both answered after the limit."""
    with clock.waiting(), clock.waiting():
        await asyncio.sleep(1.5 * _LIMIT)


async def test_a_limit_stands_still_while_the_user_is_waited_for() -> None:
    clock = RunClock()
    async with clock.limit(_LIMIT):
        await answer_late(clock)
    assert clock.seconds < _LIMIT


async def test_and_goes_on_afterwards() -> None:
    clock = RunClock()

    async def work() -> None:
        async with clock.limit(_LIMIT):
            await answer_late(clock)
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await work()


async def test_a_limit_that_begins_while_the_user_is_waited_for() -> None:
    clock = RunClock()
    with clock.waiting():
        async with clock.limit(0):
            await asyncio.sleep(0.01)


async def test_a_limit_that_was_reached_stays_so() -> None:
    clock = RunClock()

    async def work() -> None:
        async with clock.limit(0):
            try:
                await asyncio.Event().wait()
            finally:
                with clock.waiting():
                    pass

    with pytest.raises(TimeoutError):
        await work()
