"""A running command: its output, its exit, and the end of everything that it started. Unix only.

Everything runs on the event loop, except waiting for the exit and taking the sandbox down, which
have a thread. A sandbox dies with the thread that started it: the event loop's.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, replace
from typing import Self

from glossator.sandbox.confinement import Confined
from glossator.sandbox.group import ProcessGroup
from glossator.sandbox.output import Exit, Output, OutputBuffer
from glossator.shell import FailedPart

_GRACE_SECONDS = 2.0  # seconds between asking a command to end and ending it
_CHUNK = 65_536  # bytes: what a pipe holds
_KEPT_OUTPUT_BYTES = 50_000  # bytes of output that are kept for people
_SHOWN_OUTPUT_BYTES = 4_000  # bytes that they see while a command runs
_SHOW_SECONDS = 0.4  # between two times
_LEFTOVER_BYTES = 64 * _CHUNK  # bytes read after the end; a process that escaped may go on writing


Show = Callable[[Output], None]  # shows people the end of an output


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that was waited for; `timed_out` if it was ended because its time was up.

    `notes` are lines for the model: what the command could not do, what was moved to quarantine.
    """

    exit: Exit
    output: Output
    timed_out: bool = False
    notes: tuple[str, ...] = ()


class Process:
    """A command in a session of its own, without input; `async with` ends all that it started."""

    def __init__(
        self,
        confined: AbstractContextManager[Confined],
        cwd: str,
        environment: Mapping[str, str],
    ) -> None:
        """Start what `confined` gives. Raises `OSError`, and what `confined` raises."""
        self.exit: Exit | None = None
        self._loop = asyncio.get_running_loop()
        self._gone = asyncio.Event()
        self._output = OutputBuffer()
        self._recent = OutputBuffer(0, _KEPT_OUTPUT_BYTES)
        self.received = 0  # bytes
        with ExitStack() as stack:
            command = stack.enter_context(confined)
            self._codes = command.codes
            self._failed: tuple[FailedPart, ...] = ()
            self._idle = command.idle
            if self._idle is not None:
                self._idle.begin(command.touched)
            self._popen = subprocess.Popen(  # noqa: S603 - what this class is for
                command.words,
                cwd=cwd,
                env=environment,
                stdin=subprocess.DEVNULL if command.input is None else command.input,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,  # one pipe keeps their order
                start_new_session=True,
                pass_fds=descriptors(command),
            )
            self._cleanup = stack.pop_all()
        self._group = ProcessGroup(self._popen, nested=command.nested)
        assert self._popen.stdout is not None  # noqa: S101 - as asked for
        self._pipe = self._popen.stdout.fileno()
        os.set_blocking(self._pipe, False)
        self._loop.add_reader(self._pipe, self._read)
        if self._idle is not None:
            self._idle.follow(self._popen.pid)
        threading.Thread(target=self._watch, name="shell exit", daemon=True).start()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def take(self) -> Output:
        """The output since the last time."""
        return self._output.take()

    def end_of_output(self, most: int = _KEPT_OUTPUT_BYTES) -> Output:
        """The last bytes of all output, whether it was taken or not."""
        return self._recent.end(most)

    async def wait(self) -> Exit:
        """How the command ended; what it left in the background is ended then."""
        await self._gone.wait()
        assert self.exit is not None  # noqa: S101 - set before the event
        return self.exit

    async def stop(self) -> None:
        """Ask everything to end, then end it; returns when the command is gone."""
        try:
            for number in (signal.SIGTERM, signal.SIGKILL):
                if self._gone.is_set():
                    return
                self._group.signal(number)
                with suppress(TimeoutError):
                    # in a cancelled task `asyncio.timeout` of Python 3.11.2 raises `CancelledError`
                    await asyncio.wait_for(self._gone.wait(), _GRACE_SECONDS)
        finally:
            self._group.kill()
        await self._gone.wait()

    def _read(self) -> bool:
        """Read what is in the pipe; whether there was anything."""
        try:
            data = os.read(self._pipe, _CHUNK)
        except BlockingIOError:
            return False
        if data:
            self._output.feed(data)
            self._recent.feed(data)
            self.received += len(data)
        else:
            self._loop.remove_reader(self._pipe)
        return bool(data)

    def _watch(self) -> None:
        """Wait for the exit, in a thread."""
        self._group.wait()
        if self._idle is not None:
            self._idle.end()
        if self._codes is not None:
            self._failed = self._codes.failed()
        self._cleanup.close()  # takes a while if the kernel is still taking a sandbox apart
        with suppress(RuntimeError):  # the loop was closed without us
            self._loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        read = 0
        while read < _LEFTOVER_BYTES and self._read():
            read += _CHUNK
        self._loop.remove_reader(self._pipe)
        self._popen.__exit__(None, None, None)
        ended = exit_of(self._popen.returncode)
        self.exit = replace(ended, failed=self._failed) if ended.code == 0 else ended
        self._gone.set()


async def run(
    confined: AbstractContextManager[Confined],
    cwd: str,
    environment: Mapping[str, str],
    seconds: float,
    show: Show | None = None,
) -> Finished:
    """Run a command to its end, or to the end of its time; see `Shell.run`. Raises `OSError`."""
    process = Process(confined, cwd, environment)
    timed_out = False
    async with process:
        try:
            async with asyncio.timeout(seconds):
                await (process.wait() if show is None else _shown(process, show))
        except TimeoutError:
            timed_out = True
    return Finished(await process.wait(), process.take(), timed_out)


async def _shown(process: Process, show: Show) -> None:
    """Wait for the end, and show new output now and then."""
    ended, shown = asyncio.ensure_future(process.wait()), 0
    try:
        while not (await asyncio.wait({ended}, timeout=_SHOW_SECONDS))[0]:
            if process.received > shown:
                shown = process.received
                show(process.end_of_output(_SHOWN_OUTPUT_BYTES))
    finally:
        ended.cancel()


def descriptors(command: Confined) -> tuple[int, ...]:
    """What a command inherits besides its standard streams."""
    codes = () if command.codes is None else (command.codes.descriptor,)
    given = () if command.given is None else (command.given,)
    return (*command.inherited, *codes, *given)


def exit_of(code: int) -> Exit:
    """A process's exit; 128 and a number is how a shell reports its last program's signal."""
    number = -code if code < 0 else code - 128
    if code >= 0 and number <= 0:
        return Exit(code)
    try:
        return Exit(None if code < 0 else code, signal.Signals(number).name)
    except ValueError:
        return Exit(code)
