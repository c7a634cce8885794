"""Gloss, and overview: what a sub-agent finds out about a place is kept in its margin."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from glossator.cli.arguments import document_lines
from glossator.cli.asking import ask_server
from glossator.cli.options import Exploring, with_options
from glossator.cli.render.renderer import Renderer
from glossator.cli.session import Command
from glossator.cli.wire import Json
from glossator.cli.wire_agents import Explored
from glossator.core.errors import UsageError

_NOT_KEPT = (
    "This was not kept in the margin: there is a whole gloss of a model, which is still fresh, or"
    " it cites no lines that were read."
)

Thoroughness = Literal["quick", "medium", "very"]


@with_options
def gloss(
    context: typer.Context,
    place: Annotated[
        str, typer.Argument(help="A file, FILE:LINE, a folder, or a symbol such as Parser.parse.")
    ],
    *,
    thorough: Annotated[Thoroughness, typer.Option("--thorough", help="How far to go.")] = "quick",
    common: Exploring,
) -> None:
    """Find out what a place is for, and keep that in the margin, where editors show it."""
    argument = _pointed_at(place, common.roots) | {"thoroughness": thorough}
    ask_server(context, common, Command("glossator.gloss", argument), _show)


@with_options
def overview(
    context: typer.Context,
    *,
    thorough: Annotated[Thoroughness, typer.Option("--thorough", help="How far to go.")] = "very",
    common: Exploring,
) -> None:
    """Describe the architecture of the workspace: parts, entry points, the flow of data."""
    argument = {"thoroughness": thorough}
    ask_server(context, common, Command("glossator.exploreWorkspace", argument), _show)


def _show(renderer: Renderer, answer: Explored) -> bool:
    renderer.answer(answer)
    found = bool(answer["report"]["findings"])
    if found and answer["document"] is None:
        renderer.notice(_NOT_KEPT)
    return found


def _pointed_at(place: str, roots: Sequence[Path]) -> dict[str, Json]:
    """A place on disk, as `document_lines` finds it; anything else is a symbol's name."""
    try:
        found = document_lines(place, roots)
    except UsageError:
        if "/" in place:
            raise
        return {"name": place}
    line = found.pop("firstLine", None)
    found.pop("lastLine", None)
    return found if line is None else found | {"line": line}
