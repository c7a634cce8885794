"""The server's life: which messages may pass when, and its end with the editor's process.

Messages that need the application wait, in order, until it exists; none is lost. The others
(cancelling, progress, trace, `shutdown`, `exit`) pass at once. When the editor dies, a living child
of it may keep our streams open, so its process is watched.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections import deque
from enum import Enum, auto
from pathlib import Path
from typing import Any, Protocol

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidRequest,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)

_NEED_NO_APPLICATION = {
    types.INITIALIZED,
    types.SHUTDOWN,
    types.SET_TRACE,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL,
}
_log = logging.getLogger(__name__)

POLL_SECONDS = 0.5


class Dispatcher(Protocol):
    """What acts on the messages that pass."""

    def dispatch(self, message: Any) -> None:  # noqa: ANN401 - any of the LSP's message types
        """Run the handler of a request or notification."""

    def cancel(self, msg_id: int | str) -> None:
        """Cancel a request that runs."""

    def answer_error(self, msg_id: int | str, error: JsonRpcException) -> None:
        """Answer a request with an error."""


class ServerPhase(Enum):
    """The server's life."""

    NEW = auto()
    STARTING = auto()  # `initialize` was answered; the service is being loaded
    RUNNING = auto()
    FAILED = auto()  # the service could not be started
    STOPPING = auto()  # `shutdown` was received


class LifecycleFilter:
    """Passes messages on to the protocol, holds them, or refuses them."""

    def __init__(self, protocol: Dispatcher) -> None:
        self._protocol = protocol
        self._waiting: deque[Any] = deque()
        self._failure = ""
        self.phase = ServerPhase.NEW

    def admit(self, message: Any) -> None:  # noqa: ANN401 - any of the LSP's message types
        """Dispatch a request or notification, now or later, or answer that it cannot be."""
        if message.method == types.CANCEL_REQUEST:
            self._cancel(message.params.id)
        elif message.method == types.EXIT:
            self._protocol.dispatch(message)
        elif refusal := self._refusal(message.method):
            self._refuse(message, refusal)
        elif self.phase is ServerPhase.STARTING and message.method not in _NEED_NO_APPLICATION:
            self._waiting.append(message)
        else:
            self._protocol.dispatch(message)

    async def open(self) -> None:
        """Pass on what waited, in order: the application exists now."""
        # What arrives meanwhile still waits behind it, as the phase changes last. The pause lets a
        # request start before the next change: it sees the text at its place in the order, as
        # later messages do (docs/decisions/0001).
        while self._waiting:
            self._protocol.dispatch(self._waiting.popleft())
            await asyncio.sleep(0)
        if self.phase is ServerPhase.STARTING:
            self.phase = ServerPhase.RUNNING

    def fail(self, reason: str) -> None:
        """Answer every request with the reason why the application cannot be made."""
        self.phase, self._failure = ServerPhase.FAILED, reason
        self._refuse_waiting(JsonRpcInternalError(reason))

    def stop(self) -> None:
        """Let only `exit` pass from now on."""
        self.phase = ServerPhase.STOPPING
        self._refuse_waiting(JsonRpcRequestCancelled("The server is shutting down."))

    def _refusal(self, method: str) -> JsonRpcException | None:
        initialize = method == types.INITIALIZE
        match self.phase:
            case ServerPhase.NEW if not initialize:
                return JsonRpcServerNotInitialized("Send `initialize` first.")
            case ServerPhase.STOPPING:
                return JsonRpcInvalidRequest("The server is shutting down.")
            case ServerPhase.FAILED if method not in _NEED_NO_APPLICATION:
                return JsonRpcInternalError(self._failure)
            case phase if initialize and phase is not ServerPhase.NEW:
                return JsonRpcInvalidRequest("`initialize` was sent before.")
        return None

    def _refuse(self, message: Any, refusal: JsonRpcException) -> None:  # noqa: ANN401 - as in admit
        if hasattr(message, "id"):  # notifications are not answered
            self._protocol.answer_error(message.id, refusal)

    def _refuse_waiting(self, refusal: JsonRpcException) -> None:
        while self._waiting:
            self._refuse(self._waiting.popleft(), refusal)

    def _cancel(self, msg_id: int | str) -> None:
        for message in self._waiting:
            if getattr(message, "id", None) == msg_id:
                self._waiting.remove(message)
                self._refuse(message, JsonRpcRequestCancelled("The request was cancelled."))
                return
        self._protocol.cancel(msg_id)


async def parent_gone(process_id: int | None) -> None:
    """Return once the process has ended; never, if it cannot be watched from here.

    A process that is not there at the start lives on another machine or in another container.
    """
    if process_id is None or not is_alive(process_id):
        if process_id is not None:
            _log.info("process %d is not visible from here; it is not watched", process_id)
        await asyncio.Event().wait()
        return
    while is_alive(process_id):  # noqa: ASYNC110 - another process sets no event of ours
        await asyncio.sleep(POLL_SECONDS)


if sys.platform == "win32":
    import ctypes  # `os.kill` with signal 0 would end the process here

    _SYNCHRONIZE = 0x00100000
    _WAIT_TIMEOUT = 0x00000102

    def is_alive(process_id: int) -> bool:
        """Whether the process runs."""
        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(_SYNCHRONIZE, False, process_id)
        if not handle:
            return False
        try:
            return bool(kernel.WaitForSingleObject(handle, 0) == _WAIT_TIMEOUT)
        finally:
            kernel.CloseHandle(handle)

else:

    def is_alive(process_id: int) -> bool:
        """Whether the process runs; one that ended and was not yet waited for does not."""
        try:
            os.kill(process_id, 0)
        except PermissionError:
            return True  # somebody else's, but there
        except (ProcessLookupError, OverflowError):
            return False
        return not _is_zombie(process_id)


def _is_zombie(process_id: int) -> bool:
    try:
        status = Path(f"/proc/{process_id}/stat").read_bytes()
    except OSError:  # no /proc on this system
        return False
    return status.rpartition(b")")[2].split()[:1] == [b"Z"]
