"""A server at an address: streamable HTTP, with bounded answers and the user's headers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
from mcp.client.streamable_http import streamable_http_client

from glossator.mcp.servers import Launch
from glossator.mcp.stdio import Ending

_BODY_BYTES = 16_000_000  # of one answer; events of a stream have a limit of their own
_REFUSED = 400  # and above
_UNAUTHORIZED = (401, 403)
_TIMES = httpx2.Timeout(30, read=300)  # seconds; an event stream may be silent for long


@asynccontextmanager
async def address(launch: Launch, ending: Ending) -> AsyncIterator[object]:
    """The streams of a server at an address; `ending` learns what it answers instead."""
    client = await asyncio.to_thread(_client, launch, ending)  # it reads the machine's certificates
    async with client, streamable_http_client(launch.url, http_client=client) as streams:
        yield streams


def _client(launch: Launch, ending: Ending) -> httpx2.AsyncClient:
    async def note(response: httpx2.Response) -> None:
        if response.status_code >= _REFUSED and response.request.method == "POST":
            ending.hint = f"it answered {response.status_code}"
            if response.status_code in _UNAUTHORIZED:
                ending.hint += ": it wants a key, which belongs into its headers"

    return httpx2.AsyncClient(
        headers={"Accept-Encoding": "identity", **launch.headers},
        timeout=_TIMES,
        event_hooks={"response": [note, _bound]},
    )


async def _bound(response: httpx2.Response) -> None:
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
