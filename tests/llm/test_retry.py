"""The back-off itself, with a seeded random source and no sleeping."""

import asyncio
import random
from collections.abc import AsyncGenerator

import pytest

from glossator.core.errors import ModelRefused, ModelUnavailable
from glossator.core.events import Usage
from glossator.llm.failures import RetryPolicy, with_retries
from glossator.llm.model import ModelEvent, Reply, RetryWait, StopReason, TextPiece

REPLY = Reply({"role": "assistant", "content": []}, StopReason.END_TURN, Usage(), "")


async def no_sleep(_seconds: float) -> None:
    return


def policy(retries: int, longest: float = 60) -> RetryPolicy:
    return RetryPolicy(retries, longest, random.Random(11), no_sleep)


class Flaky:
    """Fails so many times, then replies."""

    def __init__(self, failures: int, retry_after: float | None = None) -> None:
        self.left = failures
        self.retry_after = retry_after

    async def __call__(self) -> AsyncGenerator[ModelEvent, None]:
        yield TextPiece("a")
        self.left -= 1
        if self.left >= 0:
            raise ModelUnavailable("Busy.", retry_after=self.retry_after)
        yield REPLY


async def waits_of(
    failures: int, chosen: RetryPolicy, retry_after: float | None = None
) -> list[float]:
    events = [event async for event in with_retries(Flaky(failures, retry_after), chosen)]
    assert events[-1] == REPLY
    return [event.seconds for event in events if isinstance(event, RetryWait)]


async def test_waits_are_jittered_under_a_doubling_ceiling_that_is_capped() -> None:
    for _ in range(20):
        waits = await waits_of(8, policy(8, longest=10))
        ceilings = [1, 2, 4, 8, 10, 10, 10, 10]
        assert all(0 <= wait <= top for wait, top in zip(waits, ceilings, strict=True))
        assert len(set(waits)) == 8


async def test_waits_are_what_chance_makes_of_the_ceilings() -> None:
    chance = random.Random(11)
    expected = [chance.uniform(0, ceiling) for ceiling in (1, 2, 4, 8)]
    assert min(expected) > 0
    assert await waits_of(4, policy(4)) == expected


async def test_each_wait_that_is_announced_is_slept() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    assert await waits_of(3, RetryPolicy(3, 60, random.Random(11), sleep)) == slept
    assert len(slept) == 3


@pytest.mark.parametrize("asked", [0.5, 60])
async def test_a_provider_that_names_a_wait_is_given_it(asked: float) -> None:
    """Up to the longest there is."""
    assert await waits_of(2, policy(2, longest=60), retry_after=asked) == [asked, asked]


async def test_a_longer_wait_than_the_longest_is_refused_at_once() -> None:
    with pytest.raises(ModelUnavailable, match=r"61 s, longer than models.maxRetryWait") as told:
        await waits_of(1, policy(2, longest=60), retry_after=61)
    assert told.value.retry_after == 61


async def test_attempts_are_counted() -> None:
    events = [event async for event in with_retries(Flaky(2), policy(4))]
    assert [event.attempt for event in events if isinstance(event, RetryWait)] == [1, 2]
    assert events.count(TextPiece("a")) == 3


async def test_a_refusal_is_not_tried_again() -> None:
    async def refused() -> AsyncGenerator[ModelEvent, None]:
        yield TextPiece("a")
        raise ModelRefused("No.")

    events = with_retries(refused, policy(4))
    assert await anext(events) == TextPiece("a")
    with pytest.raises(ModelRefused):
        await anext(events)


async def test_a_wait_is_cancellable() -> None:
    asleep = asyncio.Event()

    async def sleep(_seconds: float) -> None:
        asleep.set()
        await asyncio.Event().wait()

    async def consume() -> None:
        async for _ in with_retries(Flaky(1), RetryPolicy(1, 60, random.Random(1), sleep)):
            pass

    task = asyncio.create_task(consume())
    await asleep.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
