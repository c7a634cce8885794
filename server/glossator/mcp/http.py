"""A server at an address: streamable HTTP, with bounded answers, the user's headers or a login."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
from mcp.client.streamable_http import streamable_http_client

from glossator.mcp.bearer import Bearer
from glossator.mcp.logins import Logins
from glossator.mcp.servers import Launch
from glossator.mcp.stdio import Ending

TIMES = httpx2.Timeout(30, read=300)  # seconds; an event stream may be silent for long

_BODY_BYTES = 16_000_000  # of one answer; events of a stream have a limit of their own
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
    async with client, streamable_http_client(launch.url, http_client=client) as streams:
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
    is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
    if not is_stream and isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream)


class _Bounded(httpx2.AsyncByteStream):
    """A stream that breaks off where it is too long."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for chunk in self._stream:
            read += len(chunk)
            if read > _BODY_BYTES:
                raise httpx2.ReadError(f"the answer has more than {_BODY_BYTES:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        """Close what is read."""
        await self._stream.aclose()
