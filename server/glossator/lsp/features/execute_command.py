"""`workspace/executeCommand`: runs a command of the table on behalf of a request.

The handler is a coroutine, so that the request's own task is what `$/cancelRequest` cancels.
"""

from __future__ import annotations

import dataclasses
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from glossator.commands import DECLARED
from glossator.core.plan_text import PLANNED, answered_offer, offer_plan, plan_of
from glossator.core.wire import WireError, from_wire, to_wire
from glossator.lsp.reports import (
    hit_locations,
    search_to_markdown,
    show_gloss,
    show_report,
    show_text,
)

if TYPE_CHECKING:
    from glossator.commands import LoadedCommand
    from glossator.core.answer import Answer
    from glossator.lsp.server import Server


def register(server: Server) -> None:
    """Replace pygls' handler, whose cancelled commands keep running."""
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


async def run_command(server: Server, params: types.ExecuteCommandParams) -> object:
    """The command's answer as JSON. Raises what the command raises, and `WireError`."""
    commands = server.service.commands
    if params.command not in commands:
        raise JsonRpcInvalidParams(
            f"There is no command {params.command!r}; the commands are {', '.join(commands)}."
        )
    command = commands[params.command]
    request = _with_run_id(command, from_wire(command.request, _argument(params)))
    with _progress(server, command, request, params.work_done_token):
        named = (getattr(request, name, None) for name in ("session_id", "run_id"))
        app = await server.application.trees.serving(*named)
        answer = await command.run(app, request)
    if DECLARED[params.command].report and not server.client.events:
        await show_report(server.protocol, server.client, answer)
        if answer.stop == PLANNED:
            server.in_background(_offer_plan(server, answer), server.tell)
    elif params.command == "glossator.showGloss" and not server.client.events:
        await show_gloss(server.protocol, server.client, answer)
    elif params.command == "glossator.search" and not server.client.events:
        if request.report:
            text = search_to_markdown(request.query, answer)
            await show_text(server.protocol, server.client, text)
        return to_wire(answer) | {"locations": hit_locations(answer)}
    return to_wire(answer)


async def _offer_plan(server: Server, answer: Answer) -> None:
    """Ask whether to start a plan, once it was shown; what comes of that may be a plan again."""
    reply = await server.port.ask_user(offer_plan(plan_of(answer.text)))
    if command := answered_offer(answer.session_id, reply.chosen, reply.words, reply.draft):
        name, argument = command
        await run_command(server, types.ExecuteCommandParams(name, [argument]))


def _argument(params: types.ExecuteCommandParams) -> object:
    match list(params.arguments or ()):
        case []:
            return {}
        case [argument]:
            return argument
    raise WireError(f"{params.command} takes one object as its only argument")


def _with_run_id(command: LoadedCommand, request: Any) -> Any:  # noqa: ANN401 - any request of the table
    """Name the run here if the client did not, so that its events find their progress bar."""
    if command.shows_progress and getattr(request, "run_id", "") is None:
        return dataclasses.replace(request, run_id=secrets.token_hex(8))
    return request


@contextmanager
def _progress(
    server: Server, command: LoadedCommand, request: object, token: int | str | None
) -> Iterator[None]:
    create = token is None and server.client.progress and not server.client.events
    if not command.shows_progress or (token is None and not create):
        yield
        return
    run_id = getattr(request, "run_id", "")
    token = secrets.token_hex(8) if token is None else token
    with server.bars.bar(token, f"Glossator: {command.title}", create=create) as bar:
        server.port.bars.setdefault(run_id, bar)  # a run id in use is refused by the service
        try:
            yield
        finally:
            if server.port.bars.get(run_id) is bar:
                del server.port.bars[run_id]
