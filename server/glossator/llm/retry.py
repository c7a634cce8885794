"""Tries a stream again after a passing failure, and says so before it waits.

The SDK's own retry is off: it sleeps as long as a server likes and shows nothing. Waits here are
capped, announced as `RetryWait`, and end at once when the task is cancelled. Source: capped
exponential back-off with full jitter (Brooker, "Exponential Backoff And Jitter", AWS, 2015).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from glossator.core.errors import ModelError, ModelUnavailable
from glossator.llm.model import ModelEvent, RetryWait

_FIRST_CEILING = 1.0  # seconds; doubles with every try


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a failure is met with another try, and the longest wait before one, in seconds."""

    retries: int
    longest_wait: float
    random: random.Random = field(default_factory=random.SystemRandom)
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


async def with_retries(
    attempt: Callable[[], AsyncGenerator[ModelEvent, None]], policy: RetryPolicy
) -> AsyncGenerator[ModelEvent, None]:
    """The events of the first attempt that succeeds, with a `RetryWait` before each further one.

    Raises the `ModelError` of the last attempt, or `ModelUnavailable` at once when the provider
    asks for a longer wait than the policy allows.
    """
    number = 0
    while True:
        try:
            async with aclosing(attempt()) as events:
                async for event in events:
                    yield event
        except ModelError as error:
            number += 1
            wait = _wait(error, number, policy)
            reason = str(error)
        else:
            return
        yield RetryWait(wait, number, reason)
        await policy.sleep(wait)


def _wait(error: ModelError, number: int, policy: RetryPolicy) -> float:
    """Seconds until the next try; raises when there is none."""
    if not error.retryable:
        raise error
    asked = error.retry_after or 0
    if asked > policy.longest_wait:
        raise ModelUnavailable(
            f"{error} It asks to wait {asked:g} s, longer than models.maxRetryWait allows"
            f" ({policy.longest_wait:g} s). Ask again later, or raise that setting.",
            retry_after=asked,
        ) from error
    if number > policy.retries:
        raise error
    ceiling = min(policy.longest_wait, _FIRST_CEILING * 2 ** (number - 1))
    return asked or policy.random.uniform(0, ceiling)
