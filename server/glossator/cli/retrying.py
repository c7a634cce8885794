"""Retry: the last question asked again, or another in its place."""

from __future__ import annotations

from typing import Annotated

import typer

from glossator.cli.arguments import read_question
from glossator.cli.asking import ask_server
from glossator.cli.options import Acting, with_options
from glossator.cli.render.renderer import Renderer
from glossator.cli.render.sessions import left_lines
from glossator.cli.session import Command, Execute
from glossator.cli.session_commands import newest_session
from glossator.cli.wire import Json
from glossator.cli.wire_sessions import Retried


@with_options
def retry(
    context: typer.Context,
    question: Annotated[
        list[str] | None,
        typer.Argument(help="What to ask in its place, or - to read it.", show_default=False),
    ] = None,
    *,
    common: Acting,
    thinking: Annotated[bool, typer.Option("--thinking", help="Show the thinking.")] = False,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume",
            metavar="ID",
            help="In this session; the newest if none is named.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Ask the last question again with all that went with it, or another in its place."""
    argument: dict[str, Json] = {"question": read_question(question)} if question else {}

    async def work(execute: Execute) -> Json:
        session = resume or await newest_session(execute)
        return await execute(Command("glossator.retry", {"sessionId": session, **argument}))

    def show(renderer: Renderer, answer: Retried) -> bool:
        renderer.answer(answer)
        for line in left_lines(answer):
            renderer.notice(line)
        return answer["stop"] != "refused"

    ask_server(context, common, work, show, thinking=thinking)
