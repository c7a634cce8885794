"""The command about generated contexts: estimate, ask, make, share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glossator.cli.asking import Command, ask_server
from glossator.cli.messages import plural
from glossator.cli.options import ExploringOptions, with_options
from glossator.core.errors import UsageError

if TYPE_CHECKING:
    from glossator.cli.render import Display
    from glossator.retrieval import (
        BatchesEnded,
        ContextsAnswer,
        ContextsEstimate,
        ContextsExported,
        ContextsImported,
    )

_SHARING = "Sharing"
_BATCHES = "Batches"


@with_options
def contexts(  # noqa: PLR0913 - an option each
    context: typer.Context,
    path: Annotated[
        str | None,
        typer.Option("--path", "-p", metavar="DIR", help="Only for files below this folder."),
    ] = None,
    glob: Annotated[
        str | None,
        typer.Option("--glob", "-g", metavar="GLOB", help="Only for these files, such as '*.py'."),
    ] = None,
    *,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Show what it would cost, and ask nothing.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask; needs --dollars, the most to spend.")
    ] = False,
    dollars: Annotated[
        float | None,
        typer.Option("--dollars", metavar="N", help="The most to spend, in US dollars."),
    ] = None,
    batch: Annotated[
        bool,
        typer.Option(
            "--batch",
            help="With --yes: at half the price per request, in minutes to a day.",
            rich_help_panel=_BATCHES,
        ),
    ] = False,
    cancel: Annotated[
        bool,
        typer.Option(
            "--cancel", help="Ask to end the batches under way.", rich_help_panel=_BATCHES
        ),
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="FILE",
            help="Write the contexts that there are for a colleague.",
            rich_help_panel=_SHARING,
        ),
    ] = None,
    taken: Annotated[
        Path | None,
        typer.Option(
            "--import",
            metavar="FILE",
            help="Take in a colleague's.",
            rich_help_panel=_SHARING,
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    common: ExploringOptions,
) -> None:
    """Have the fast model describe each chunk for Search, after a yes to the estimate."""
    if sum((estimate, yes, cancel, export is not None, taken is not None)) > 1:
        raise UsageError(
            "--estimate, --yes, --cancel, --export and --import exclude each other; choose one."
        )
    if yes and dollars is None:
        raise UsageError("--yes needs --dollars N, the most that may be spent.")
    files: dict[str, Any] = {}
    files.update(
        (name, value) for name, value in (("path", path), ("glob", glob)) if value is not None
    )
    if estimate:
        ask_server(context, common, Command("glossator.estimateContexts", files), _show_estimate)
    elif cancel:
        ask_server(context, common, Command("glossator.endBatches"), _show_ended)
    elif export is not None:
        _export(context, common, files, export)
    elif taken is not None:
        given = {"text": taken.read_text("utf-8")}
        ask_server(context, common, Command("glossator.importContexts", given), _show_taken)
    else:
        argument: dict[str, Any] = files | {"confirmed": yes, "batched": batch}
        if dollars is not None:
            argument["dollars"] = dollars
        command = Command("glossator.generateContexts", argument)
        ask_server(context, common, command, _show_made, progress=True)


def _export(
    context: typer.Context, common: ExploringOptions, files: dict[str, Any], place: Path
) -> None:
    def show(display: Display, answer: ContextsExported) -> bool:
        place.write_text(answer.text, "utf-8")
        display.notice(f"{plural(answer.count, 'context')} written to {place}.", "")
        return True

    ask_server(context, common, Command("glossator.exportContexts", files), show)


def _show_estimate(display: Display, answer: ContextsEstimate) -> bool:
    display.answer(answer)
    return True


def _show_made(display: Display, answer: ContextsAnswer) -> bool:
    display.answer(answer)
    return not (answer.failed or answer.stopped)


def _show_taken(display: Display, answer: ContextsImported) -> bool:
    display.answer(answer)
    return True


def _show_ended(display: Display, answer: BatchesEnded) -> bool:
    display.answer(answer)
    return True
