"""Sends the updates of all sessions in their order; and how a request of the client is refused."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from dataclasses import dataclass
from typing import Any

from acp import RequestError, schema
from acp.interfaces import Client

_log = logging.getLogger(__name__)

FAILURES = (RequestError, ConnectionError, ValueError)  # of what is sent to a client

_FAILED = -32603  # JSON-RPC's internal error, with our words as its message

Update = Any  # one of the union of `schema.SessionNotification.update`


@dataclass(frozen=True, slots=True)
class _Waiting:
    """An update, and the texts of all pieces that are sent as one with it."""

    session_id: str
    update: Update
    pieces: list[str]

    @property
    def whole(self) -> Update:
        if len(self.pieces) < 2:
            return self.update
        content = schema.TextContentBlock(type="text", text="".join(self.pieces))
        return self.update.model_copy(update={"content": content})


class Outbox:
    """The updates that wait to be sent, in their order.

    Pieces of an answer that wait are sent as one: some clients lose one that comes right after the
    first.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._waiting: deque[_Waiting] = deque()
        self._news, self._idle = asyncio.Event(), asyncio.Event()
        self._sending = asyncio.create_task(self._send())

    def put(self, session_id: str, update: Update) -> None:
        """Send it after all that came before."""
        pieces = [update.content.text] if isinstance(update, schema.AgentMessageChunk) else []
        last = self._waiting[-1] if self._waiting else None
        if pieces and last is not None and last.pieces and last.session_id == session_id:
            last.pieces.extend(pieces)
        else:
            self._waiting.append(_Waiting(session_id, update, pieces))
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
                first = self._waiting.popleft()
                try:
                    await self._client.session_update(first.session_id, first.whole)
                except FAILURES as failure:
                    _log.warning("The client was not sent an update: %s", failure)
            self._idle.set()
            self._news.clear()
            await self._news.wait()


def refusal(words: str, code: int = _FAILED) -> RequestError:
    """The error for a client; some show only its details, some only its message."""
    return RequestError(code, words, {"details": words})
