"""`workspace/executeCommand`.

The handler is a coroutine, so that the request's own task is what `$/cancelRequest` cancels.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from lsprotocol import types

from glossator.lsp.commands import run_command

if TYPE_CHECKING:
    from glossator.lsp.server import Server


def register(server: Server) -> None:
    """Take over from pygls, where a cancelled command would go on running."""
    server.feature(types.WORKSPACE_EXECUTE_COMMAND)(execute_command)


async def execute_command(ls: Server, params: types.ExecuteCommandParams) -> object:
    """Run a command of the table and give its answer."""
    started = time.perf_counter()
    try:
        return await run_command(ls, params)
    finally:
        _trace(ls, params, (time.perf_counter() - started) * 1000)


def _trace(ls: Server, params: types.ExecuteCommandParams, milliseconds: float) -> None:
    trace = ls.protocol.trace
    if trace == types.TraceValue.Off:
        return
    details = json.dumps(params.arguments) if trace == types.TraceValue.Verbose else None
    message = f"{params.command} ended after {milliseconds:.0f} ms"
    ls.protocol.notify(types.LOG_TRACE, types.LogTraceParams(message, details))
