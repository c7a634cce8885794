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
from glossator.cli.wire import Answer, Json
from glossator.cli.wire_sessions import Rewound


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
    """Ask the last question again, or another in its place; files stay as they are."""
    words = read_question(question) if question else None
    left: list[str] = []

    async def work(execute: Execute) -> Json:
        session = {"sessionId": resume or await newest_session(execute)}
        rewound: Rewound = await execute(Command("glossator.rewind", session))
        left.extend(left_lines(rewound))
        asked = words or rewound["runs"][0]["question"]
        return await execute(Command("glossator.ask", {**session, "question": asked}))

    def show(renderer: Renderer, answer: Answer) -> bool:
        renderer.answer(answer)
        for line in left:
            renderer.notice(line)
        return answer["stop"] != "refused"

    ask_server(context, common, work, show, thinking=thinking)
