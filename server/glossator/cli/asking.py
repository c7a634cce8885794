"""The requests that commands send to the server. Light to import, for `--version` and `--help`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import typer

from glossator.cli.messages import NO_SESSION, NOBODY_ADOPTS, NOT_ADOPTED
from glossator.core.errors import UsageError

if TYPE_CHECKING:
    from glossator.cli.options import CommonOptions
    from glossator.cli.render import Display
    from glossator.commands import SessionInfo


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the protocol and its one argument."""

    name: str
    argument: Mapping[str, Any] = field(default_factory=dict)


# Execute gives the answer as a dataclass, and raises `ResponseError` and `ServerLost`.
Execute = Callable[[Command], Awaitable[Any]]


class Beside(Protocol):
    """What goes on while a command is carried out."""

    def post(self, command: Command) -> asyncio.Future[Any]:
        """Send another command; its answer, in JSON, is there once it is heard."""

    async def hear(self, answer: asyncio.Future[Any]) -> object:
        """Wait for it when no command is carried out. Raises as `Execute`."""

    async def ask(self, command: Command) -> Any:  # noqa: ANN401 - as the command declares it
        """The answer to another command, in JSON, whatever goes on. Raises as `Execute`."""

    def stay(self) -> None:
        """Show what the server says while no command is carried out, too."""

    @property
    def waits(self) -> bool:
        """Whether a command is carried out, which Ctrl-C cancels."""

    def go_on(self) -> None:
        """A command was cancelled; the next Ctrl-C cancels the next one."""


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation at the keyboard; it begins with `session_id`, or with a new session.

    `worktree` names one for the new session; "" has the name chosen.
    """

    session_id: str | None = None
    newest: bool = False
    worktree: str | None = None


Work = Callable[[Execute], Awaitable[Any]]  # commands, one after the other; gives the last answer
Show = Callable[["Display", Any], bool]  # shows an answer; whether it is a good one


class CarryOut(Protocol):
    """What every command is given."""

    def __call__(
        self,
        common: CommonOptions,
        work: Command | Work | Talk,
        show: Show,
        *,
        thinking: bool,
        progress: bool,
    ) -> int:
        """Do the work with a server, and show its answer; gives the exit code."""


def show_answer(display: Display, answer: object) -> bool:
    """Show it; every answer is a good one."""
    display.answer(answer)
    return True


def show_adopted(display: Display, answer: object, *, is_adopted: bool) -> bool:
    """Show what an adoption answers, and whether the user said yes to it."""
    display.answer(answer)
    if not is_adopted:
        display.notice(NOT_ADOPTED if sys.stdin.isatty() else f"{NOT_ADOPTED} {NOBODY_ADOPTS}")
    return is_adopted


def ask_server(
    context: typer.Context,
    common: CommonOptions,
    work: Command | Work | Talk,
    show: Show = show_answer,
    *,
    thinking: bool = False,
    progress: bool = False,
) -> None:
    """Do the `work` and `show` its answer. Raises `typer.Exit` for every bad end.

    `progress`: the work takes place in the background, and its progress is shown.
    """
    carry_out: CarryOut = context.obj
    if code := carry_out(common, work, show, thinking=thinking, progress=progress):
        raise typer.Exit(code)


def in_session(name: str, session_id: str | None, argument: Mapping[str, Any]) -> Work:
    """The command `name` in a session, or in the newest of the workspace.

    The work raises `UsageError` when there is none.
    """

    async def work(execute: Execute) -> object:
        chosen = session_id or await newest_session(execute)
        return await execute(Command(name, {**argument, "sessionId": chosen}))

    return work


def in_worktree(name: str, worktree: str, argument: Mapping[str, Any]) -> Work:
    """The command `name` in a new session with a worktree of that name, "" for one chosen."""

    async def work(execute: Execute) -> object:
        begun = await new_in_worktree(execute, worktree)
        return await execute(Command(name, {**argument, "sessionId": begun.id}))

    return work


async def new_in_worktree(execute: Execute, worktree: str) -> SessionInfo:
    """A new session in a worktree."""
    begun: SessionInfo = await execute(Command("glossator.newSession", {"worktree": worktree}))
    return begun


async def newest_session(execute: Execute) -> str:
    """The id of the session that changed last."""
    listed = await execute(Command("glossator.listSessions"))
    if not listed.sessions:
        raise UsageError(NO_SESSION)
    return str(listed.sessions[0].id)
