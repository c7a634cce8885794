"""Explore: a question that a sub-agent follows up by reading."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from glossator.cli.arguments import read_question
from glossator.cli.asking import ask_server
from glossator.cli.options import Exploring, with_options
from glossator.cli.render.renderer import Renderer
from glossator.cli.session import Command
from glossator.cli.wire import Json
from glossator.cli.wire_agents import Explored


@with_options
def explore(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="What to find out, in quotes, or - to read it.")],
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH", help="Where to look; everywhere if none is named."),
    ] = None,
    *,
    thorough: Annotated[
        Literal["quick", "medium", "very"], typer.Option("--thorough", help="How far to go.")
    ] = "medium",
    agent: Annotated[
        str | None,
        typer.Option(
            "--agent",
            metavar="NAME",
            help="The sub-agent that a file in .claude/agents describes.",
            show_default=False,
        ),
    ] = None,
    common: Exploring,
) -> None:
    """Have a sub-agent search and read until it can report; it changes nothing."""

    def show(renderer: Renderer, answer: Explored) -> bool:
        renderer.answer(answer)
        return bool(answer["report"]["findings"])

    argument: dict[str, Json] = {
        "task": read_question([question]),
        "thoroughness": thorough,
        "paths": [_in_workspace(path, common.roots) for path in paths or ()],
    }
    if agent is not None:
        argument["agent"] = agent
    ask_server(context, common, Command("glossator.explore", argument), show)


def _in_workspace(path: Path, roots: tuple[Path, ...]) -> str:
    """As the tools print it: relative to the only folder of the workspace, if it lies there."""
    full = path.absolute()
    if len(roots) == 1 and full.is_relative_to(roots[0]):
        return str(full.relative_to(roots[0]))
    return str(path)
