"""A server that is a program: messages on its standard streams, one a line. Unix and Windows.

Unlike the SDK's own transport it bounds what it holds, keeps the end of what the program writes to
standard error for messages, gives it exactly one environment, and ends all that it started, also
when the program itself ended by itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from asyncio.subprocess import Process, SubprocessStreamProtocol
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

from glossator.core.shown import shown_text
from glossator.mcp.incoming import Trickle, shallow
from glossator.mcp.servers import Launch

_LINE_BYTES = 16_000_000  # of one message
_SKIPPED_BYTES = 1_000_000_000  # of one that is too long
_END_BYTES = 1_000  # bytes that are kept of each of its ends
_VERSION = rb'"jsonrpc"\s*:\s*"2\.0"\s*'
_ID = rb'"id"\s*:\s*(\d{1,18})\s*'
_ID_FIRST = re.compile(rb"\s*\{\s*(?:" + _VERSION + rb",\s*)?" + _ID + rb",")
_ID_LAST = re.compile(_ID + rb"(?:,\s*" + _VERSION + rb")?\}\s*\Z")
_PROGRESS = re.compile(
    rb"\s*\{\s*(?:" + _VERSION + rb",\s*)?" + rb'"method"\s*:\s*"notifications/progress"\s*[,}]'
)
_NOISE_BYTES = 1_000_000  # of lines that are no messages, since the last one that was
_TOLD_BYTES = 2_000  # of standard error
_CHUNK = 65_536
_GRACE_SECONDS = 2.0  # seconds between closing its input, asking it to end, and ending it

_Streams = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]


@dataclass(slots=True)
class Ending:
    """How a connection ends: `gone` is set when nothing more comes; `why` is for people.

    `hint` is the last unusable answer of a server at an address; `needs_login`: it asks the user to
    log in.
    """

    gone: asyncio.Event = field(default_factory=asyncio.Event)
    why: str = ""
    hint: str = ""
    needs_login: bool = False
    told: bytes = b""  # the end of standard error

    def end(self, why: str) -> None:
        """Note the end. Only the first reason counts; "" means that we ended it."""
        if not self.gone.is_set():
            self.why = why
            self.gone.set()

    @property
    def last_words(self) -> str:
        """The end of what it wrote to standard error, as it can be shown."""
        return shown_text(self.told.decode("utf-8", "replace")).strip()


class _Protocol(SubprocessStreamProtocol):
    """Notices when the program ends, although its children may hold its pipes open for longer."""

    def __init__(self, limit: int, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit, loop)
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        """Called by the event loop."""
        self.exited.set()
        super().process_exited()


@asynccontextmanager
async def program(launch: Launch, ending: Ending) -> AsyncIterator[_Streams]:
    """The streams of a program that is started, and ended with the block. Raises `OSError`."""
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.subprocess_exec(
        lambda: _Protocol(_CHUNK, loop),
        *launch.command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=launch.cwd,
        env=dict(launch.environment),
        start_new_session=True,
    )
    process = Process(transport, protocol, loop)
    arrived, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, sent = anyio.create_memory_object_stream[SessionMessage](0)
    tasks = [
        asyncio.create_task(_listen(process, protocol.exited, arrived, ending)),
        asyncio.create_task(_speak(process, sent, ending)),
        asyncio.create_task(_keep_errors(process, ending)),
    ]
    try:
        yield read, write
    finally:
        ending.end("")
        await asyncio.shield(asyncio.ensure_future(_stop(process, protocol.exited)))
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for stream in (arrived, read, write, sent):
            stream.close()
        transport.close()


async def _listen(
    process: Process,
    exited: asyncio.Event,
    arrived: MemoryObjectSendStream[SessionMessage | Exception],
    ending: Ending,
) -> None:
    """Pass on messages until the program closes its output or writes too much."""
    assert process.stdout is not None  # noqa: S101 - as asked for
    line, noise, progress = _Line(), 0, Trickle()
    try:
        while chunk := await process.stdout.read(_CHUNK):
            *ended, rest = chunk.split(b"\n")
            for part in ended:
                if not line.size and _PROGRESS.match(part) and not progress.passes():
                    continue  # unread: a flood of it would delay what comes after
                line.add(part)
                message, line = line.message(), _Line()
                if message is None:
                    noise += len(part) + 1
                else:
                    noise = 0
                    await arrived.send(message)
            line.add(rest)
            if line.size > (_SKIPPED_BYTES if line.may_answer else _LINE_BYTES):
                ending.end(f"it sent a message of more than {_LINE_BYTES:,} bytes")
                return
            if noise > _NOISE_BYTES:
                ending.end("it writes to its standard output what is no message of the protocol")
                return
        with suppress(TimeoutError):
            await asyncio.wait_for(exited.wait(), _GRACE_SECONDS)
        code = process.returncode
        ending.end("it closed its output" if code is None else f"it ended with exit code {code}")
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        ending.end("the connection was closed")
    finally:
        arrived.close()


@dataclass(slots=True)
class _Line:
    """A line as it arrives; only both ends of a line that is too long are kept."""

    size: int = 0
    _kept: bytearray = field(default_factory=bytearray)

    def add(self, part: bytes) -> None:
        """Add a piece."""
        self.size += len(part)
        self._kept += part
        if self.size > _LINE_BYTES:
            del self._kept[_END_BYTES:-_END_BYTES]

    @property
    def may_answer(self) -> bool:
        """Whether the beginning of the line looks like the answer to a call."""
        return self._kept.lstrip().startswith(b"{") and b'"method"' not in self._kept[:_END_BYTES]

    def message(self) -> SessionMessage | None:
        """The message on it; for an answer that is too long, an error in its place."""
        if self.size <= _LINE_BYTES:
            return _message(bytes(self._kept))
        asked = _ID_FIRST.match(self._kept) or _ID_LAST.search(self._kept, _END_BYTES)
        if asked is None or not self.may_answer:
            return None
        why = (
            f"its answer has {self.size:,} bytes, of which at most {_LINE_BYTES:,} are taken;"
            " ask for less"
        )
        error = ErrorData(code=INTERNAL_ERROR, message=why)
        return SessionMessage(JSONRPCError(jsonrpc="2.0", id=int(asked[1]), error=error))


def _message(line: bytes) -> SessionMessage | None:
    """The message on a line; None for any other text, such as a forgotten print."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        try:
            read = json.loads(line)
        except RecursionError:
            read = json.loads(shallow(line))
        return SessionMessage(jsonrpc_message_adapter.validate_python(read, by_name=False))
    except ValueError:
        return None


async def _speak(
    process: Process,
    sent: MemoryObjectReceiveStream[SessionMessage],
    ending: Ending,
) -> None:
    assert process.stdin is not None  # noqa: S101 - as asked for
    try:
        async for each in sent:
            text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
            process.stdin.write(text.encode() + b"\n")
            await process.stdin.drain()
    except (OSError, anyio.ClosedResourceError):
        ending.end("it closed its input")


async def _keep_errors(process: Process, ending: Ending) -> None:
    assert process.stderr is not None  # noqa: S101 - as asked for
    while chunk := await process.stderr.read(_CHUNK):
        ending.told = (ending.told + chunk)[-_TOLD_BYTES:]


async def _stop(process: Process, exited: asyncio.Event) -> None:
    """Close the program's input, ask it to end, then kill it with all that it started."""
    if process.stdin is not None:
        process.stdin.close()
    for number in (None, signal.SIGTERM):
        if number is not None:
            _signal(process, number)
        with suppress(TimeoutError):
            await asyncio.wait_for(exited.wait(), _GRACE_SECONDS)
            break
    _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))  # what it left behind, too
    await exited.wait()


def _signal(process: Process, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.send_signal(number)
        else:
            os.killpg(process.pid, number)
