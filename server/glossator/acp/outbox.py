"""Sends the updates of all sessions in their order."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from acp import RequestError
from acp.interfaces import Client

_log = logging.getLogger(__name__)

FAILURES = (RequestError, ConnectionError, ValueError)  # of what is sent to a client

Update = Any  # one of the union of `schema.SessionNotification.update`


class Outbox:
    """The updates that wait to be sent, in their order."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._waiting: asyncio.Queue[tuple[str, Update]] = asyncio.Queue()
        self._sending = asyncio.create_task(self._send())

    def put(self, session_id: str, update: Update) -> None:
        """Send it after all that came before."""
        self._waiting.put_nowait((session_id, update))

    async def sent(self) -> None:
        """Wait until all is sent, or the client is gone."""
        joined = asyncio.create_task(self._waiting.join())
        await asyncio.wait({joined, self._sending}, return_when=asyncio.FIRST_COMPLETED)
        joined.cancel()

    async def close(self) -> None:
        """Send nothing more."""
        self._sending.cancel()
        await asyncio.wait({self._sending})

    async def _send(self) -> None:
        while True:
            session_id, update = await self._waiting.get()
            try:
                await self._client.session_update(session_id, update)
            except FAILURES as failure:
                _log.warning("The client was not sent an update: %s", failure)
            finally:
                self._waiting.task_done()
