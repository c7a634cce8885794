"""Logging: everything to stderr, warnings and worse also to the client."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from glossator.lsp.protocol import Protocol


def log_to_stderr() -> None:
    """Send the process's log to stderr, from warnings up."""
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )


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
