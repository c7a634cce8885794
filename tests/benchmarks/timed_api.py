"""The stand-in in a process of its own, where it takes no time from us, with a clock.

Both ends of a gap are read off one clock, at the network: from the last byte of a reply to the
first bytes of the next request.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from tests.standin.api import Api
from tests.standin.recording import Journal
from tests.standin.script import Turn


@dataclass
class Seen:
    """What came: `gaps` in ms, the first one after the first reply; `sizes` of bodies in bytes.

    `arrivals` are by `time.perf_counter`, whose clock all processes share.
    """

    arrivals: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    refusals: list[tuple[int, str]] = field(default_factory=list)


class TimedApi:
    """A running stand-in; `seen` ends it, once."""

    def __init__(self, base_url: str, pipe: Connection) -> None:
        self.base_url = base_url
        self._pipe = pipe

    async def seen(self) -> Seen:
        """What came. Raises `AssertionError` if anything was refused."""
        self._pipe.send(None)
        seen: Seen = await asyncio.to_thread(self._pipe.recv)
        assert seen.refusals == [], seen.refusals[:3]
        return seen


@asynccontextmanager
async def timed_api(
    script: Sequence[Turn], pace: float = 0, niceness: int = 0
) -> AsyncIterator[TimedApi]:
    """A stand-in that plays the script, on a free loopback port; killed at the end.

    `pace`: the seconds that a model thinks before each reply. `niceness`: at 19 it takes what
    processor time nobody else wants; the API that it stands for takes none of ours.
    """
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    process = spawn.Process(target=_serve, args=(script, pace, niceness, theirs), daemon=True)
    process.start()
    theirs.close()  # so that its end, too, is told
    try:
        yield TimedApi(await asyncio.to_thread(ours.recv), ours)
    finally:
        process.kill()
        await asyncio.to_thread(process.join)


def _serve(script: Sequence[Turn], pace: float, niceness: int, pipe: Connection) -> None:
    os.nice(niceness)
    asyncio.run(_run(script, pace, pipe))


async def _run(script: Sequence[Turn], pace: float, pipe: Connection) -> None:
    journal, seen = Journal(), Seen()
    app = Api(script, journal).app()
    app.middlewares.append(_clock(seen, journal, pace))
    runner = web.AppRunner(app, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    pipe.send(f"http://127.0.0.1:{runner.addresses[0][1]}")
    await asyncio.to_thread(pipe.recv)
    seen.refusals = journal.refusals
    pipe.send(seen)
    await runner.cleanup()


def _clock(seen: Seen, journal: Journal, pace: float) -> Middleware:
    ended: float | None = None

    @web.middleware
    async def clock(request: web.Request, handler: Handler) -> web.StreamResponse:
        nonlocal ended
        if request.method != "POST":
            return await handler(request)
        seen.arrivals.append(time.perf_counter())
        if ended is not None:
            seen.gaps.append((seen.arrivals[-1] - ended) * 1000)
        seen.sizes.append(request.content_length or 0)
        await asyncio.sleep(pace)
        response = await handler(request)
        journal.requests.clear()  # freed now: it would take time after the reply
        if response.prepared:  # a refusal is not, yet
            await response.write_eof()
        ended = time.perf_counter()
        return response

    return clock
