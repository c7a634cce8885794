"""What a handler raised, as the error that the client is answered with."""

from __future__ import annotations

import logging

from lsprotocol.types import LSPErrorCodes
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, JsonRpcInvalidParams

from glossator.core.errors import GlossatorError
from glossator.core.wire import WireError

_log = logging.getLogger(__name__)


def rpc_error(failure: BaseException) -> JsonRpcException:
    """The JSON-RPC error of a failure; one that nobody foresaw is logged with its traceback."""
    cause = first_leaf(failure)
    if isinstance(cause, JsonRpcException):
        return cause
    if isinstance(cause, WireError):
        return JsonRpcInvalidParams(f"{cause}.")
    if isinstance(cause, GlossatorError):
        return JsonRpcException(str(cause), code=LSPErrorCodes.RequestFailed.value)
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
