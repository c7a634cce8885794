"""The two ways in: the process's own streams, or one TCP connection of this machine."""

from __future__ import annotations

import asyncio
import gc
import os
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from glossator.core.errors import UsageError
from glossator.lsp.admission import Admission, kept_in
from glossator.lsp.frames import Sink
from glossator.lsp.inbox import Inbox, pump
from glossator.lsp.streams import SocketSink, ThreadSink, read_from

if TYPE_CHECKING:
    from glossator.lsp.server import Server

EXIT_SECONDS = 1.8  # from the client's leaving; then the process ends whatever still runs

_TOKEN_BYTES = 32  # of chance


async def serve_stdio(server: Server) -> int:
    """Serve the process that started us; gives the exit code."""
    ours, write_to = _take_streams()
    sink = ThreadSink(write_to, server.connection_lost)
    return await _serve(server, partial(read_from, ours), sink)


async def serve_tcp(server: Server, address: tuple[str, int], token_file: Path | None) -> int:
    """Serve the first client that knows the token; the bound address is printed to stderr.

    So is the token, unless it is written to a file. Raises `UsageError` for an address or a file
    that cannot be used.
    """
    gc.enable()  # however long it takes, and whoever else connects
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    admission = Admission(token)
    _on_signal(admission.end)
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
            reader, writer, begun = await admission.admitted()
        except asyncio.CancelledError:
            return 1  # a signal came first
        finally:
            listener.close()

    async def connect(inbox: Inbox) -> None:
        inbox.data_received(begun)
        await pump(reader, inbox)

    return await _serve(server, connect, SocketSink(writer, server.connection_lost))


def _announce(listener: asyncio.Server, token: str | None) -> None:
    host, port = listener.sockets[0].getsockname()[:2]
    said = f"listening on {host}:{port}\n" + (f"token: {token}\n" if token else "")
    sys.stderr.write(said)
    sys.stderr.flush()


async def _serve(
    server: Server, connect: Callable[[Inbox], Coroutine[None, None, None]], sink: Sink
) -> int:
    _on_signal(server.leave)
    return await server.serve(connect, sink, _end_at_last)


def _on_signal(react: Callable[[], None]) -> None:
    if sys.platform != "win32":
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, react)


def _take_streams() -> tuple[int, int]:
    """Keep stdin and stdout for frames alone; what prints goes to stderr, children get neither."""
    read_from, write_to = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return read_from, write_to


def _end_at_last(code: int) -> None:
    """A thread that does not end must not keep a process alive whose editor is gone."""
    timer = threading.Timer(EXIT_SECONDS, os._exit, [code])
    timer.daemon = True
    timer.start()
