"""The server: one client, one application, and the order in which they begin and end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from glossator import __version__
from glossator.core import generated_code
from glossator.core.errors import UsageError
from glossator.core.frames import MAX_BODY_BYTES, MalformedFrame, read_frame
from glossator.lsp.client import Client
from glossator.lsp.lifecycle import ServerPhase, parent_gone
from glossator.lsp.messages import make_converter
from glossator.lsp.port import ClientPort
from glossator.lsp.progress import ProgressBars
from glossator.lsp.protocol import Protocol, Requests, first_leaf
from glossator.workspace import Closed

if TYPE_CHECKING:
    from pygls.server import ServerErrors

    from glossator.application import Application
    from glossator.lsp.service import Service

_log = logging.getLogger(__name__)

DRAIN_SECONDS = 1.0  # for cancelled requests to end
_SCAN_SECONDS = 20  # for which the collector stays off at most


class Server(LanguageServer):
    """What every handler is given: the client, the application and the protocol between them.

    `client` and `port` exist after `initialize`, `service` and `application` once it is running.
    `load` imports the service, in a thread, when it is needed.
    """

    protocol: Protocol
    client: Client
    port: ClientPort
    service: Service
    application: Application
    _exit_code: asyncio.Future[int]

    def __init__(self, load: Callable[[], Service]) -> None:
        super().__init__(
            "glossator", __version__, protocol_cls=Protocol, converter_factory=make_converter
        )
        self.bars = ProgressBars(self.protocol)
        self.shown_reports: set[str] = set()  # URIs of documents of ours that the client asked for
        self.client_ready = False  # `initialized` was received: the client may be asked for things
        self.unread: set[str] = set()  # URIs of open documents whose text was too large to read
        self.when_running: list[Callable[[Server], None]] = []  # what features do then
        self.protocol.on_unread = self._leave_unread
        self.protocol.on_lost = self._lost
        self._load = load
        self._tasks: set[asyncio.Task[None]] = set()
        self._lifetimes = contextlib.AsyncExitStack()
        self._starting: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None

    async def serve(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        first: bytes | None = None,
        leaving: Callable[[int], None] = lambda _code: None,
    ) -> int:
        """Talk to one client until it leaves; gives the process's exit code.

        `first` is the body of a message that was read already. `leaving` gets the exit code before
        the remaining work is ended.
        """
        loop = asyncio.get_running_loop()
        self._exit_code = loop.create_future()
        self.protocol.set_writer(writer)
        client_log = ClientLog(self.protocol, loop)
        logging.getLogger().addHandler(client_log)
        self.in_background(self._listen(reader, first), lambda _: self.leave(1))
        self.in_background(self._notice_closed(writer), lambda _: self.leave(1))
        code = await self._exit_code
        leaving(code)
        logging.getLogger().removeHandler(client_log)
        try:
            await self.close()
            await self.protocol.settle(DRAIN_SECONDS)
        finally:
            writer.close()
            with contextlib.suppress(OSError):  # the client has gone
                await writer.wait_closed()
        return code

    def introduce(self, client: Client) -> None:
        """Make the application, once the client's introduction is answered."""
        self.client = client
        self.port = ClientPort(
            self.protocol, client, self.bars, lambda path: self.application.trees.at(path).host
        )
        self.protocol.lifecycle.phase = ServerPhase.STARTING
        self._starting = self.in_background(self._start(), self._cannot_start)
        self.in_background(self._watch(client.process_id), lambda _: None)

    async def close(self) -> None:
        """End all work: requests are cancelled and answered, then the application closes."""
        if self._closing is None:
            self.protocol.lifecycle.stop()
            self._closing = asyncio.create_task(self._close(_current()))
        await asyncio.shield(self._closing)

    def leave(self, code: int | None = None) -> None:
        """End the process, by default with 0 after `shutdown` and 1 without it."""
        if not self._exit_code.done():
            stopping = self.protocol.lifecycle.phase is ServerPhase.STOPPING
            self._exit_code.set_result(code if code is not None else int(not stopping))

    def tell(self, message: str) -> None:
        """Show the user an error."""
        _log.error("%s", message)
        self.window_show_message(
            types.ShowMessageParams(type=types.MessageType.Error, message=message)
        )

    def in_background(
        self, work: Coroutine[None, None, None], failed: Callable[[str], None]
    ) -> asyncio.Task[None]:
        """Run `work` in a task of the server's; `failed` gets the reason if it fails."""

        def ended(task: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            if not task.cancelled() and (failure := task.exception()) is not None:
                _log.error("a task of the server failed", exc_info=failure)
                failed(str(first_leaf(failure)))

        task = asyncio.create_task(work)
        task.add_done_callback(ended)
        self._tasks.add(task)  # the event loop alone would let it be collected
        return task

    def report_server_error(self, error: Exception, source: ServerErrors) -> None:
        """Log what pygls could not deal with; the others are answers to requests."""
        if not isinstance(error, JsonRpcException):
            _log.error("%s: %s", source.__name__, error, exc_info=error)

    async def _start(self) -> None:
        try:
            await self._begin()
        finally:
            gc.enable()  # off since the process began
            generated_code.end()

    async def _begin(self) -> None:
        self.service = await asyncio.to_thread(self._load)
        environment = dict(os.environ)
        settings, problems = self.service.valid_settings(self.client.settings, environment)
        for problem in problems:
            self.tell(problem)
        self.application = self.service.application(
            self.client.roots,
            settings,
            self.port,
            self.client.encoding,
            environment,
            tuple(problems),
            self.client.trusted,
            self.client.encodings,
        )
        self._lifetimes.push_async_callback(self.application.close)
        await self.application.start()
        await self.protocol.lifecycle.open()
        for feature in self.when_running:
            feature(self)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_SCAN_SECONDS):
                await self.application.scanned()
        gc.freeze()  # what the start and the scan made stays: collections need not look at it

    async def _listen(self, reader: asyncio.StreamReader, first: bytes | None) -> None:
        """Act on each message, until the client sends nothing any more, or nothing readable."""
        try:
            body = first if first is not None else await read_frame(reader)
            while body is not None:
                self.protocol.receive(body)
                await asyncio.sleep(0)  # a request sees the state at its place in the order
                body = await read_frame(reader)
        except MalformedFrame as error:
            _log.error("The client's messages cannot be read any further: %s.", error)
            self.leave(1)
        except OSError as error:
            self._lost(str(error))
        self.leave()

    async def _notice_closed(self, writer: asyncio.StreamWriter) -> None:
        try:
            await writer.wait_closed()
        except OSError:
            self._lost("the client no longer reads")
        self.leave()

    async def _watch(self, process_id: int | None) -> None:
        await parent_gone(process_id)
        self.leave()

    async def _close(self, spare: Requests) -> None:
        await self.protocol.drain(DRAIN_SECONDS, spare=spare)
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait({self._starting})
        await self._lifetimes.aclose()

    def _lost(self, reason: str) -> None:
        if not self._exit_code.done():
            _log.warning("The connection is lost: %s.", reason)
            self.leave()

    def _leave_unread(self, uri: str, size: int) -> None:
        """Use the file on disk for an open document whose text is too large."""
        if uri in self.unread:
            return
        self.unread.add(uri)
        if self.protocol.lifecycle.phase is ServerPhase.RUNNING:
            with contextlib.suppress(UsageError):  # it was not open
                self.application.trees.apply(Closed(uri))
        name = unquote(uri).rpartition("/")[2]
        self.tell(
            f"{name} is too large to be taken from the editor: the message has {size:,} bytes, and"
            f" may have {MAX_BODY_BYTES:,} at most. What is on disk counts instead, so that"
            " Glossator sees what you type there when you save it."
        )

    def _cannot_start(self, reason: str) -> None:
        message = f"Glossator could not start: {reason}"
        self.protocol.lifecycle.fail(message)
        self.tell(message)


class ClientLog(logging.Handler):
    """Sends records as `window/logMessage`, from any thread."""

    def __init__(self, protocol: Protocol, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(logging.WARNING)
        self._protocol = protocol
        self._loop = loop

    def emit(self, record: logging.LogRecord) -> None:
        """Queue the record's first line; the traceback stays in stderr."""
        grave = record.levelno >= logging.ERROR
        params = types.LogMessageParams(
            type=types.MessageType.Error if grave else types.MessageType.Warning,
            message=record.getMessage(),
        )
        with contextlib.suppress(RuntimeError):  # the loop is closed: there is no client any more
            self._loop.call_soon_threadsafe(self._protocol.notify, types.WINDOW_LOG_MESSAGE, params)


def _current() -> Requests:
    task = asyncio.current_task()
    return frozenset() if task is None else frozenset({task})
