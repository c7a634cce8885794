"""One command on one server: the handshake, the command with its notifications, the goodbye."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from glossator import __version__
from glossator.cli.client import REQUEST_CANCELLED, Asked, Client, Notified
from glossator.cli.errors import Cancelled, ResponseError, ServerLost
from glossator.cli.interrupts import Interrupts
from glossator.cli.messages import CANCELLING, SERVER_LOST_NEXT_STEP
from glossator.cli.server import Server
from glossator.cli.wire import Json
from glossator.core.text import PositionEncoding
from glossator.core.uri import to_uri

_SIGINT_EXIT = 130
ENCODING: PositionEncoding = "utf-8"  # of positions
_GRACE_SECONDS = 2  # for the goodbye, before the server is killed


@dataclass(frozen=True, slots=True)
class Setup:
    """What the server is told at its start: absolute roots, and settings by their wire names.

    `answers`: somebody is there to answer questions. `trusted`: the user trusts the workspace for
    this run; otherwise the server goes by what is remembered, and asks.
    """

    roots: tuple[Path, ...]
    settings: Mapping[str, Json] = field(default_factory=dict)
    answers: bool = False
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the protocol and its one argument."""

    name: str
    argument: Mapping[str, Json] = field(default_factory=dict)


Execute = Callable[[Command], Awaitable[Json]]  # raises `ResponseError` and `ServerLost`
Work = Callable[[Execute], Awaitable[Json]]  # commands, one after the other; gives the last answer


async def run_command(
    server: Server,
    setup: Setup,
    work: Work,
    notified: Notified,
    asked: Asked,
    answered: Callable[[Json], None],
) -> None:
    """Do the work of a command and see the server off.

    `notified` gets each notification, `asked` each request of the server's, then `answered` the
    answer, before the goodbye, which takes a while. Raises `ResponseError`, `ServerLost` and
    `Cancelled`; the server has ended by then.
    """
    session = _Session(server, notified, asked)
    with Interrupts(ask=session.cancel, insist=server.kill) as interrupts:
        try:
            answered(await session.run(setup, work))
        except asyncio.CancelledError as error:
            if interrupts.exit_code is None:
                raise
            raise Cancelled(interrupts.exit_code) from error
        except ServerLost as error:
            if interrupts.exit_code is not None:
                raise Cancelled(interrupts.exit_code) from error
            obituary = await server.obituary()
            raise ServerLost(f"{error} {obituary}\n{SERVER_LOST_NEXT_STEP}") from error
        except ResponseError as error:
            if error.code == REQUEST_CANCELLED:
                raise Cancelled(interrupts.exit_code or _SIGINT_EXIT) from error
            raise
        finally:
            await session.close()


class _Session:
    def __init__(self, server: Server, notified: Notified, asked: Asked) -> None:
        self._server = server
        self._client = Client(server.stdout, server.stdin, notified, asked)
        self._commanded = False
        self._working: asyncio.Future[Json] | None = None

    async def run(self, setup: Setup, work: Work) -> Json:
        await self._client.request("initialize", _initialize(setup))
        self._client.notify("initialized", {})
        self._commanded = True
        self._working = asyncio.ensure_future(work(self._execute))
        return await self._working

    def cancel(self) -> None:
        if self._working and not self._client.waits:  # but for the user, between two commands
            self._working.cancel()
        elif self._commanded:
            over = "\r" if sys.stderr.isatty() else ""  # the ^C that the terminal shows
            print(f"{over}{CANCELLING}", file=sys.stderr, flush=True)
            self._client.cancel()
        else:
            self._server.kill()  # nothing has begun that would want an orderly end

    async def _execute(self, command: Command) -> Json:
        return await self._client.request(
            "workspace/executeCommand", {"command": command.name, "arguments": [command.argument]}
        )

    async def close(self) -> None:
        self._commanded = False
        try:
            await asyncio.wait_for(self._leave(), _GRACE_SECONDS)
        except (TimeoutError, ServerLost, ResponseError):
            self._server.kill()  # it is dead already, or will not go by itself
            await self._server.ended()

    async def _leave(self) -> None:
        await self._client.request("shutdown")
        self._client.notify("exit")
        await self._server.ended()


def _initialize(setup: Setup) -> dict[str, Json]:
    folders = [{"uri": to_uri(str(root)), "name": root.name} for root in setup.roots]
    return {
        "processId": os.getpid(),
        "clientInfo": {"name": "glossator", "version": __version__},
        "rootUri": folders[0]["uri"],
        "workspaceFolders": folders,
        "capabilities": {
            "general": {"positionEncodings": [ENCODING]},
            "window": {"workDoneProgress": True},
            "workspace": {
                "workspaceFolders": True,
                "applyEdit": True,
                "workspaceEdit": {
                    "documentChanges": True,
                    "resourceOperations": ["create", "rename", "delete"],
                },
            },
            "experimental": {
                "glossator": {
                    "events": True,
                    "questions": setup.answers,
                    "permissions": True,  # what nobody can be asked about is denied, with words
                    "reviews": True,
                }
            },
        },
        "initializationOptions": {"settings": setup.settings}
        | ({"trusted": True} if setup.trusted else {}),
    }
