"""The standard streams of a process that serves one client, as asyncio's; and its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import stat
import sys
import threading
from collections.abc import AsyncIterator, Callable

EXIT_SECONDS = 1.8  # from the client's leaving; then the process ends whatever still runs
LINE_BYTES = 64 * 1024

_CHUNK = 64 * 1024


async def open_streams(
    read_from: int, write_to: int, limit: int = LINE_BYTES
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Callable[[], object]]:
    """Both descriptors as streams; the function waits, in a thread, until all is written.

    `limit` is the longest line in bytes. The event loop waits for pipes and sockets itself. For
    files, terminals, the null device, one socket in both places (inetd), and everything on Windows,
    two threads copy to and from a socket.
    """
    if not (_is_waitable(read_from) and _is_waitable(write_to)) or _is_one(read_from, write_to):
        ours, writing = _copied(read_from, write_to)
        return *await asyncio.open_connection(sock=ours, limit=limit), writing.join
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=limit)
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
    """Whether both are one socket, whose input asyncio would take for the writer's end."""
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

    threading.Thread(target=read, name="stdin-reader", daemon=True).start()
    writing = threading.Thread(target=write, name="stdout-writer", daemon=True)
    writing.start()
    return ours, writing


def on_signal(react: Callable[[], None]) -> None:
    """React to being asked to end."""
    if sys.platform != "win32":
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, react)


def take_streams() -> tuple[int, int]:
    """Keep stdin and stdout for frames alone; what prints goes to stderr, children get neither."""
    read_from, write_to = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return read_from, write_to


@contextlib.asynccontextmanager
async def process_streams(
    limit: int,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """The streams of this process, until all is written; a signal ends what is read."""
    reader, writer, written = await open_streams(*take_streams(), limit)
    on_signal(reader.feed_eof)
    yield reader, writer
    writer.close()
    await asyncio.to_thread(written)


def end_at_last(code: int) -> None:
    """End the process even if a thread does not end and the editor is gone."""
    timer = threading.Timer(EXIT_SECONDS, os._exit, [code])
    timer.daemon = True
    timer.start()
