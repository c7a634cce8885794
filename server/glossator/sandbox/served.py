"""A program that is spoken to over its standard streams for as long as it runs. Unix only.

The sandbox needs the standard input of what it runs for itself, so the program reads from another
descriptor, which a shell puts in its place.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import IO

from glossator.core.shown import shown_text
from glossator.sandbox.confinement import Confined
from glossator.sandbox.group import ProcessGroup
from glossator.sandbox.output import Exit
from glossator.sandbox.process import descriptors, exit_of

_READ_FROM = 'given=$1; shift; exec "$@" <"/dev/fd/$given"'
_GRACE_SECONDS = 1.0  # between closing its input, asking it to end, and ending it
_REST_SECONDS = 0.5  # that the end of standard error may take to arrive
_TOLD_BYTES = 4_000  # of standard error that are kept
_PAGE = os.sysconf("SC_PAGE_SIZE")

Confine = Callable[[tuple[str, ...]], AbstractContextManager[Confined]]


class ServedProgram:
    """A running program: what it writes, what to write to it, and its end with all it started."""

    def __init__(self, popen: subprocess.Popen[bytes], group: ProcessGroup) -> None:
        """For `start_served`."""
        self.reader = asyncio.StreamReader()
        self.exit: Exit | None = None
        self.gone = asyncio.Event()  # set once `exit` and the end of `told` are known
        self.told = b""  # the end of its standard error
        self.told_all = False  # it is closed
        self._popen = popen
        self._group = group
        self._pipes: list[asyncio.BaseTransport] = []
        self._writer: asyncio.WriteTransport

    async def _connect(self, given: IO[bytes]) -> None:
        loop = asyncio.get_running_loop()
        assert self._popen.stdout is not None and self._popen.stderr is not None  # noqa: S101, PT018 - as asked for
        self._writer, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, given)
        read, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(self.reader), self._popen.stdout
        )
        errors, _ = await loop.connect_read_pipe(lambda: _End(self), self._popen.stderr)
        self._pipes = [self._writer, read, errors]

    def write(self, data: bytes) -> None:
        """Send it to the program's standard input; what it does not read waits in memory."""
        if not self._writer.is_closing():
            self._writer.write(data)

    def close(self) -> None:
        """Close its standard input."""
        self._writer.close()

    @property
    def unread(self) -> int:
        """The bytes that were written and not taken."""
        return self._writer.get_write_buffer_size()

    @property
    def last_words(self) -> str:
        """The end of what it wrote to standard error, as it can be shown."""
        return shown_text(self.told.decode("utf-8", "replace")).strip()

    def memory(self) -> int | None:
        """The bytes that it and all that it started hold; None where the system does not say.

        Pages that processes share count for each. Source: proc_pid_statm(5).
        """
        try:
            return sum(map(_resident, _with_children(self._popen.pid)))
        except OSError:
            return None

    async def stop(self) -> None:
        """Close its input, ask it to end, then end it; returns when all is gone."""
        self.close()
        try:
            for number in (None, signal.SIGTERM):
                if number is not None:
                    self._group.signal(number)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.gone.wait(), _GRACE_SECONDS)
                    return
        finally:
            self._group.kill()
        await self.gone.wait()

    def _ended(self) -> None:
        """All is dead; what it said last may still be in the pipe."""
        asyncio.get_running_loop().call_later(_REST_SECONDS, self._close)
        self.exit = exit_of(self._popen.returncode)
        if self.told_all:
            self._close()

    def _told_all(self) -> None:
        self.told_all = True
        if self.exit is not None:
            self._close()

    def _close(self) -> None:
        for pipe in self._pipes:
            pipe.close()
        self.gone.set()


class _End(asyncio.Protocol):
    """Keeps the end of what a program writes to standard error."""

    def __init__(self, program: ServedProgram) -> None:
        self._program = program

    def data_received(self, data: bytes) -> None:
        """Called by the event loop."""
        self._program.told = (self._program.told + data)[-_TOLD_BYTES:]

    def connection_lost(self, _error: Exception | None) -> None:
        """Called by the event loop."""
        self._program._told_all()  # noqa: SLF001 - of this module


async def start_served(
    confine: Confine, words: Sequence[str], cwd: str, environment: Mapping[str, str]
) -> ServedProgram:
    """Start a program. Raises `OSError`, and what `confine` raises, which is entered in a thread.

    It ends with the event loop's thread, at the latest, if it is in a sandbox.
    """
    loop = asyncio.get_running_loop()
    with ExitStack() as stack:
        reading, writing = os.pipe()
        given = stack.enter_context(os.fdopen(writing, "wb", buffering=0))
        own = stack.enter_context(os.fdopen(reading, "rb", buffering=0))
        command = ("/bin/sh", "-c", _READ_FROM, "sh", str(reading), *words)
        kept = ExitStack()
        stack.push(kept)
        confined = await asyncio.to_thread(kept.enter_context, confine(command))
        popen = subprocess.Popen(  # noqa: S603, ASYNC220 - what this is for; a sandbox dies with this thread
            confined.words,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL if confined.input is None else confined.input,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=(*descriptors(confined), reading),
        )
        stack.pop_all()
    own.close()
    group = ProcessGroup(popen, nested=confined.nested)
    program = ServedProgram(popen, group)

    def watch() -> None:
        group.wait()
        kept.close()
        with suppress(RuntimeError):  # the loop was closed without us
            loop.call_soon_threadsafe(program._ended)  # noqa: SLF001 - of this module

    threading.Thread(target=watch, name="served exit", daemon=True).start()
    connected = False
    try:
        await program._connect(given)  # noqa: SLF001 - of this module
        connected = True
    finally:
        if not connected:
            group.kill()
    return program


def _with_children(process: int) -> Iterator[int]:
    yield process
    for task in os.listdir(f"/proc/{process}/task"):
        with suppress(OSError):  # it ended meanwhile
            children = Path(f"/proc/{process}/task/{task}/children").read_text("ascii").split()
            for child in map(int, children):
                yield from _with_children(child)


def _resident(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1]) * _PAGE
    except OSError:  # it ended meanwhile
        return 0
