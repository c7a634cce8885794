"""One client over the standard streams, or clients of this machine over streamable HTTP."""

from __future__ import annotations

import asyncio
import gc
import secrets
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, jsonrpc_message_adapter

from glossator.core.errors import UsageError
from glossator.core.loopback import TOKEN_BYTES, kept_in
from glossator.core.message_lines import MessageLines
from glossator.core.standard_streams import end_at_last, on_signal, process_streams
from glossator.mcp_server.server import GlossatorServer

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_LIMIT = 4_000_000  # bytes of a message, as over HTTP
_GRACE_SECONDS = 1  # of open connections once the process is to end
_REFUSAL = (
    b"This server listens for clients that know its token: send the one that it printed when it"
    b" began, or wrote to its --token-file, as Authorization: Bearer TOKEN.\n"
)


async def serve_stdio(server: GlossatorServer) -> int:
    """Serve the process that started us, until it leaves; gives the exit code."""
    async with process_streams(_LIMIT) as (reader, writer):
        await serve_streams(server, reader, writer, lambda: end_at_last(0))
    return 0


async def serve_streams(
    server: GlossatorServer,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    leaving: Callable[[], None] = lambda: None,
) -> None:
    """The same over any pair of streams, messages on lines.

    The SDK's own transport reads in a thread, which no signal ends. `leaving` is called when the
    client has left, before what goes on is ended.
    """
    arrived, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    lines = MessageLines(reader, writer, _message)
    write, sent = anyio.create_memory_object_stream[SessionMessage](0)
    server.folders.load_soon()
    gc.enable()
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_speak, lines, sent)
            tasks.start_soon(_listen, lines, arrived)
            await server.sdk.run(read, write, server.sdk.create_initialization_options())
            tasks.cancel_scope.cancel()
    finally:
        leaving()
        await server.close()


async def _listen(
    lines: MessageLines[JSONRPCMessage], arrived: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    """Pass on messages until the client leaves."""
    with suppress(anyio.BrokenResourceError):
        async with arrived:
            while (message := await lines.receive()) is not None:
                await arrived.send(SessionMessage(message))


async def _speak(
    lines: MessageLines[JSONRPCMessage], sent: MemoryObjectReceiveStream[SessionMessage]
) -> None:
    async with sent:
        async for each in sent:
            text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
            with suppress(ConnectionError):  # what still answers a client that left is not held up
                await lines.send(text.encode("utf-8", "replace"))


def _message(line: bytes) -> JSONRPCMessage:
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError as error:
        raise ValueError("a line is no message of JSON-RPC 2.0") from error


async def serve_http(
    server: GlossatorServer, address: tuple[str, int], token_file: Path | None
) -> int:
    """Serve until a signal; the address is printed to stderr, and the token unless it has a file.

    Raises `UsageError` for an address or a file that cannot be used.
    """
    import uvicorn  # noqa: PLC0415 - stdio needs it not

    class _Door(uvicorn.Server):
        """A signal ends it, and is not raised once more then."""

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            on_signal(lambda: setattr(self, "should_exit", True))
            yield

    token = secrets.token_urlsafe(TOKEN_BYTES)
    with kept_in(token_file, token), _listener(address) as listener:
        host, port = listener.getsockname()[:2]
        at = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        door = _Door(
            uvicorn.Config(
                app_with_token(server, token, host),
                log_config=None,
                access_log=False,
                timeout_graceful_shutdown=_GRACE_SECONDS,
                ws="none",
            )
        )
        said = f"listening on http://{at}/mcp\n" + ("" if token_file else f"token: {token}\n")
        sys.stderr.write(said)
        sys.stderr.flush()
        gc.enable()
        server.folders.load_soon()
        try:
            await door.serve([listener])
        finally:
            end_at_last(0)
            await server.close()
    return 0


def _listener(address: tuple[str, int]) -> socket.socket:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    try:
        return socket.create_server(address, family=family)
    except OSError as error:
        raise UsageError(
            f"Nothing can listen on {address[0]}:{address[1]} ({error.strerror}). Name another"
            " port, or 0 for a free one."
        ) from error


def app_with_token(server: GlossatorServer, token: str, host: str) -> ASGIApp:
    """The server over HTTP, for requests that carry the token.

    The SDK refuses hosts and origins that are not of this machine, so that no page of a browser
    gets in by a name that leads here.
    """
    from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415 - see above

    names = {"127.0.0.1", "localhost", "[::1]", f"[{host}]" if ":" in host else host}
    inner = server.sdk.streamable_http_app(
        host=host,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=[f"{each}:*" for each in sorted(names)],
            allowed_origins=[f"http://{each}:*" for each in sorted(names)],
        ),
    )
    wanted = f"Bearer {token}".encode()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = next((v for name, v in scope["headers"] if name == b"authorization"), b"")
            if not secrets.compare_digest(given, wanted):
                head = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
                await send({"type": "http.response.start", "status": 401, "headers": head})
                await send({"type": "http.response.body", "body": _REFUSAL})
                return
        await inner(scope, receive, send)

    return guarded
