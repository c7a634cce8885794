"""Runs one command: attaches a server, asks it, shows what it sends, and ends it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from functools import partial
from subprocess import Popen
from typing import TYPE_CHECKING, Any

import typer

from glossator.cli.asking import (
    Beside,
    Command,
    Execute,
    Show,
    Talk,
    Work,
    new_in_worktree,
    newest_session,
)
from glossator.cli.messages import (
    NOBODY_TALKS,
    begun_notice,
    go_on_notice,
    open_elsewhere,
    planned_notice,
    taken_away,
)
from glossator.cli.options import CommonOptions
from glossator.cli.render import Display
from glossator.cli.render.renderer import Renderer, choose
from glossator.cli.replies import Replies, User
from glossator.cli.server import ResponseError, ServerProcess
from glossator.cli.session import CommandCancelled, Setup, run_command
from glossator.cli.talking import Talking
from glossator.cli.terminal import SharedKeyboard, StandardInput, TerminalLock
from glossator.core.answer import Answer
from glossator.core.errors import GlossatorError, UsageError
from glossator.core.plan_text import PLANNED, answered_offer, offer_plan, plan_of
from glossator.core.words import Act

if TYPE_CHECKING:
    from glossator.cli.editor import LineEditor

_DUMB = ("dumb", "unknown")  # terminals that draw nothing
_FAILED = 1
_REQUEST_FAILED = -32803  # LSP's, for what cannot be carried out as it was asked


class CommandRun:
    """Shows what the server sends, and asks the user."""

    def __init__(
        self,
        common: CommonOptions,
        work: Command | Work | Talk,
        show: Show,
        *,
        thinking: bool,
        progress: bool,
    ) -> None:
        for stream in (sys.stdout, sys.stderr):
            accept_any_text(stream)
        self._common = common
        self._todo = work
        self._show = show
        self._progress = progress
        self._editor = self._line_editor()
        self._display = choose(
            json=common.json,
            terminal=sys.stdout.isatty(),
            thinking=thinking,
            outputs=common.shows_outputs,
            roots=common.roots,
            below=self._editor,
        )
        self._lock = TerminalLock()
        self._user: User | None = None
        self._talking: Talking | None = None
        if isinstance(self._display, Renderer) and sys.stdin.isatty():
            keyboard = SharedKeyboard(self._editor or StandardInput())
            self._user = User(self._display, keyboard, self._lock)
        self._session_id = ""  # of the last run
        self._goes_on_elsewhere = False
        self._shown: object = None  # the last answer
        self._good = False  # whether it was a good one

    def carry_out(self, process: Popen[bytes]) -> int:
        """Do the work with the server that is this process; gives the exit code."""
        try:
            self._work(process)
        except CommandCancelled as cancelled:
            self._display.close()
            if self._goes_on_elsewhere:
                return cancelled.exit_code  # that was said
            print(cancelled, file=sys.stderr)
            if self._session_id:
                command = "chat" if isinstance(self._todo, Talk) else "ask"
                print(go_on_notice(command, self._session_id), file=sys.stderr)
            return cancelled.exit_code
        except GlossatorError as error:
            self._display.error(code_of(error), str(error))
            return _FAILED
        finally:
            self._display.close()
        return 0 if self._good else _FAILED

    def _line_editor(self) -> LineEditor | None:
        """For a chat at a terminal that can draw one."""
        can_draw = all(stream.isatty() for stream in (sys.stdin, sys.stdout))
        if not isinstance(self._todo, Talk) or self._common.json or not can_draw:
            return None
        if os.environ.get("TERM", "dumb") in _DUMB:
            return None
        from glossator.cli.editor import LineEditor  # noqa: PLC0415 - slow; the server boots meanwhile

        return LineEditor(self._common.roots)

    def _work(self, process: Popen[bytes]) -> None:
        """Do the work on an event loop; leaves no process behind."""
        common, server = self._common, None
        leaves = not isinstance(self._todo, Talk)
        setup = Setup(common.roots, common.settings, self._user is not None, common.trusted, leaves)
        replies = Replies(self._display, common.roots, self._lock, self._user)
        with asyncio.Runner() as runner:
            try:
                server = runner.run(ServerProcess.attach(process, verbose=common.verbose))
                running = run_command(
                    server, setup, self._carried_out, self._heard, replies.reply, self._answered
                )
                runner.run(self._at_the_line(running))
            finally:
                self._lock.release()
                signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is ending already
                process.kill()
                process.wait()
                if server is not None:
                    runner.run(server.release())

    async def _at_the_line(self, running: Awaitable[None]) -> None:
        async with self._editor or nullcontext():
            await running

    def _heard(self, method: str, params: dict[str, Any]) -> None:
        if method == "glossator/event":
            if params["kind"] == "run.started":
                self._session_id = params["sessionId"]  # it has the question from here on
            if params["kind"] == "run.cancelled":
                self._goes_on_elsewhere = bool(params.get("elsewhere"))
            if self._talking is not None:
                self._talking.heard(params)
            self._lock.show(partial(self._display.event, params))
        elif method == "$/progress":
            show = self._display.progress if self._progress else self._display.background
            show(params["value"])
        elif method == "glossator/session" and params["elsewhere"] and self._talking is not None:
            self._lock.show(partial(self._display.notice, taken_away(params["elsewhere"])))
        elif method == "window/showMessage":
            self._lock.show(partial(self._display.notice, params["message"]))

    def _answered(self, answer: object) -> None:
        self._lock.release()
        if answer is not self._shown:  # a plan is shown before the user is asked about it
            self._shown = answer
            self._good = self._show(self._display, answer)

    async def _carried_out(self, execute: Execute, beside: Beside) -> object:
        """The last answer."""
        work = self._todo
        if not isinstance(work, Talk):
            return await self._with_plans(work, execute)
        if self._user is None or not isinstance(self._display, Renderer):
            raise UsageError(NOBODY_TALKS)
        session = await newest_session(execute) if work.newest else work.session_id
        if session is not None:
            await self._take_over(session, execute, self._user)
        if work.worktree is not None:
            begun = await new_in_worktree(execute, work.worktree)
            session = begun.id
            self._display.notice(begun_notice(begun))
        self._talking = Talking(
            self._user,
            beside,
            lambda command: self._with_plans(command, execute),
            self._answered,
            session,
        )
        self._good = True
        if self._editor is not None:
            self._editor.connect(beside)
        beside.stay()
        await self._talking.talk()
        if self._editor is not None:
            await self._editor.close()
        return self._shown

    async def _take_over(self, session_id: str, execute: Execute, user: User) -> None:
        """Ask whether to take a session over, if another program has it open."""
        listed = await execute(Command("glossator.listSessions"))
        for each in listed.sessions:
            if each.id == session_id and each.elsewhere:
                reply = await user.answer(open_elsewhere(each.title, each.elsewhere))
                if Act.TAKE_OVER in reply["chosen"]:
                    await execute(Command("glossator.takeOver", {"sessionId": session_id}))

    async def _with_plans(self, work: Command | Work, execute: Execute) -> object:
        """The answer. After a plan the user decides, and the follow-up gives the answer.

        A program (--json) is not asked.
        """
        self._display.working()
        answer = await (execute(work) if isinstance(work, Command) else work(execute))
        while isinstance(answer, Answer) and answer.stop == PLANNED and not self._common.json:
            self._answered(answer)
            wanted = await self._wanted(answer)
            if wanted is None:
                self._display.notice(planned_notice(answer.session_id))
                return answer
            answer = await execute(wanted)
        return answer

    async def _wanted(self, answer: Answer) -> Command | None:
        """What the user wants done about a plan: it is started in a mode, or changed in words."""
        if self._user is None:
            return None
        reply = await self._user.answer(offer_plan(plan_of(answer.text)))
        given = reply["chosen"], reply["words"], reply.get("draft", "")
        command = answered_offer(answer.session_id, *given)
        return None if command is None else Command(*command)


def work_here(work: Callable[[Display], None], *, json: bool) -> None:
    """Do work that asks no server, with a display. Raises `typer.Exit` if it fails."""
    for stream in (sys.stdout, sys.stderr):
        accept_any_text(stream)
    display = choose(json=json, terminal=sys.stdout.isatty(), thinking=False, roots=())
    try:
        work(display)
    except GlossatorError as error:
        display.error(code_of(error), str(error))
        raise typer.Exit(_FAILED) from error
    finally:
        display.close()


def code_of(error: GlossatorError) -> int:
    """The code of an error in JSON: the server's own, or the one it would have sent, or 0."""
    if isinstance(error, ResponseError):
        return error.code
    return _REQUEST_FAILED if isinstance(error, UsageError) else 0


def accept_any_text(stream: object) -> None:
    """File names need not be UTF-8, and a terminal need not know every letter."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
