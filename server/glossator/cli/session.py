"""One command on one server: the handshake, the command with its notifications, the shutdown."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self

from glossator.cli.apply_edit import ENCODING
from glossator.cli.asking import Beside, Command, Execute
from glossator.cli.messages import CANCELLING, SERVER_LOST_NEXT_STEP
from glossator.cli.server import (
    REQUEST_CANCELLED,
    Asked,
    Notified,
    ResponseError,
    ServerConnection,
    ServerLost,
    ServerProcess,
)
from glossator.commands import DECLARED
from glossator.core.errors import GlossatorError
from glossator.core.uri import to_uri
from glossator.core.wire import Json, WireError, from_wire
from glossator.core.words import Became

_SIGINT_EXIT = 130
_GRACE_SECONDS = 2  # for the goodbye, before the server is killed


@dataclass(frozen=True, slots=True)
class Setup:
    """What `initialize` sends: absolute roots, and settings by their wire names.

    `answers`: somebody is there to answer questions. `leaves`: the server ends after one command.
    `trusted`: the user trusts the workspace for
    this run; otherwise the server goes by what is remembered, and asks.
    """

    roots: tuple[Path, ...]
    settings: Mapping[str, Json] = field(default_factory=dict)
    answers: bool = False
    trusted: bool = False
    leaves: bool = True


class CommandCancelled(GlossatorError):
    """The command was ended on purpose; `exit_code` is the shell's 128 + signal."""

    def __init__(self, exit_code: int) -> None:
        super().__init__(Became.STOPPED)
        self.exit_code = exit_code


async def run_command(
    server: ServerProcess,
    setup: Setup,
    work: Callable[[Execute, Beside], Awaitable[Json]],
    notified: Notified,
    asked: Asked,
    answered: Callable[[Json], None],
) -> None:
    """Do the work of a command and shut the server down.

    `notified` gets each notification, `asked` each request of the server's, then `answered` the
    answer, before the shutdown, which takes a while. Raises `ResponseError`, `ServerLost` and
    `CommandCancelled`; the server has ended by then.
    """
    session = _Session(server, notified, asked)
    with Interrupts(ask=session.cancel, insist=session.kill) as interrupts:
        session.interrupts = interrupts
        try:
            answered(await session.run(setup, work))
        except asyncio.CancelledError as error:
            if interrupts.exit_code is None:
                raise
            raise CommandCancelled(interrupts.exit_code) from error
        except ServerLost as error:
            if interrupts.exit_code is not None:
                raise CommandCancelled(interrupts.exit_code) from error
            obituary = await server.obituary()
            raise ServerLost(f"{error} {obituary}\n{SERVER_LOST_NEXT_STEP}") from error
        except ResponseError as error:
            if error.code == REQUEST_CANCELLED:
                raise CommandCancelled(interrupts.exit_code or _SIGINT_EXIT) from error
            raise
        finally:
            await session.close()


class _Session:
    def __init__(self, server: ServerProcess, notified: Notified, asked: Asked) -> None:
        self._server = server
        self._client = ServerConnection(server.stdout, server.stdin, notified, asked)
        self._commanded = False
        self._working: asyncio.Future[Json] | None = None
        self.interrupts: Interrupts | None = None

    async def run(self, setup: Setup, work: Callable[[Execute, Beside], Awaitable[Json]]) -> Json:
        await self._client.request("initialize", _initialize(setup))
        self._client.notify("initialized", {})
        self._commanded = True
        self._working = asyncio.ensure_future(work(self._execute, self))
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

    def kill(self) -> None:
        """Kill the server; while it does nothing for us, nobody would notice that it ended."""
        self._server.kill()
        if self._working and not self._client.waits:
            self._working.get_loop().call_soon_threadsafe(self._working.cancel)

    def post(self, command: Command) -> asyncio.Future[Json]:
        return self._client.post(*_executing(command))

    async def hear(self, answer: asyncio.Future[Json]) -> object:
        return await self._client.hear(answer)

    async def ask(self, command: Command) -> Json:
        return await self._client.hear_beside(self.post(command))

    def stay(self) -> None:
        self._client.stay(on=True)

    @property
    def waits(self) -> bool:
        return self._client.waits

    def go_on(self) -> None:
        if self.interrupts is not None:
            self.interrupts.exit_code = None

    async def _execute(self, command: Command) -> Json:
        """The answer, as the dataclass that the server declares for it."""
        answer = await self._client.request(*_executing(command))
        try:
            kind = DECLARED[command.name].answer_class()
            return answer if kind is None else from_wire(kind, answer)
        except WireError as error:
            raise ServerLost(f"The server's answer is not what it declares ({error}).") from error

    async def close(self) -> None:
        self._commanded = False
        self._client.stay(on=False)
        try:
            await asyncio.wait_for(self._leave(), _GRACE_SECONDS)
        except (TimeoutError, ServerLost, ResponseError):
            self._server.kill()  # it is dead already, or will not go by itself
            await self._server.ended()

    async def _leave(self) -> None:
        await self._client.request("shutdown")
        self._client.notify("exit")
        await self._server.ended()


def _executing(command: Command) -> tuple[str, Json]:
    """The method and parameters of a command's request."""
    return "workspace/executeCommand", {"command": command.name, "arguments": [command.argument]}


class Interrupts:
    """Signals inside a `with`: the first Ctrl-C calls `ask`, a second one or SIGTERM `insist`.

    `exit_code` is None until a signal came, then the shell's 128 + its number. `ask` is called by
    the event loop, `insist` at once: it must get through to a loop that is stuck.
    """

    def __init__(self, ask: Callable[[], None], insist: Callable[[], None]) -> None:
        self.exit_code: int | None = None
        self._ask = ask
        self._insist = insist
        self._loop = asyncio.get_running_loop()

    def __enter__(self) -> Self:
        self._before = {
            number: signal.signal(number, self._received)
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _received(self, number: int, _frame: FrameType | None) -> None:
        first = self.exit_code is None
        self.exit_code = 128 + number
        if first and number == signal.SIGINT:
            self._loop.call_soon_threadsafe(self._ask)
        else:
            self._insist()


def _initialize(setup: Setup) -> dict[str, Json]:
    folders = [{"uri": to_uri(str(root)), "name": root.name} for root in setup.roots]
    return {
        "processId": os.getpid(),
        "clientInfo": {"name": "terminal"},  # the model is told what edits, and that is no editor
        "rootUri": folders[0]["uri"],
        "workspaceFolders": folders,
        "capabilities": {
            "general": {"positionEncodings": [ENCODING]},
            "window": {"workDoneProgress": True, "showDocument": {"support": True}},
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
                    "saves": True,  # edits are on disk at once
                    "leaves": setup.leaves,
                }
            },
        },
        "initializationOptions": {"settings": setup.settings}
        | ({"trusted": True} if setup.trusted else {}),
    }
