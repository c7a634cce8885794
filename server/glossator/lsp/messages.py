"""Bytes of one frame as a message, checked against JSON-RPC 2.0 and the types of the LSP."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import cattrs
from cattrs.errors import StructureHandlerNotFoundError
from pygls.exceptions import JsonRpcInvalidParams, JsonRpcInvalidRequest, JsonRpcParseError

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
    """What both ends of a message tell of it; without a `method` it is a reply."""

    method: str | None
    id: int | str | None
    uri: str | None


def glance(ends: bytes) -> Glance:
    """What can be told of a message that is not read."""
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
