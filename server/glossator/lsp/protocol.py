"""Messages in and out: pygls' protocol with an order of life, and with requests that really stop.

What differs from pygls, and why:
- a handler of ours replaces the built-in one, so pygls' own `Workspace` is never made;
- cancelling a request cancels its task, which is awaited at shutdown;
- an answer leaves in the step of the event loop in which it is there, and waits for no other; a
  plain function that can answer does so in the step that read the request;
- our requests to the client are kept apart from the client's to us, whose ids may collide;
- whatever a handler raises becomes the right error in one place, `_send_handler_result`.
"""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import Future
from typing import Any, cast

import attrs
import cattrs
from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcRequestCancelled,
)
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
)
from pygls.protocol.json_rpc import MsgId

from glossator.lsp.errors import rpc_error
from glossator.lsp.frames import MAX_BODY_BYTES, Sink, TooLarge, frame
from glossator.lsp.gate import Gate
from glossator.lsp.later import Later
from glossator.lsp.messages import glance, message_id, parse, structure

_log = logging.getLogger(__name__)

Requests = frozenset[asyncio.Task[Any]]

_CARRY_TEXT = frozenset({types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE})
_NOTEBOOKS = "notebookDocument/"  # built into pygls on top of its Workspace


class Protocol(LanguageServerProtocol):
    """One connection. `receive` takes the bodies of frames; answers go to `sink`.

    `on_unread` is told the URI of a document whose text was too large, and the message's bytes.
    """

    sink: Sink

    def __init__(self, server: Any, converter: cattrs.Converter) -> None:  # noqa: ANN401 - pygls passes the server under construction
        super().__init__(server, converter)
        self.gate = Gate(self)
        self.on_unread: Callable[[str, int], None] = lambda _uri, _size: None
        self._asked: dict[MsgId, Future[Any]] = {}
        for method in [name for name in self.fm.builtin_features if name.startswith(_NOTEBOOKS)]:
            del self.fm.builtin_features[method]

    def receive(self, body: bytes | TooLarge) -> None:
        """Act on one message; what is wrong with it is answered or logged, never raised."""
        if isinstance(body, TooLarge):
            self._refuse_large(body)
            return
        try:
            data = parse(body)
        except JsonRpcException as error:
            self.answer_error(message_id(body), error)
            return
        if "method" not in data:
            self._handle_reply(data)
            return
        try:
            message = structure(self._converter, _with_params(data), _kind_of(data))
        except JsonRpcException as error:
            self._refuse(data.get("id"), error)
        else:
            self.gate.admit(message)

    def dispatch(self, message: Any) -> None:  # noqa: ANN401 - any of the LSP's message types
        """Run the handler of a request or notification."""
        try:
            self.handle_message(message)
        except Exception as failure:  # noqa: BLE001 - the boundary: no message may end the server
            self._refuse(getattr(message, "id", None), rpc_error(failure))

    def answer_error(self, msg_id: MsgId | None, error: JsonRpcException) -> None:
        """Answer a request with an error; without an id, tell of a message that had none."""
        failure = error.to_response_error()
        self._send_data(
            {
                "jsonrpc": "2.0",
                "id": msg_id,
                "error": {"code": failure.code, "message": failure.message},
            }
        )

    def notify_plain(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification that is JSON already."""
        self._send_data({"jsonrpc": "2.0", "method": method, "params": params})

    async def drain(self, seconds: float, *, spare: Requests = frozenset()) -> None:
        """Cancel every request in flight but those in `spare`, and wait until they are answered."""
        for request in self._requests() - spare:
            request.cancel()
        for question in list(self._asked.values()):
            question.cancel()
        await self.settle(seconds, spare=spare)

    async def settle(self, seconds: float, *, spare: Requests = frozenset()) -> None:
        """Wait until the requests in flight are answered, or for so many seconds."""
        if requests := self._requests() - spare:
            _, late = await asyncio.wait(requests, timeout=seconds)
            if late:
                _log.error("%d requests had not ended after %g s", len(late), seconds)

    def cancel(self, msg_id: MsgId) -> None:
        """Cancel a request's task; the task's own end answers it."""
        task = self._request_futures.get(msg_id)
        if task is not None:
            task.cancel()

    def send_request(
        self,
        method: str,
        params: Any | None = None,  # noqa: ANN401 - as in pygls
        callback: Callable[[Any], None] | None = None,
        msg_id: MsgId | None = None,
    ) -> Future[Any]:
        """Ask the client; see pygls."""
        ours = msg_id or str(uuid.uuid4())
        future = super().send_request(method, params, callback, ours)
        self._asked[ours] = self._request_futures.pop(ours)
        future.add_done_callback(lambda _: self._asked.pop(ours, None))
        return future

    async def ask(self, method: str, params: Any) -> Any:  # noqa: ANN401 - as in pygls
        """Ask the client; when the asker is cancelled, the client is told to forget it.

        `params` may hold more than the LSP knows of. Raises `JsonRpcException` when it refuses.
        """
        number = str(uuid.uuid4())
        future = self._asked[number] = Future[Any]()
        future.add_done_callback(lambda _: self._asked.pop(number, None))
        self._result_types[number] = self.get_result_type(method)
        self._send_data({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            self.notify(types.CANCEL_REQUEST, types.CancelParams(number))
            raise

    def _handle_reply(self, data: dict[str, Any]) -> None:
        """Settle one of our requests; a reply to one that was cancelled finds nothing to settle."""
        future = self._asked.get(data["id"])
        kind = self._result_types.pop(data["id"], None) or JsonRPCResponseMessage
        if future is None:
            _log.info("a reply to no open request: id %r", data["id"])
            return
        try:
            if data.get("error") is not None:
                reply = structure(self._converter, data, types.ResponseErrorMessage)
                future.set_exception(JsonRpcException.from_error(reply.error))
            else:
                reply = structure(self._converter, {"result": None} | data, kind)
                future.set_result(reply.result)
        except JsonRpcInvalidParams as error:
            future.set_exception(error)

    def _refuse_large(self, body: TooLarge) -> None:
        seen = glance(body.ends)
        error = JsonRpcInvalidRequest(
            f"The message was not read: it has {body.size:,} bytes, and may have"
            f" {MAX_BODY_BYTES:,} at most."
        )
        if seen.method is None:
            if (asked := self._asked.get(seen.id or "")) is not None:
                asked.set_exception(error)
            return
        self._refuse(seen.id, error)
        if seen.uri is not None and seen.method in _CARRY_TEXT:
            self.on_unread(seen.uri, body.size)

    def _refuse(self, msg_id: MsgId | None, error: JsonRpcException) -> None:
        if msg_id is None:
            _log.warning("a notification was ignored: %s", error.message)
        else:
            self.answer_error(msg_id, error)

    def _get_handler(self, feature_name: str) -> Any:  # noqa: ANN401 - pygls' own type is Callable[[Any], Any]
        handler = self.fm.features.get(feature_name)
        return handler if handler is not None else super()._get_handler(feature_name)

    def _handle_request(self, msg_id: MsgId, method_name: str, params: Any) -> None:  # noqa: ANN401 - as in pygls
        if msg_id in self._request_futures:
            raise JsonRpcInvalidRequest(f"The id {msg_id!r} is in use.")
        self._get_handler(method_name)  # raises JsonRpcMethodNotFound, which pygls would also log
        super()._handle_request(msg_id, method_name, params)

    def _handle_notification(self, method_name: str, params: Any) -> None:  # noqa: ANN401 - as in pygls
        try:
            self._get_handler(method_name)
        except JsonRpcMethodNotFound:
            _log.debug("ignored %s", method_name)
        else:
            super()._handle_notification(method_name, params)

    def _execute_handler(
        self,
        msg_id: MsgId,
        handler: Callable[..., Any],
        callback: Callable[[Any], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        if asyncio.iscoroutinefunction(handler):
            work = functools.partial(handler, *(args or ()), **(kwargs or {}))
            self._execute_later(msg_id, work, callback)
        else:
            go_on = functools.partial(self._go_on, msg_id, callback)
            super()._execute_handler(msg_id, handler, go_on, args, kwargs)

    def _go_on(
        self, msg_id: MsgId, callback: Callable[[Any], None], ended: Future[Any] | asyncio.Task[Any]
    ) -> None:
        """Tell of the end of a plain function, unless that only says how to go on."""
        if not _failed(ended) and isinstance(later := ended.result(), Later):
            self._execute_later(msg_id, later.work, callback)
        else:
            callback(ended)

    def _execute_later(
        self, msg_id: MsgId, work: Callable[[], Awaitable[Any]], callback: Callable[[Any], None]
    ) -> None:
        task = asyncio.create_task(_told(work, callback))
        self._request_futures[msg_id] = task  # type: ignore[assignment] # pygls says: Future
        task.add_done_callback(lambda ended: callback(ended) if _failed(ended) else None)

    def _send_handler_result(self, future: Any, *, msg_id: MsgId) -> None:  # noqa: ANN401 - an asyncio or a concurrent future
        """Answer a request whose handler has ended: the one place where failures become errors."""
        self._request_futures.pop(msg_id, None)
        if future.cancelled():
            self.answer_error(msg_id, JsonRpcRequestCancelled("The request was cancelled."))
        elif (failure := future.exception()) is not None:
            self.answer_error(msg_id, rpc_error(failure))
        else:
            self._send_response(msg_id, result=future.result())

    def _check_handler_result(self, future: Any) -> None:  # noqa: ANN401 - an asyncio or a concurrent future
        if not future.cancelled() and (failure := future.exception()) is not None:
            _log.warning("a notification was ignored: %s", rpc_error(failure).message)

    def _requests(self) -> Requests:
        tasks = cast("Iterable[object]", self._request_futures.values())  # pygls says: Future
        return frozenset(task for task in tasks if isinstance(task, asyncio.Task))

    def _send_data(self, data: Any) -> None:  # noqa: ANN401 - a message of pygls, or plain JSON
        text = json.dumps(data, default=self._serialize_message, separators=(",", ":"))
        self.sink.write(frame(text.encode("ascii")))


async def _told(work: Callable[[], Awaitable[Any]], callback: Callable[[Any], None]) -> None:
    """Tell `callback` of the result at once: a task's own callbacks wait for the loop's next step.

    Of a failure it is told as the end of the task.
    """
    future = Future[Any]()
    future.set_result(await work())
    callback(future)


def _failed(ended: Future[Any] | asyncio.Task[Any]) -> bool:
    return ended.cancelled() or ended.exception() is not None


def make_converter() -> cattrs.Converter:
    """Lsprotocol's converter; parameters of methods that it does not know stay plain JSON."""
    converter = get_converter()
    converter.register_structure_hook(
        JsonRPCRequestMessage,
        lambda data, kind: kind(data["id"], data["method"], data["jsonrpc"], data["params"]),
    )
    converter.register_structure_hook(
        JsonRPCNotification,
        lambda data, kind: kind(data["method"], data["jsonrpc"], data["params"]),
    )
    converter.register_structure_hook(
        JsonRPCResponseMessage,
        lambda data, kind: kind(data["id"], data["jsonrpc"], data["result"]),
    )
    for either in (MsgId, MsgId | None):  # lsprotocol lets anything pass for these
        converter.register_structure_hook(either, _id_or_token)
    return converter


def _id_or_token(value: object, kind: object) -> object:
    if isinstance(value, int | str) or (value is None and kind != MsgId):
        return value
    raise TypeError("an id or token must be a string or a whole number")


def _kind_of(message: Mapping[str, Any]) -> type[Any]:
    """The type of a request or notification, which the protocol never uses for one another."""
    is_request = "id" in message
    untyped = JsonRPCRequestMessage if is_request else JsonRPCNotification
    kind: type[Any] = types.METHOD_TO_TYPES.get(message["method"], (untyped,))[0]
    if is_request != ("id" in attrs.fields_dict(kind)):
        raise JsonRpcMethodNotFound.of(message["method"])
    return kind


def _with_params(message: dict[str, Any]) -> dict[str, Any]:
    """Some clients leave empty parameters out, or send null for them."""
    if message.get("params") is None:
        none = message["method"] in {types.SHUTDOWN, types.EXIT}
        return message | {"params": None if none else {}}
    return message
