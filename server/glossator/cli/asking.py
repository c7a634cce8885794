"""Run one command on the server and show what it says, whatever that is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

from glossator.cli.errors import Cancelled, ResponseError
from glossator.cli.options import Common
from glossator.cli.render.renderer import Renderer, choose
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
    good = False

    def notified(method: str, params: Json) -> None:
        if method == "glossator/event":
            renderer.event(params)
        elif method == "$/progress" and progress:
            renderer.progress(params["value"])
        elif method == "window/showMessage":
            renderer.notice(params["message"])

    def answered(answer: Json) -> None:
        nonlocal good
        good = show(renderer, answer)

    try:
        program.work(
            run_command(server, Setup(common.roots, common.settings), command, notified, answered)
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
    if not good:
        raise typer.Exit(_FAILED)


def _accept_any_text(stream: object) -> None:
    """File names need not be UTF-8, and a terminal need not know every letter."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
