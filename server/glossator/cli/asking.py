"""Run one command on the server and show what it says, whatever that is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import typer

from glossator.cli.errors import Cancelled, code_of
from glossator.cli.floor import Floor
from glossator.cli.keyboard import Terminal
from glossator.cli.options import Common
from glossator.cli.planning import Planning
from glossator.cli.render.renderer import Renderer, choose
from glossator.cli.replies import Replies
from glossator.cli.session import Command, Execute, Setup, Work, run_command
from glossator.cli.wire import Json
from glossator.core.errors import GlossatorError

if TYPE_CHECKING:
    from glossator.cli.program import Program

_FAILED = 1

Show = Callable[[Renderer, Json], bool]  # shows an answer; whether it is a good one


def ask_server(
    context: typer.Context,
    common: Common,
    work: Command | Work,
    show: Show,
    *,
    thinking: bool = False,
    progress: bool = False,
) -> None:
    """Do the `work` and `show` its answer. Raises `typer.Exit` for every bad end.

    `progress`: the work goes on in the background, and how far it is is shown.
    """
    program: Program = context.obj
    server = program.server(verbose=common.verbose)
    for stream in (sys.stdout, sys.stderr):
        accept_any_text(stream)
    renderer = choose(
        json=common.json, terminal=sys.stdout.isatty(), thinking=thinking, roots=common.roots
    )
    floor = Floor()
    hearing = _Hearing(renderer, floor, show, progress=progress)
    keyboard = Terminal() if sys.stdin.isatty() and not common.json else None
    replies = Replies(renderer, common.roots, floor, keyboard)
    setup = Setup(common.roots, common.settings, keyboard is not None, common.trusted)
    run = _one(work) if isinstance(work, Command) else work
    planning = None if common.json else Planning(renderer, replies, hearing.answered)
    try:
        try:
            program.work(
                run_command(
                    server,
                    setup,
                    planning.after(run) if planning else run,
                    hearing.heard,
                    replies.reply,
                    hearing.answered,
                )
            )
        finally:
            floor.release()
    except Cancelled as cancelled:
        renderer.close()
        print(cancelled, file=sys.stderr)
        raise typer.Exit(cancelled.exit_code) from cancelled
    except GlossatorError as error:
        renderer.error(code_of(error), str(error))
        raise typer.Exit(_FAILED) from error
    finally:
        renderer.close()
    if not hearing.good:
        raise typer.Exit(_FAILED)


class _Hearing:
    """Shows what the server says; `good`: it has answered, and well."""

    def __init__(self, renderer: Renderer, floor: Floor, show: Show, *, progress: bool) -> None:
        self.good = False
        self._renderer = renderer
        self._floor = floor
        self._show = show
        self._progress = progress
        self._shown: Json = None

    def heard(self, method: str, params: Json) -> None:
        if method == "glossator/event":
            self._floor.show(partial(self._renderer.event, params))
        elif method == "$/progress" and self._progress:
            self._renderer.progress(params["value"])
        elif method == "window/showMessage":
            self._floor.show(partial(self._renderer.notice, params["message"]))

    def answered(self, answer: Json) -> None:
        self._floor.release()
        if answer is not self._shown:  # a plan, before the user was asked about it
            self._shown = answer
            self.good = self._show(self._renderer, answer)


def _one(command: Command) -> Work:
    async def work(execute: Execute) -> Json:
        return await execute(command)

    return work


def accept_any_text(stream: object) -> None:
    """File names need not be UTF-8, and a terminal need not know every letter."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
