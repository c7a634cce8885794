"""Run one command on the server and show what it says, whatever that is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

from glossator.cli.errors import Cancelled, ResponseError
from glossator.cli.options import Common
from glossator.cli.render.renderer import Renderer, choose
from glossator.cli.replies import Replies
from glossator.cli.session import Command, Setup, run_command
from glossator.cli.wire import Json
from glossator.core.errors import GlossatorError

if TYPE_CHECKING:
    from glossator.cli.program import Program

_FAILED = 1

Show = Callable[[Renderer, Json], bool]  # shows an answer; whether it is a good one


def ask_server(
    context: typer.Context,
    common: Common,
    command: Command,
    show: Show,
    *,
    thinking: bool = False,
    progress: bool = False,
) -> None:
    """Run `command` and `show` its answer. Raises `typer.Exit` for every bad end.

    `progress`: the command waits for work in the background, whose progress is shown.
    """
    program: Program = context.obj
    server = program.server(verbose=common.verbose)
    for stream in (sys.stdout, sys.stderr):
        _accept_any_text(stream)
    renderer = choose(
        json=common.json, terminal=sys.stdout.isatty(), thinking=thinking, roots=common.roots
    )
    hearing = _Hearing(renderer, show, progress=progress)
    replies = Replies(renderer, common.roots)
    setup = Setup(common.roots, common.settings, answers=sys.stdin.isatty() and not common.json)
    try:
        program.work(
            run_command(server, setup, command, hearing.heard, replies.reply, hearing.answered)
        )
    except Cancelled as cancelled:
        renderer.close()
        print(cancelled, file=sys.stderr)
        raise typer.Exit(cancelled.exit_code) from cancelled
    except GlossatorError as error:
        renderer.error(error.code if isinstance(error, ResponseError) else 0, str(error))
        raise typer.Exit(_FAILED) from error
    finally:
        renderer.close()
    if not hearing.good:
        raise typer.Exit(_FAILED)


class _Hearing:
    """Shows what the server says; `good`: it has answered, and well."""

    def __init__(self, renderer: Renderer, show: Show, *, progress: bool) -> None:
        self.good = False
        self._renderer = renderer
        self._show = show
        self._progress = progress

    def heard(self, method: str, params: Json) -> None:
        if method == "glossator/event":
            self._renderer.event(params)
        elif method == "$/progress" and self._progress:
            self._renderer.progress(params["value"])
        elif method == "window/showMessage":
            self._renderer.notice(params["message"])

    def answered(self, answer: Json) -> None:
        self.good = self._show(self._renderer, answer)


def _accept_any_text(stream: object) -> None:
    """File names need not be UTF-8, and a terminal need not know every letter."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
