"""The language server as a child process, and JSON-RPC 2.0 with it: one request is waited for.

The stream is read while an answer is waited for (docs/decisions/0007), so notifications are handled
in the order they were sent, and an error in handling one reaches who waits. Several may wait: for
an answer, and for those to requests beside it. pygls has a client, too, but takes longer to import
than a command may take to start.
Sources: JSON-RPC 2.0; LSP 3.17, "Base Protocol".
"""

from __future__ import annotations

import asyncio
import codecs
import json
import sys
from asyncio import FIRST_COMPLETED
from collections.abc import Awaitable, Callable
from subprocess import Popen
from typing import IO, Protocol

from glossator.core.errors import GlossatorError
from glossator.core.wire import Json

REQUEST_CANCELLED = -32800

Message = dict[str, Json]
Notified = Callable[[str, Json], None]  # method, params
Asked = Callable[[str, Json], Awaitable[Json]]  # the same; raises `ResponseError` to refuse

_LOG_BYTES = 16_384  # of the log's end that are kept
_LOG_LINES = 12  # of it that are shown
_LAST_SECONDS = 1  # for a server that closed its output to end
_LOG_SECONDS = 0.2  # for the log's end to arrive, after the server's


class ServerLost(GlossatorError):
    """The server ended, or said something that is not LSP, before it answered."""


