"""Byte streams over file descriptors that never block the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import select
import stat
import sys
import threading
from collections.abc import Callable

MAX_UNREAD_BYTES = 256 * 1024 * 1024  # a client that lets this much wait is gone
_CHUNK = 64 * 1024


async def read_from(descriptor: int, protocol: asyncio.Protocol) -> None:
    """Give `protocol` what comes: by the event loop where it can, else by a thread."""
    loop = asyncio.get_running_loop()
    if _may_be_waited_for(descriptor):
        pipe = os.fdopen(descriptor, "rb", buffering=0)
        await loop.connect_read_pipe(lambda: protocol, pipe)
    else:  # a file, a terminal or the null device cannot be waited for
        protocol.connection_made(_ThreadTransport(descriptor, protocol, loop))


def _may_be_waited_for(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


class ThreadSink:
    """Writes to a descriptor, in order: what it takes at once, and the rest from a thread.

    `broken` is called, from any thread, when the other end is gone or has stopped reading.
    """

    def __init__(self, descriptor: int, broken: Callable[[str], None]) -> None:
        self._descriptor = descriptor
        self._broken = broken
        self._queue: queue.SimpleQueue[bytes | Callable[[], object] | None] = queue.SimpleQueue()
        self._unread = 0
        self._lock = threading.Lock()
        self._direct = _may_be_waited_for(descriptor)
        if self._direct:
            os.set_blocking(descriptor, False)
        threading.Thread(target=self._run, name="lsp-writer", daemon=True).start()

    def write(self, data: bytes) -> None:
        """Queue bytes; once the other end is gone they are dropped."""
        with self._lock:
            if self._direct and not self._unread:
                data = self._write_at_once(data)
                if not data:
                    return
            self._unread += len(data)
            overflow = self._unread > MAX_UNREAD_BYTES
        if overflow:
            self._broken(f"the client left {MAX_UNREAD_BYTES} bytes unread")
        else:
            self._queue.put(data)

    async def flush(self) -> None:
        """Wait until everything queued so far was handed to the other end."""
        loop = asyncio.get_running_loop()
        done = asyncio.Event()
        self._queue.put(lambda: loop.call_soon_threadsafe(done.set))
        await done.wait()

    async def close(self) -> None:
        """Write what is queued and end the thread."""
        await self.flush()
        self._queue.put(None)

    def _run(self) -> None:
        alive = True
        while (item := self._queue.get()) is not None:
            if not isinstance(item, bytes):
                item()
            elif alive:
                alive = self._write(item)
                with self._lock:
                    self._unread -= len(item)

    def _write_at_once(self, data: bytes) -> bytes:
        """Returns what is left; what keeps it from being written, the thread deals with."""
        try:
            return data[os.write(self._descriptor, data) :]
        except OSError:
            return data

    def _write(self, data: bytes) -> bool:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._descriptor, view) :]
            except BlockingIOError:  # also where the client shares the descriptor and made it so
                select.select([], [self._descriptor], [])
            except OSError as error:
                self._broken(f"the client no longer reads ({error.strerror})")
                return False
        return True


class SocketSink:
    """Writes to a connection through the event loop's own buffer."""

    def __init__(self, writer: asyncio.StreamWriter, broken: Callable[[str], None]) -> None:
        self._writer = writer
        self._broken = broken

    def write(self, data: bytes) -> None:
        """Queue bytes; once the other end is gone they are dropped."""
        if self._writer.transport.get_write_buffer_size() > MAX_UNREAD_BYTES:
            self._broken(f"the client left {MAX_UNREAD_BYTES} bytes unread")
        else:
            self._writer.write(data)

    async def flush(self) -> None:
        """Wait until little is left to be sent."""
        with contextlib.suppress(OSError):  # the other end is gone; nothing is left to be sent
            await self._writer.drain()

    async def close(self) -> None:
        """Send what is queued and close the connection."""
        with contextlib.suppress(OSError):
            self._writer.close()
            await self._writer.wait_closed()


class _ThreadTransport(asyncio.ReadTransport):
    """Feeds a protocol from a thread, and stops reading while that is full."""

    def __init__(
        self,
        descriptor: int,
        protocol: asyncio.Protocol,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._protocol = protocol
        self._loop = loop
        self._may_read = threading.Event()
        self._may_read.set()
        threading.Thread(target=self._run, name="lsp-reader", daemon=True).start()

    def pause_reading(self) -> None:
        """Called by the protocol when it holds enough."""
        self._may_read.clear()

    def resume_reading(self) -> None:
        """Called by the protocol when it wants more."""
        self._may_read.set()

    def _run(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody reads any more
            while chunk := self._read():
                fed = threading.Event()
                self._loop.call_soon_threadsafe(self._feed, chunk, fed)
                fed.wait()
                self._may_read.wait()
            self._loop.call_soon_threadsafe(self._protocol.eof_received)

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, _CHUNK)
        except OSError:  # the other end is gone, as at an end of file
            return b""

    def _feed(self, chunk: bytes, fed: threading.Event) -> None:
        self._protocol.data_received(chunk)
        fed.set()
