"""Sessions that another server asks for: their turn ends, and they are given up, whole on disk.

The other server leaves a note beside the session's log (`store/logs.py`), which is looked for once
a second while this server has sessions open. The editor shows what has become of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from glossator.core.ports import EditorPort
from glossator.core.run_events import SessionNow
from glossator.core.shown import shown
from glossator.sessions import Runs, Sessions

_log = logging.getLogger(__name__)

_SECONDS = 1.0  # between two looks
_STEP = 0.05  # seconds between two tries


class Handover:
    """Gives sessions up; for the event loop. `quiet` ends what goes on in one beside its runs."""

    def __init__(
        self,
        sessions: Sessions,
        runs: Runs,
        port: EditorPort,
        quiet: Callable[[str], Awaitable[None]],
    ) -> None:
        self._sessions = sessions
        self._runs = runs
        self._port = port
        self._quiet = quiet
        self._looking: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look for notes."""
        self._looking = asyncio.create_task(self._look(), name="glossator-handover")

    async def close(self) -> None:
        """Look no more."""
        if self._looking is not None:
            self._looking.cancel()
            with suppress(asyncio.CancelledError):
                await self._looking

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(_SECONDS)
            while wanted := await self._sessions.wanted():
                for session_id, who in wanted.items():
                    await self._give(session_id, who)
                await asyncio.sleep(_STEP)  # what must not be cut off goes on

    async def _give(self, session_id: str, who: str) -> None:
        """Give a session up to `who`, unless it is still at work."""
        titles = {each.id: each.title for each in self._sessions.loaded()}
        self._runs.end(session_id, shown(who))
        await self._quiet(session_id)
        if await self._sessions.give_up(session_id):
            _log.info("%s was given up to %s", session_id, who)
            self._port.show(SessionNow(session_id, shown(titles[session_id]), shown(who)))
