"""The two ways in: the process's own streams, or one TCP connection of this machine."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import secrets
import signal
import socket
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from glossator.core.errors import UsageError
from glossator.lsp.admission import Admission, kept_in

if TYPE_CHECKING:
    from glossator.lsp.server import Server

EXIT_SECONDS = 1.8  # from the client's leaving; then the process ends whatever still runs

_TOKEN_BYTES = 32  # of chance
_CHUNK = 64 * 1024


async def serve_stdio(server: Server) -> int:
    """Serve the process that started us; gives the exit code."""
    reader, writer, written = await open_streams(*_take_streams())
    _on_signal(server.leave)
    code = await server.serve(reader, writer, leaving=_end_at_last)
    await asyncio.to_thread(written)
    return code


async def serve_tcp(server: Server, address: tuple[str, int], token_file: Path | None) -> int:
    """Serve the first client that knows the token; the bound address is printed to stderr.

    So is the token, unless it is written to a file. Raises `UsageError` for an address or a file
    that cannot be used.
    """
    gc.enable()  # it may take long until the client comes
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
            reader, writer, first = await admission.admitted()
        except asyncio.CancelledError:
            return 1  # a signal came first
        finally:
            listener.close()

    _on_signal(server.leave)
    return await server.serve(reader, writer, first, _end_at_last)


async def open_streams(
    read_from: int, write_to: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Callable[[], object]]:
    """Both descriptors as streams; the function waits, in a thread, until all is written.

    The event loop waits for pipes and sockets itself. For files, terminals, the null device, one
    socket in both places (inetd), and everything on Windows, two threads copy to and from a socket.
    """
    if not (_is_waitable(read_from) and _is_waitable(write_to)) or _is_one(read_from, write_to):
        ours, writing = _copied(read_from, write_to)
        return *await asyncio.open_connection(sock=ours), writing.join
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read_from, "rb", buffering=0)
    )
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()),
        os.fdopen(write_to, "wb", buffering=0),
    )
    return reader, asyncio.StreamWriter(transport, protocol, None, loop), lambda: None


def _is_waitable(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


def _is_one(read_from: int, write_to: int) -> bool:
    """Whether both are one socket: asyncio would take what comes in for the writer's end."""
    return os.path.sameopenfile(read_from, write_to)


def _copied(read_from: int, write_to: int) -> tuple[socket.socket, threading.Thread]:
    """A socket that stands for both descriptors, and the thread that writes."""
    ours, theirs = socket.socketpair()

    def read() -> None:
        with contextlib.suppress(OSError):  # the other end is gone, as at an end of file
            while data := os.read(read_from, _CHUNK):
                theirs.sendall(data)
        with contextlib.suppress(OSError):
            theirs.shutdown(socket.SHUT_WR)

    def write() -> None:
        with contextlib.suppress(OSError), os.fdopen(write_to, "wb") as file:
            while data := theirs.recv(_CHUNK):
                file.write(data)
                file.flush()
        theirs.close()

    threading.Thread(target=read, name="lsp-reader", daemon=True).start()
    writing = threading.Thread(target=write, name="lsp-writer", daemon=True)
    writing.start()
    return ours, writing


def _announce(listener: asyncio.Server, token: str | None) -> None:
    host, port = listener.sockets[0].getsockname()[:2]
    said = f"listening on {host}:{port}\n" + (f"token: {token}\n" if token else "")
    sys.stderr.write(said)
    sys.stderr.flush()


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
