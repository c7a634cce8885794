"""The commands that a model answers: a question, and the actions on a file or lines of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated

import typer

from glossator.cli.arguments import document_lines, read_question
from glossator.cli.asking import ask_server
from glossator.cli.options import Asking, with_options
from glossator.cli.render.renderer import Renderer
from glossator.cli.session import Command, Work
from glossator.cli.session_commands import in_session
from glossator.cli.wire import Answer, Json
from glossator.core.errors import UsageError
from glossator.usecases.actions import ACTIONS, Action

_PANEL = "With a file, or lines of it"


@with_options
def ask(
    context: typer.Context,
    question: Annotated[list[str], typer.Argument(help="The question, or - to read it.")],
    attach: Annotated[
        list[str] | None,
        typer.Option(
            "--attach",
            metavar="PATH",
            help="Show the model a file, PATH:10-20 of it, a folder or an image; repeat it for"
            " several.",
            show_default=False,
        ),
    ] = None,
    *,
    common: Asking,
) -> None:
    """Answer a question, or do what is asked, from the lines of the workspace."""
    argument: dict[str, Json] = {"question": read_question(question)}
    if attach:
        argument["attachments"] = [document_lines(path, common.roots) for path in attach]
    _answer(context, common, "glossator.ask", argument)


def add_actions(app: typer.Typer) -> None:
    """A command for each action."""
    for action in ACTIONS:
        add = app.command(action.word, help=action.help, rich_help_panel=_PANEL)
        add(_doing(action))


def _doing(action: Action) -> Callable[..., None]:
    @with_options
    def act(
        context: typer.Context,
        lines: Annotated[
            str,
            typer.Argument(metavar="PATH[:FIRST[-LAST]]", help="The file, or lines of it."),
        ],
        instruction: Annotated[
            list[str] | None,
            typer.Argument(metavar="INSTRUCTION", help="What you want of it, in your words."),
        ] = None,
        *,
        common: Asking,
    ) -> None:
        argument = document_lines(lines, common.roots)
        if instruction:
            argument["instruction"] = " ".join(instruction)
        _answer(context, common, action.command, argument)

    return act


def _answer(
    context: typer.Context, common: Asking, name: str, argument: Mapping[str, Json]
) -> None:
    """Run a command in a new session, or in the one that the options name."""
    if common.resume is not None and common.newest:
        raise UsageError("--resume and --continue exclude each other; choose one.")

    def show(renderer: Renderer, answer: Answer) -> bool:
        renderer.answer(answer)
        return answer["stop"] != "refused"  # what a limit ended early is still an answer

    work: Command | Work = Command(name, argument)
    if common.resume is not None or common.newest:
        work = in_session(name, common.resume, argument)
    ask_server(context, common, work, show, thinking=common.thinking)
