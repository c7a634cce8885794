"""The two ways in: the process's own streams, or one TCP connection."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING

from glossator.lsp.frames import Sink
from glossator.lsp.inbox import Inbox, pump
from glossator.lsp.streams import SocketSink, ThreadSink, read_from

if TYPE_CHECKING:
    from glossator.lsp.server import Server

EXIT_SECONDS = 1.8  # from the client's leaving; then the process ends whatever still runs

_Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def serve_stdio(server: Server) -> int:
    """Serve the process that started us; gives the exit code."""
    ours, write_to = _take_streams()
    sink = ThreadSink(write_to, server.connection_lost)
    return await _serve(server, partial(read_from, ours), sink)


async def serve_tcp(server: Server, host: str, port: int) -> int:
    """Serve the first client that connects; the address is printed to stderr."""
    connected: asyncio.Future[_Connection] = asyncio.get_running_loop().create_future()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if connected.done():
            writer.close()
        else:
            connected.set_result((reader, writer))

    listener = await asyncio.start_server(accept, host, port)
    bound_host, bound_port = listener.sockets[0].getsockname()[:2]
    sys.stderr.write(f"listening on {bound_host}:{bound_port}\n")
    sys.stderr.flush()
    reader, writer = await connected
    listener.close()
    sink = SocketSink(writer, server.connection_lost)
    return await _serve(server, partial(pump, reader), sink)


async def _serve(
    server: Server, connect: Callable[[Inbox], Coroutine[None, None, None]], sink: Sink
) -> int:
    if sys.platform != "win32":
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, server.leave)
    return await server.serve(connect, sink, _end_at_last)


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
