"""The connection to one running language server: pygls' client over a program's streams.

pygls' own loop takes a message of any size, and waits for ever for an answer that is malformed or
that a dead server owes; so frames are read here, and each request also ends with the server.
Results stay JSON: a server's odd fields must not cost the rest of its answer.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import InvalidStateError
from functools import partial
from itertools import count
from typing import Any

import cattrs
from lsprotocol.types import ResponseError, ResponseErrorMessage
from pygls.client import JsonRPCClient
from pygls.exceptions import JsonRpcException
from pygls.protocol import JsonRPCProtocol
from pygls.protocol.json_rpc import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
)

from glossator.core.frames import MAX_BODY_BYTES, MalformedFrame, read_frame
from glossator.core.shown import shown
from glossator.core.tool_result import shorten
from glossator.sandbox import ServedProgram

_MAX_UNREAD_BYTES = 128_000_000  # that a server lets wait
_MAX_WORDS = 200  # characters of what a server says
_CANCEL = "$/cancelRequest"  # we answer at once, and pygls takes it for one with types
_MODIFIED = frozenset({-32801, -32802})  # it changed its mind: ask again
_AGAIN_SECONDS = 0.1
_INTERNAL = -32603

logging.getLogger("pygls").setLevel(logging.CRITICAL)  # what a server does wrong is told here

Handler = Callable[[Any], object]  # takes the parameters, gives the result


class Refused(Exception):
    """The server answered a request with an error; the message is its own, short and on a line."""

    def __init__(self, message: object) -> None:
        super().__init__(shown(shorten(str(message), _MAX_WORDS)))


class Unanswered(Exception):
    """There was no answer; the message is part of a sentence: "gopls ended (exit code 2)"."""


class _Protocol(JsonRPCProtocol):
    """Messages as they are: without types, which no server keeps to in all."""

    def structure_message(self, data: dict[str, Any]) -> Any:  # noqa: ANN401 - as of pygls
        """A message of pygls for a JSON object. Raises `ValueError` for any other."""
        if "method" not in data:
            self._result_types.pop(data.get("id", ""), None)
        match data:
            case {"id": (str() | int()) as number, "method": str() as method}:
                return JsonRPCRequestMessage(number, method, "2.0", data.get("params"))
            case {"method": str() as method}:
                return JsonRPCNotification(method, "2.0", data.get("params"))
            case {"id": (str() | int()) as number, "error": {} as error}:
                code, said = error.get("code"), str(error.get("message", ""))
                known = code if type(code) is int else _INTERNAL
                return ResponseErrorMessage(error=ResponseError(known, said), id=number)
            case {"id": (str() | int()) as number}:
                return JsonRPCResponseMessage(number, "2.0", data.get("result"))
        raise ValueError("it is no message of JSON-RPC")


class Connection:
    """Requests to a server, and what it asks and tells.

    `name` is the server's, `gone` is done once it is gone, with the reason: "gopls was ended".
    `handlers` answer its requests and hear its notifications, by method.
    """

    def __init__(self, name: str, program: ServedProgram, handlers: Mapping[str, Handler]) -> None:
        self.name = name
        self.program = program
        self.gone: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._numbers = count(1)
        self._client = JsonRPCClient(_Protocol, cattrs.Converter)
        self._client.protocol.set_writer(program)
        for method, handler in handlers.items():
            self._client.feature(method)(partial(handler))  # pygls marks what it is given
        self._listening = asyncio.create_task(self._listen())

    async def request(self, method: str, params: object, seconds: float) -> Any:  # noqa: ANN401 - JSON
        """The result. Raises `Refused` and `Unanswered`."""
        deadline = asyncio.get_running_loop().time() + seconds
        while True:
            left = deadline - asyncio.get_running_loop().time()
            try:
                return await self._once(method, params, left)
            except JsonRpcException as error:
                if error.code not in _MODIFIED or left < _AGAIN_SECONDS:
                    raise Refused(error.message) from error
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _once(self, method: str, params: object, left: float) -> Any:  # noqa: ANN401 - JSON
        if self.gone.done():
            raise Unanswered(self.gone.result())
        protocol = self._client.protocol
        number = f"glossator-{next(self._numbers)}"  # pygls mistakes a server's own number for ours
        answer = asyncio.ensure_future(protocol.send_request_async(method, params, number))
        try:
            await first_of(answer, self.gone, seconds=left)
            if answer.done():
                return answer.result()
        finally:
            if not answer.done():
                answer.cancel()
                self.notify(_CANCEL, {"id": number})
        late = f"{self.name} did not answer in time"
        raise Unanswered(self.gone.result() if self.gone.done() else late)

    def notify(self, method: str, params: object) -> None:
        """Tell the server something."""
        if self.program.unread > _MAX_UNREAD_BYTES:
            self._end("no longer reads what it is sent")
        if not self.gone.done():
            self._client.protocol.notify(method, params)

    async def close(self) -> None:
        """End the server, with all that it started."""
        self._end("was ended")
        await self.program.stop()
        self._listening.cancel()
        await asyncio.wait({self._listening})

    async def _listen(self) -> None:
        try:
            loop = asyncio.get_running_loop()
            while isinstance(body := await read_frame(self.program.reader), bytes):
                loop.call_soon(self._take, body)  # what fails there is logged, and ends no reading
                await asyncio.sleep(0)  # a flood of messages holds up nobody
            if body is not None:
                self._end(f"sent a message of more than {MAX_BODY_BYTES:,} bytes")
        except MalformedFrame as error:
            self._end(f"broke the protocol: {error}")
        except OSError as error:
            self._end(f"cannot be read any more: {error}")
        finally:
            if not self.gone.done():
                await self._await_exit()

    def _take(self, body: bytes) -> None:
        """Handle one message; one that is malformed is left out."""
        try:
            message = json.loads(body)
            if isinstance(message, dict) and message.get("method") != _CANCEL:
                protocol = self._client.protocol
                protocol.handle_message(protocol.structure_message(message))
        except (ValueError, RecursionError, InvalidStateError):
            return  # no JSON, too deep, or an answer that nobody waits for any more

    async def _await_exit(self) -> None:
        """Its output ended: with the program, or before."""
        await self.program.stop()
        assert self.program.exit is not None  # noqa: S101 - it was stopped
        ended = self.program.exit
        how = ended.signal or f"exit code {ended.code}"
        lines = self.program.last_words.split("\n")
        errors = [line for line in lines if "rror" in line]  # Node ends with its version
        words = (errors or lines)[-1].strip(" .")[:_MAX_WORDS]
        self._end(f"ended ({how})" + (f": {words}" if words else ""))

    def _end(self, why: str) -> None:
        if not self.gone.done():
            self.gone.set_result(f"{self.name} {why}")


async def first_of(*awaited: asyncio.Future[Any], seconds: float | None = None) -> None:
    """Wait until one of them is done, or for so long; none is cancelled."""
    await asyncio.wait(awaited, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
