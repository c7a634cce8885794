"""Serves one client: over the process's own streams, or over one local TCP connection.

Every program of every user of this machine can connect to a port, and so can a page in a browser.
So the first message of a connection must be an `initialize` request with the server's token.
Without it the server starts nothing, and reads nothing more of the connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol.types import LSPErrorCodes

from glossator.core.errors import UsageError
from glossator.core.frames import MalformedFrame, frame, read_body, read_header
from glossator.core.loopback import TOKEN_BYTES, kept_in
from glossator.core.standard_streams import end_at_last, on_signal, open_streams, take_streams

if TYPE_CHECKING:
    from glossator.lsp.server import Server

FIRST_SECONDS = 10.0  # for the first message
_FIRST_BYTES = 1024 * 1024  # the most that it may have
_REFUSAL = (
    "This server listens for a client that knows its token, and initializationOptions.token is"
    " missing or wrong. Send the token that the server printed when it began, or wrote to its"
    " --token-file."
)


async def serve_stdio(server: Server) -> int:
    """Serve the process that started us; gives the exit code."""
    reader, writer, written = await open_streams(*take_streams())
    on_signal(server.leave)
    code = await server.serve(reader, writer, leaving=end_at_last)
    await asyncio.to_thread(written)
    return code


async def serve_tcp(server: Server, address: tuple[str, int], token_file: Path | None) -> int:
    """Serve the first client that knows the token; the bound address is printed to stderr.

    So is the token, unless it is written to a file. Raises `UsageError` for an address or a file
    that cannot be used.
    """
    gc.enable()  # it may take long until the client comes
    token = secrets.token_urlsafe(TOKEN_BYTES)
    admission = Admission(token)
    on_signal(admission.end)
    with kept_in(token_file, token):
        try:
            listener = await asyncio.start_server(admission.meet, *address)
        except OSError as error:
            raise UsageError(
                f"Nothing can listen on {address[0]}:{address[1]} ({error.strerror}). Name another"
                " port, or 0 for a free one."
            ) from error
        _announce(listener, None if token_file else token)
        try:
            reader, writer, first = await admission.admitted()
        except asyncio.CancelledError:
            return 1  # a signal came first
        finally:
            listener.close()

    on_signal(server.leave)
    return await server.serve(reader, writer, first, end_at_last)


def _announce(listener: asyncio.Server, token: str | None) -> None:
    host, port = listener.sockets[0].getsockname()[:2]
    said = f"listening on {host}:{port}\n" + (f"token: {token}\n" if token else "")
    sys.stderr.write(said)
    sys.stderr.flush()


class Admitted(NamedTuple):
    """A connection whose client knows the token, and the body of its first message."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    first: bytes


class Admission:
    """Waits for the first client that knows the token; all others are refused and cut off."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        self._admitted: asyncio.Future[Admitted] = asyncio.get_running_loop().create_future()

    async def admitted(self) -> Admitted:
        """The client."""
        return await self._admitted

    def end(self) -> None:
        """Stop waiting: `admitted` raises `CancelledError`."""
        self._admitted.cancel()

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read the first message of a connection, and admit or refuse it."""
        try:
            async with asyncio.timeout(FIRST_SECONDS):
                body = await _first_message(reader)
            message = _as_object(body)
            knows = secrets.compare_digest(_token_of(message), self._token)
            if knows and not self._admitted.done():
                self._admitted.set_result(Admitted(reader, writer, body))
                return
            if not knows and "id" in message:
                writer.write(frame(json.dumps(_refusal(message["id"])).encode()))
                await writer.drain()
        except (MalformedFrame, ValueError, OSError, TimeoutError):
            pass  # it speaks another protocol, or none: there is nobody to explain anything to
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def _first_message(reader: asyncio.StreamReader) -> bytes:
    """The body of the first frame. Raises `MalformedFrame` and `OSError`."""
    length = await read_header(reader)
    if length > _FIRST_BYTES:
        raise MalformedFrame(f"the first message has more than {_FIRST_BYTES} bytes")
    return await read_body(reader, length)


def _as_object(body: bytes) -> dict[str, object]:
    """The JSON object of a body. Raises `ValueError`."""
    try:
        message = json.loads(body)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(message, dict):
        raise ValueError("it is no message")  # noqa: TRY004 - what was sent is wrong
    return message


def _token_of(message: dict[str, object]) -> bytes:
    match message:
        case {
            "method": "initialize",
            "params": {"initializationOptions": {"token": str() as token}},
        }:
            return token.encode("utf-8", "surrogatepass")
    return b""


def _refusal(msg_id: object) -> dict[str, object]:
    error = {"code": LSPErrorCodes.RequestFailed.value, "message": _REFUSAL}
    return {"jsonrpc": "2.0", "id": msg_id, "error": error}
