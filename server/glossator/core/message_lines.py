"""Messages of JSON-RPC on lines, as the protocols of agents have them over standard streams."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Generic, TypeVar

_log = logging.getLogger(__name__)

T = TypeVar("T")

_PARSE_ERROR = -32700  # JSON-RPC's
_WAITING = 64 * 1024  # bytes; while more wait to be read, no refusal is written


class MessageLines(Generic[T]):
    """The lines between a client and us, up to the moment when it leaves.

    `parse` gives the message on a line, and raises `ValueError` that says why there is none.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        parse: Callable[[bytes], T],
    ) -> None:
        """The reader's limit is the longest line in bytes."""
        self._reader, self._writer, self._parse = reader, writer, parse

    async def receive(self) -> T | None:
        """The next message; a line that has none is answered with an error. None at the end."""
        while True:
            try:
                line = await self._reader.readline()
            except ValueError:  # and it is dropped
                self._refuse("a message is too long")
                continue
            except OSError:
                return None
            if not line:
                return None
            if not line.strip():
                continue
            try:
                return self._parse(line)
            except ValueError as error:
                self._refuse(str(error))

    async def send(self, line: bytes) -> None:
        """Send a message; those that are sent at the same time keep their order.

        Raises `ConnectionError` once nobody reads.
        """
        if self._writer.is_closing():
            raise ConnectionError("the client has left")
        try:
            self._writer.write(line + b"\n")
            await self._writer.drain()
        except OSError as error:
            raise ConnectionError("the client has left") from error

    def close(self) -> None:
        """Close the way to the client."""
        self._writer.close()

    def _refuse(self, why: str) -> None:
        """Not waited for: what keeps us from reading would keep us from ending, too.

        A client that reads nothing is written no more of them, and they fill no log.
        """
        waiting = self._writer.transport.get_write_buffer_size()
        if waiting <= _WAITING and not self._writer.is_closing():
            _log.warning("The client's message was left out: %s", why)
            error = {"code": _PARSE_ERROR, "message": why}
            refusal = {"jsonrpc": "2.0", "id": None, "error": error}
            self._writer.write(json.dumps(refusal).encode("ascii") + b"\n")