class ResponseError(GlossatorError):
    """The server's error answer; `code` is JSON-RPC's or LSP's."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class ServerProcess:
    """A running server. Its log (stderr) is kept, and copied to ours when `verbose`."""

    def __init__(
        self,
        process: Popen[bytes],
        stdin: asyncio.WriteTransport,
        stdout: asyncio.StreamReader,
        stderr: asyncio.StreamReader,
        *,
        verbose: bool,
    ) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self._verbose = verbose
        self._process = process
        self._log = bytearray()
        self._logging = asyncio.create_task(self._keep_log(stderr))

    @staticmethod
    async def attach(process: Popen[bytes], *, verbose: bool) -> ServerProcess:
        """Take over a process that speaks LSP over its standard streams, all of them pipes."""
        loop = asyncio.get_running_loop()
        stdin, _ = await loop.connect_write_pipe(asyncio.Protocol, process.stdin)
        stdout, stderr = await _reader(process.stdout), await _reader(process.stderr)
        return ServerProcess(process, stdin, stdout, stderr, verbose=verbose)

    def kill(self) -> None:
        """Kill the process."""
        self._process.kill()

    async def ended(self) -> int:
        """Its exit code, once it has ended and its log is complete."""
        code = await asyncio.to_thread(self._process.wait)
        # a child of the server may still hold the log open; it is not waited for
        await asyncio.wait({self._logging}, timeout=_LOG_SECONDS)
        self._logging.cancel()
        return code

    async def obituary(self) -> str:
        """How it ended and the last lines of its log; it is killed if it has not ended."""
        try:
            code = await asyncio.wait_for(self.ended(), _LAST_SECONDS)
            how = f"It ended with {f'signal {-code}' if code < 0 else f'exit code {code}'}."
        except TimeoutError:
            self.kill()
            await self.ended()
            how = "It was ended."
        lines = self._log.decode("utf-8", "replace").splitlines()[-_LOG_LINES:]
        return "\n".join(
            [f"{how} Its log's last lines:" if lines else how, *(f"  {line}" for line in lines)]
        )

    async def release(self) -> None:
        """Let go of the pipes of a process that has ended."""
        self._logging.cancel()
        self.stdin.close()

    async def _keep_log(self, stderr: asyncio.StreamReader) -> None:
        text = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        while chunk := await stderr.read(_LOG_BYTES):
            self._log += chunk
            del self._log[:-_LOG_BYTES]
            if self._verbose:  # a chat has its line below what is written to `sys.stderr`
                print(text.decode(chunk), end="", file=sys.stderr, flush=True)


class Sink(Protocol):
    """Where frames go: the part of `asyncio.StreamWriter` that is used."""

    def write(self, data: bytes, /) -> None:
        """Send `data` as soon as the pipe takes it; never blocks."""


class ServerConnection:
    """One side of a conversation with a server.

    `notified` gets every notification; `asked` answers the server's requests, while the client
    keeps reading.
    """

    def __init__(
        self, reader: asyncio.StreamReader, sink: Sink, notified: Notified, asked: Asked
    ) -> None:
        self._reader = reader
        self._sink = sink
        self._notified = notified
        self._asked = asked
        self._answering: dict[Json, asyncio.Task[None]] = {}  # by the request's id
        self._posted: dict[Json, asyncio.Future[Json]] = {}  # by the request's id
        self._reading: asyncio.Task[None] | None = None
        self._last_id = 0
        self._main_id = 0  # of the request that `cancel` ends
        self._stays = False
        self.waits = False  # for the answer to a request

    async def request(self, method: str, params: Json = None) -> Json:
        """The server's result. Raises `ResponseError` and `ServerLost`."""
        answer = self.post(method, params)
        self._main_id = self._last_id
        return await self.hear(answer)

    def post(self, method: str, params: Json = None) -> asyncio.Future[Json]:
        """Send a request; its answer is there once it is heard, whoever waits meanwhile."""
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        answer = asyncio.get_running_loop().create_future()
        self._posted[self._last_id] = answer
        return answer

    async def hear(self, answer: asyncio.Future[Json]) -> Json:
        """Wait for the answer, as for that of a command. Raises as `request`."""
        self.waits = True
        try:
            return await self.hear_beside(answer)
        finally:
            self.waits = False

    async def hear_beside(self, answer: asyncio.Future[Json]) -> Json:
        """Wait for the answer, whether or not another one is waited for. Raises as `request`."""
        try:
            while not answer.done():
                await asyncio.wait({answer, self._listening()}, return_when=FIRST_COMPLETED)
            return answer.result()
        finally:
            answer.cancel()  # nobody waits for it any more; does nothing if it is there

    def stay(self, *, on: bool) -> None:
        """Hear what the server says while nothing is asked, too, or no more."""
        self._stays = on
        if on:
            self._listening()

    def _listening(self) -> asyncio.Task[None]:
        """The task that reads; what ended it early is raised once."""
        if self._reading is not None and self._reading.done():
            ended, self._reading = self._reading, None
            ended.result()
        if self._reading is None:
            self._reading = asyncio.create_task(self._read())
            # what ended it is raised to who asks next; perhaps nobody does
            self._reading.add_done_callback(lambda task: task.cancelled() or task.exception())
        return self._reading

    async def _read(self) -> None:
        while self._stays or not all(answer.done() for answer in self._posted.values()):
            self._handle(await self._receive())

    def notify(self, method: str, params: Json = None) -> None:
        """Tell the server something; there is no answer."""
        self._send({"method": method, "params": params})

    def cancel(self) -> None:
        """Ask the server to end the request that is being waited for; it still answers."""
        self.notify("$/cancelRequest", {"id": self._main_id})

    def _handle(self, message: Message) -> None:
        method = message.get("method")
        if method is None:
            _settle(self._posted.pop(message.get("id"), None), message)
            return
        if "id" in message:
            task = asyncio.create_task(self._answer(message))
            self._answering[message["id"]] = task
            task.add_done_callback(lambda _: self._answering.pop(message["id"], None))
        elif method == "$/cancelRequest":
            if question := self._answering.get(message["params"]["id"]):
                question.cancel()
        else:
            self._notified(method, message.get("params"))

    async def _answer(self, message: Message) -> None:
        try:
            answer: Message = {
                "result": await self._asked(message["method"], message.get("params"))
            }
        except ResponseError as error:
            answer = {"error": {"code": error.code, "message": str(error)}}
        except asyncio.CancelledError:
            answer = {"error": {"code": REQUEST_CANCELLED, "message": "It was cancelled."}}
        self._send({"id": message["id"], **answer})

    def _send(self, message: Message) -> None:
        if "params" in message and message["params"] is None:
            del message["params"]  # JSON-RPC has no null params
        self._sink.write(to_frame({"jsonrpc": "2.0", **message}))

    async def _receive(self) -> Message:
        try:
            message = await read_frame(self._reader)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise ServerLost("The server left before it answered.") from error
        except (ValueError, asyncio.LimitOverrunError) as error:
            raise ServerLost(f"The server said something that is not LSP ({error}).") from error
        return message


def to_frame(message: Message) -> bytes:
    """`message` as it goes over the wire. Lone surrogates travel as escapes, so it is ASCII."""
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


async def read_frame(reader: asyncio.StreamReader) -> Message:
    """The next message.

    Raises `ValueError` for what is not one, `IncompleteReadError` at the end of the stream.
    """
    header = await reader.readuntil(b"\r\n\r\n")
    length = None
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    if length is None or length < 0:
        raise ValueError(f"a frame without its length: {header[:80]!r}")
    message = json.loads(await reader.readexactly(length))
    if not isinstance(message, dict):
        raise ValueError(f"a message that is no object: {str(message)[:80]}")  # noqa: TRY004 - what was sent is wrong, not how we were called
    return message


def _settle(answer: asyncio.Future[Json] | None, message: Message) -> None:
    """Give the answer to who waits for it, if anybody still does."""
    if answer is None or answer.done():
        return
    error = message.get("error")
    if error is None:
        answer.set_result(message.get("result"))
        return
    why = error.get("message", "no message")
    answer.set_exception(ResponseError(error.get("code", 0), why))


async def _reader(pipe: IO[bytes] | None) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    return reader
