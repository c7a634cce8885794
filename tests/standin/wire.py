"""Sends one turn over a connection, with the faults that live below the events."""

import asyncio
import socket
import struct
from collections.abc import Iterator, Sequence

from aiohttp import web

from tests.standin.errors import error_body
from tests.standin.faults import Fault, HttpError, TruncateAt
from tests.standin.script import Turn
from tests.standin.sse import Frame


def error_response(error: HttpError, request_id: str) -> web.Response:
    """An error in the API's shape, with its `request-id` and `retry-after` headers."""
    headers = {"request-id": request_id}
    if error.retry_after is not None:
        headers["retry-after"] = f"{error.retry_after:g}"
    body = error_body(error.type, error.message, request_id, error.error_code)
    return web.json_response(body, status=error.status, headers=headers)


def reset(request: web.Request) -> web.Response:
    """Reset the connection; the response returned never travels."""
    assert request.transport is not None
    connection = request.transport.get_extra_info("socket")
    # Lingering for zero seconds turns the close into an RST.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.transport.abort()
    return web.Response()


async def send_frames(
    request: web.Request, frames: Sequence[Frame], turn: Turn, request_id: str
) -> web.StreamResponse:
    """Send the frames one by one, held at the turn's gate, cut where its fault says."""
    headers = {"content-type": "text/event-stream; charset=utf-8", "request-id": request_id}
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    if turn.pause:
        await asyncio.sleep(turn.pause)
    held_by = "content_block_stop" if turn.gate_after_block else "content_block_delta"
    held_after = next((i for i, frame in enumerate(frames) if frame.data["type"] == held_by), 0)
    for index, piece in enumerate(_cut([frame.encode() for frame in frames], turn.fault)):
        await response.write(piece)
        if turn.pace:
            await asyncio.sleep(turn.pace)
        if turn.gate is not None and index == held_after:
            await turn.gate.wait()
    if isinstance(turn.fault, TruncateAt) and not turn.fault.in_good_order:
        assert request.transport is not None
        request.transport.close()  # what was written still leaves; the last chunk never does
    return response


def _cut(pieces: Sequence[bytes], fault: Fault | None) -> Iterator[bytes]:
    left = fault.byte if isinstance(fault, TruncateAt) else sum(map(len, pieces))
    for piece in pieces:
        if left > 0:
            yield piece[:left]
        left -= len(piece)
