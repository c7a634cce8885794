"""Messages as lines of JSON: the SDK's own transport waits for ever once a client is gone."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any, cast

_log = logging.getLogger(__name__)

_PARSE_ERROR = -32700  # JSON-RPC's


class Lines:
    """Implements `acp.Transport`, up to the moment when the client leaves."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, message: dict[str, Any]) -> None:
        """Send a message; those that are sent at the same time keep their order.

        Raises `ConnectionError` once nobody reads, but not for an answer: its asker has left.
        """
        try:
            await self._write(json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n")
        except ConnectionError:
            if "method" in message:
                raise
            _log.info("The client has left before it was answered")

    async def receive(self) -> dict[str, Any] | None:
        """The next message; what is none is answered with an error. None at the end."""
        while True:
            try:
                line = await self._reader.readline()
            except ValueError:  # longer than the reader's limit, and dropped by it
                await self._refuse("a message is too long")
                continue
            except ConnectionError:
                return None
            if not line:
                return None
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except (ValueError, RecursionError) as error:
                await self._refuse(f"a message is not JSON: {error}")
                continue
            if not (problem := _problem(message)):
                return cast("dict[str, Any]", message)
            await self._refuse(problem)

    async def close(self) -> None:
        """Close the way to the client."""
        self._writer.close()

    async def _write(self, line: bytes) -> None:
        if self._writer.is_closing():
            raise ConnectionError("the client has left")
        self._writer.write(line)
        await self._writer.drain()

    async def _refuse(self, why: str) -> None:
        _log.warning("The client's message was left out: %s", why)
        error = {"code": _PARSE_ERROR, "message": why}
        await self.send({"jsonrpc": "2.0", "id": None, "error": error})


def _problem(message: object) -> str:
    """Why it is no message of JSON-RPC, which the SDK expects all to be; "" for one."""
    if not isinstance(message, dict):
        return "a message is no object"
    if not isinstance(message.get("id"), str | int | float | None):
        return "the id of a message is no number and no text"
    if not isinstance(message.get("method", ""), str):
        return "the method of a message is no text"
    if not isinstance(message.get("error", {}), dict):
        return "the error of a message is no object"
    return ""
