"""Messages in and out: pygls' protocol with a lifecycle, and with requests that really stop.

What differs from pygls, and why, is in docs/decisions/0001.
"""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from typing import Any

import cattrs
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcRequestCancelled,
)
from pygls.protocol import JsonRPCResponseMessage, LanguageServerProtocol
from pygls.protocol.json_rpc import MsgId

from glossator.core.errors import GlossatorError
from glossator.core.frames import MAX_BODY_BYTES, TooLarge, frame
from glossator.core.wire import WireError
from glossator.lsp.lifecycle import LifecycleFilter
from glossator.lsp.messages import (
    glance,
    message_id,
    parse,
    structure,
    typed,
)

_log = logging.getLogger(__name__)
logging.getLogger("pygls").setLevel(logging.CRITICAL)  # it logs what is answered or logged here

Requests = frozenset[asyncio.Task[Any]]

MAX_UNREAD_BYTES = 256 * 1024 * 1024  # a client that lets this much wait is gone

_CARRY_TEXT = frozenset({types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE})
_NOTEBOOKS = "notebookDocument/"  # built into pygls on top of its Workspace


class Protocol(LanguageServerProtocol):
    """One connection. `receive` takes the bodies of frames; answers go to `writer`.

    `on_unread` gets the URI of a document whose text was too large, and the message's bytes;
    `on_lost` why the client can no longer be written to.
    """

    writer: asyncio.StreamWriter

    def __init__(self, server: Any, converter: cattrs.Converter) -> None:  # noqa: ANN401 - pygls passes the server under construction
        super().__init__(server, converter)
        self.lifecycle = LifecycleFilter(self)
        self.on_unread: Callable[[str, int], None] = lambda _uri, _size: None
        self.on_lost: Callable[[str], None] = lambda _reason: None
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
            message = typed(self._converter, data)
        except JsonRpcException as error:
            self._refuse(data.get("id"), error)
        else:
            self.lifecycle.admit(message)

    def dispatch(self, message: Any) -> None:  # noqa: ANN401 - any of the LSP's message types
        """Run the handler of a request or notification."""
        msg_id = getattr(message, "id", None)
        if msg_id in self._request_futures:
            self.answer_error(msg_id, JsonRpcInvalidRequest(f"The id {msg_id!r} is in use."))
        else:
            self.handle_message(message)

    def cancel(self, msg_id: MsgId) -> None:
        """Cancel a request's task; the task's own end answers it."""
        task: object = self._request_futures.get(msg_id)  # pygls says: Future
        if isinstance(task, asyncio.Task):
            task.cancel()

    def answer_error(self, msg_id: MsgId | None, error: JsonRpcException) -> None:
        """Answer a request with an error; without an id, one about a message that had none."""
        answer = {"code": error.code, "message": error.message}
        self._send_data({"jsonrpc": "2.0", "id": msg_id, "error": answer})

    def notify_plain(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification that is JSON already."""
        self._send_data({"jsonrpc": "2.0", "method": method, "params": params})

    async def ask(self, method: str, params: Any) -> Any:  # noqa: ANN401 - as in pygls
        """Ask the client; a cancelled asker cancels the request.

        `params` may hold more than the LSP knows of. Raises `JsonRpcException` when it refuses.
        """
        number = str(uuid.uuid4())
        future = self._request_futures[number] = Future[Any]()
        self._result_types[number] = self.get_result_type(method)
        self._send_data({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            self._request_futures.pop(number, None)
            self.notify(types.CANCEL_REQUEST, types.CancelParams(number))
            raise

    def request(self, method: str, params: object, refused: str) -> None:
        """Ask the client without waiting for its answer; a refusal is logged as `refused`."""

        def answered(reply: Future[Any]) -> None:
            if not reply.cancelled() and (refusal := reply.exception()) is not None:
                _log.info("%s: %s", refused, refusal)

        self.send_request(method, params).add_done_callback(answered)

    async def drain(self, seconds: float, *, spare: Requests = frozenset()) -> None:
        """Cancel every request in flight but those in `spare`, and wait until they are answered."""
        for request in set(self._request_futures.values()) - spare:
            request.cancel()
        await self.settle(seconds, spare=spare)

    async def settle(self, seconds: float, *, spare: Requests = frozenset()) -> None:
        """Wait until the requests in flight are answered, or for so many seconds."""
        futures: Iterable[object] = self._request_futures.values()  # ours to the client, too
        requests = {each for each in futures if isinstance(each, asyncio.Task)} - spare
        if requests:
            _, late = await asyncio.wait(requests, timeout=seconds)
            if late:
                _log.error("%d requests had not ended after %g s", len(late), seconds)

    def _handle_reply(self, data: dict[str, Any]) -> None:
        """Settle one of our requests; a reply to one that was cancelled finds nothing to settle."""
        question = self._question(data["id"])
        kind = self._result_types.pop(data["id"], None) or JsonRPCResponseMessage
        if question is None:
            _log.info("a reply to no open request: id %r", data["id"])
            return
        try:
            if data.get("error") is not None:
                reply = structure(self._converter, data, types.ResponseErrorMessage)
                question.set_exception(JsonRpcException.from_error(reply.error))
            else:
                reply = structure(self._converter, {"result": None} | data, kind)
                question.set_result(reply.result)
        except JsonRpcInvalidParams as error:
            question.set_exception(error)

    def _question(self, msg_id: MsgId | None) -> Future[Any] | None:
        """The open request of ours with this id; the client's requests, kept with it, are tasks."""
        if msg_id is None or not isinstance(found := self._request_futures.get(msg_id), Future):
            return None
        del self._request_futures[msg_id]
        return None if found.done() else found

    def _refuse_large(self, body: TooLarge) -> None:
        seen = glance(body.ends)
        error = JsonRpcInvalidRequest(
            f"The message was not read: it has {body.size:,} bytes, and may have"
            f" {MAX_BODY_BYTES:,} at most."
        )
        if seen.method is None:
            if (question := self._question(seen.id)) is not None:
                question.set_exception(error)
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
        """Ours, where there is one, instead of pygls' own, which works on its `Workspace`."""
        handler = self.fm.features.get(feature_name)
        return handler if handler is not None else super()._get_handler(feature_name)

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
            self._refuse(None, rpc_error(failure))

    def _send_data(self, data: Any) -> None:  # noqa: ANN401 - as in pygls
        """Send a message, as pygls does but compact, to a client that still reads."""
        if self.writer.is_closing():
            return
        text = json.dumps(data, default=self._serialize_message, separators=(",", ":"))
        self.writer.write(frame(text.encode("ascii")))
        if self.writer.transport.get_write_buffer_size() > MAX_UNREAD_BYTES:
            self.on_lost(f"the client left {MAX_UNREAD_BYTES} bytes unread")


def rpc_error(failure: BaseException) -> JsonRpcException:
    """The JSON-RPC error of a failure; an unexpected one is logged with its traceback."""
    cause = first_leaf(failure)
    if isinstance(cause, JsonRpcException):
        return cause
    if isinstance(cause, WireError):
        return JsonRpcInvalidParams(f"{cause}.")
    if isinstance(cause, GlossatorError):
        return JsonRpcException(str(cause), code=types.LSPErrorCodes.RequestFailed.value)
    _log.error("an unforeseen failure", exc_info=failure)
    return JsonRpcInternalError(
        f"Glossator failed in a way it should not ({type(cause).__name__}: {cause});"
        " the server's log has the details."
    )


def first_leaf(failure: BaseException) -> BaseException:
    """The first failure inside nested groups, which is what the user can act on."""
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure
