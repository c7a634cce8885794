"""Messages between client and server, checked; `core/frames.py` reads the frames that bring them.

A body's bytes are checked against JSON-RPC 2.0 and the types of the LSP. pygls drops malformed
messages and accepts wrong types inside them; here each fault becomes an error that answers the
request.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import attrs
import cattrs
from cattrs.errors import StructureHandlerNotFoundError
from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.exceptions import (
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
)
from pygls.protocol import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage
from pygls.protocol.json_rpc import MsgId

# All that cattrs and lsprotocol's hooks raise for a value of the wrong form.
_WRONG_FORM = (
    ExceptionGroup,
    StructureHandlerNotFoundError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


# A quotation mark inside a string is escaped, so that none of these is found in one.
_METHOD = re.compile(rb'"method"\s*:\s*("[^"]*")')
_ID = re.compile(rb'"id"\s*:\s*(-?\d+|"[^"\\]*")')
_URI = re.compile(rb'"uri"\s*:\s*("[^"]*")')


class Glance(NamedTuple):
    """Facts of a message; without a `method` it is a reply."""

    method: str | None
    id: int | str | None
    uri: str | None


def glance(ends: bytes) -> Glance:
    """The facts in the ends of a message, without parsing the whole."""
    found = [pattern.search(ends) for pattern in (_METHOD, _ID, _URI)]
    method, msg_id, uri = (None if each is None else json.loads(each[1]) for each in found)
    return Glance(method, msg_id, uri)


def parse(body: bytes) -> dict[str, Any]:
    """The message's object. Raises `JsonRpcParseError`, `JsonRpcInvalidRequest`."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:  # also invalid UTF-8, and too deep
        raise JsonRpcParseError(f"The message is not JSON: {error}") from None
    if problem := _problem(message):
        raise JsonRpcInvalidRequest(problem)
    return message  # type: ignore[no-any-return]  # _problem made sure that it is an object


def message_id(body: bytes) -> int | str | None:
    """The id by which a refused message can be answered; None when it has none."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    found = message.get("id") if isinstance(message, dict) else None
    return found if _is_id(found) else None


def typed(converter: cattrs.Converter, message: dict[str, Any]) -> Any:  # noqa: ANN401 - any of the LSP's message types
    """A request or notification. Raises `JsonRpcMethodNotFound` and `JsonRpcInvalidParams`."""
    return structure(converter, _with_params(message), _kind_of(message))


def structure(converter: cattrs.Converter, data: object, kind: type[Any]) -> Any:  # noqa: ANN401 - a message of `kind`
    """`data` as an instance of `kind`. Raises `JsonRpcInvalidParams` naming the fields."""
    try:
        return converter.structure(data, kind)
    except _WRONG_FORM as error:
        problems = "; ".join(cattrs.transform_error(error)) if str(error) else repr(error)
        raise JsonRpcInvalidParams(f"The parameters have the wrong form: {problems}") from error


def _problem(message: object) -> str | None:
    """Why this is not a message of JSON-RPC 2.0, if it is not."""
    if not isinstance(message, dict):
        return "A message must be an object; batches are not part of the LSP."
    if message.get("jsonrpc") != "2.0":
        return 'A message must say "jsonrpc": "2.0".'
    is_reply = "method" not in message
    if "id" in message and not _is_id(message["id"]) and not is_reply:
        return "A request's id must be a string or a whole number."
    return _reply_problem(message) if is_reply else _call_problem(message)


def _call_problem(message: dict[str, Any]) -> str | None:
    if not isinstance(message["method"], str):
        return "A message's method must be a string."
    if not isinstance(message.get("params"), dict | list | None):
        return "A message's params must be an object or a list."
    return None


def _reply_problem(message: dict[str, Any]) -> str | None:
    msg_id = message.get("id")  # null when the client could not read a message of ours
    known = "id" in message and (_is_id(msg_id) or msg_id is None)
    if known and ("result" in message or "error" in message):
        return None
    return "A message needs a method, or an id with a result or an error."


def _is_id(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


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


@cache
def make_converter() -> cattrs.Converter:
    """Lsprotocol's converter; parameters of methods that it does not know stay plain JSON.

    It is one for the process: with each message's first, it generates the code to read it.
    """
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
        JsonRPCResponseMessage, lambda data, kind: kind(data["id"], data["jsonrpc"], data["result"])
    )
    for either in (MsgId, MsgId | None):  # lsprotocol lets anything pass for these
        converter.register_structure_hook(either, _id_or_token)
    return converter


def _id_or_token(value: object, kind: object) -> object:
    if isinstance(value, int | str) or (value is None and kind != MsgId):
        return value
    raise TypeError("an id or token must be a string or a whole number")
