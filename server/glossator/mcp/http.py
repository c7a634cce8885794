"""A server at an address: streamable HTTP, with bounded answers, the user's headers or a login."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pydantic_core
from mcp.client.streamable_http import streamable_http_client
from mcp_types import INTERNAL_ERROR

from glossator.mcp.bearer import Bearer
from glossator.mcp.logins import Logins
from glossator.mcp.mending import shallow
from glossator.mcp.servers import Launch
from glossator.mcp.stdio import Ending

TIMES = httpx2.Timeout(30, read=300)  # seconds; an event stream may be silent for long

_BODY_BYTES = 16_000_000  # of one answer, or of one event of a stream
_REFUSED = 400  # and above
_UNAUTHORIZED = (401, 403)


@asynccontextmanager
async def address(
    launch: Launch, logins: Logins, ending: Ending
) -> AsyncIterator[tuple[object, object]]:
    """The streams of a server at an address; `ending` learns what it answers instead."""

    def refused() -> None:
        ending.needs_login = True
        ending.end("it needs a login")

    auth = None if launch.has_key else Bearer(launch.url, logins, refused)
    client = await asyncio.to_thread(_client, launch, auth, ending)  # it reads certificates
    connected = streamable_http_client(
        launch.url, http_client=client, max_sse_event_size=_BODY_BYTES
    )
    async with client, connected as streams:
        yield streams


def _client(launch: Launch, auth: Bearer | None, ending: Ending) -> httpx2.AsyncClient:
    url = httpx2.URL(launch.url)

    async def note(response: httpx2.Response) -> None:
        asked = response.request
        if response.status_code < _REFUSED or (asked.method, asked.url) != ("POST", url):
            return
        ending.hint = f"it answered {response.status_code}"
        if response.status_code not in _UNAUTHORIZED:
            return
        if auth is None:
            ending.hint += ": it wants another key in its headers"
        else:
            ending.hint += ": it wants a key in its headers, or a login with other rights (oauth)"

    return httpx2.AsyncClient(
        headers={"Accept-Encoding": "identity", **launch.headers},
        timeout=TIMES,
        event_hooks={"response": [note, bound]},
        auth=auth,
    )


async def bound(response: httpx2.Response) -> None:
    """Limit what is read of an answer."""
    if response.headers.get("content-encoding", "identity") != "identity":
        raise httpx2.DecodingError("the server compressed its answer, though it was asked not to")
    if isinstance(response.stream, httpx2.AsyncByteStream):
        kind = response.headers.get("content-type", "")
        read = _Events if kind.startswith("text/event-stream") else _Body
        response.stream = read(response.stream, response.request)


def _readable(text: bytes) -> bytes:
    """JSON as it is, or with `null` for what is nested too deep for the SDK, which reads it so."""
    try:
        pydantic_core.from_json(text)
    except ValueError as error:
        return shallow(text) if "recursion limit" in str(error) else text
    return text


class _Read(httpx2.AsyncByteStream):
    """What is read of an answer."""

    def __init__(self, stream: httpx2.AsyncByteStream, asked: httpx2.Request) -> None:
        self._stream = stream
        self._asked = asked

    async def aclose(self) -> None:
        """Close what is read."""
        await self._stream.aclose()


class _Body(_Read):
    """A whole answer; one that is too long fails the call that it is for."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = bytearray()
        async for chunk in self._stream:
            read += chunk
            if len(read) > _BODY_BYTES:
                why = f"its answer has more than {_BODY_BYTES:,} bytes"
                yield _failure(self._asked, why)
                return
        yield _readable(bytes(read))


def _failure(asked: httpx2.Request, why: str) -> bytes:
    """An error in the place of what answers a message. Raises `httpx2.ReadError` for others."""
    try:
        message = json.loads(asked.content)
    except (ValueError, httpx2.RequestNotRead):
        message = None
    if not isinstance(message, dict) or "id" not in message:
        raise httpx2.ReadError(why)
    error = {"code": INTERNAL_ERROR, "message": f"{why}; ask for less"}
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode()


class _Events(_Read):
    """A stream of events, line by line. Of a line that is too long the SDK refuses the event."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        line = bytearray()
        async for chunk in self._stream:
            *ended, rest = chunk.split(b"\n")
            for part in ended:
                yield _event_line(bytes(line) + part) + b"\n"
                line.clear()
            line += rest
            if len(line) > _BODY_BYTES:
                yield bytes(line)
                line.clear()
        yield bytes(line)


def _event_line(line: bytes) -> bytes:
    name, colon, text = line.partition(b":")
    return b"data:" + _readable(text) if colon and name == b"data" else line
