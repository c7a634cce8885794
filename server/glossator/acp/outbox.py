"""Sends the updates of all sessions in their order."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import Any

from acp import RequestError, schema
from acp.interfaces import Client

_log = logging.getLogger(__name__)

FAILURES = (RequestError, ConnectionError, ValueError)  # of what is sent to a client

Update = Any  # one of the union of `schema.SessionNotification.update`


class Outbox:
    """The updates that wait to be sent, in their order.

    Pieces of an answer that wait are sent as one: some clients lose one that comes right after the
    first.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._waiting: deque[tuple[str, Update]] = deque()
        self._news, self._idle = asyncio.Event(), asyncio.Event()
        self._sending = asyncio.create_task(self._send())

    def put(self, session_id: str, update: Update) -> None:
        """Send it after all that came before."""
        text = _text(update)
        if text and self._waiting and self._waiting[-1][0] == session_id:
            before = _text(self._waiting[-1][1])
            if before:
                _, update = self._waiting.pop()
                content = schema.TextContentBlock(type="text", text=before + text)
                update = update.model_copy(update={"content": content})
        self._waiting.append((session_id, update))
        self._idle.clear()
        self._news.set()

    async def sent(self) -> None:
        """Wait until all is sent, or the client is gone."""
        idle = asyncio.create_task(self._idle.wait())
        await asyncio.wait({idle, self._sending}, return_when=asyncio.FIRST_COMPLETED)
        idle.cancel()

    async def close(self) -> None:
        """Send nothing more."""
        self._sending.cancel()
        await asyncio.wait({self._sending})

    async def _send(self) -> None:
        while True:
            while self._waiting:
                session_id, update = self._waiting.popleft()
                try:
                    await self._client.session_update(session_id, update)
                except FAILURES as failure:
                    _log.warning("The client was not sent an update: %s", failure)
            self._idle.set()
            self._news.clear()
            await self._news.wait()


def _text(update: Update) -> str:
    """The text of a piece of an answer; "" of any other update."""
    is_piece = isinstance(update, schema.AgentMessageChunk)
    return update.content.text if is_piece else ""
