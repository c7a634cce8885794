"""How long a test waits for what is sure to come."""

import asyncio
from collections.abc import Callable

SECONDS = 90.0  # far more than anything takes, so that a machine with other work fails no test


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that sets no event of ours, such as what another process does."""
    async with asyncio.timeout(SECONDS):
        while not condition():  # noqa: ASYNC110 - see above
            await asyncio.sleep(0.002)
