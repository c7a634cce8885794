"""Running a small job in a thread of this process, when there is no worker."""

from __future__ import annotations

import asyncio
import threading
from typing import TypeVar

from glossator.worker.items import Troubles
from glossator.worker.jobs import Job, Slices

R = TypeVar("R")


def finished(slices: Slices[R]) -> R:
    """The result of slices, which are run to their end."""
    try:
        while True:
            next(slices)
    except StopIteration as end:
        result: R = end.value
        return result


async def run_here(job: Job[R], troubles: Troubles) -> R:
    """Run a small job in a thread; cancelling the await ends it at the next slice."""
    cancelled = threading.Event()

    def work() -> R:
        slices = job.run()
        try:
            while not cancelled.is_set():
                next(slices)
        except StopIteration as end:
            result: R = end.value
            return result
        finally:
            slices.close()
        raise asyncio.CancelledError

    try:
        return await asyncio.to_thread(troubles.within, work)
    finally:
        cancelled.set()
