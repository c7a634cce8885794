"""The command that lists what bears on a question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from glossator.cli.asking import Command, ask_server
from glossator.cli.options import ModelledOptions, with_options

if TYPE_CHECKING:
    from glossator.cli.render import Display
    from glossator.retrieval import SearchAnswer

_STAGES = "Stages of the search"


@with_options
def search(  # noqa: PLR0913 - an option each
    context: typer.Context,
    query: Annotated[list[str], typer.Argument(help="A question, names, or terms.")],
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", "-n", min=1, help="The most hits to show; 20 if not given.", metavar="N"
        ),
    ] = None,
    path: Annotated[
        str | None,
        typer.Option("--path", "-p", metavar="DIR", help="Search only below this folder."),
    ] = None,
    glob: Annotated[
        str | None,
        typer.Option(
            "--glob", "-g", metavar="GLOB", help="Search only these files, such as '*.py'."
        ),
    ] = None,
    *,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Show each stage's rank and score of each hit, and what weighed most.",
        ),
    ] = False,
    no_lexical: Annotated[
        bool,
        typer.Option("--no-lexical", help="Without the words in common.", rich_help_panel=_STAGES),
    ] = False,
    no_vectors: Annotated[
        bool, typer.Option("--no-vectors", help="Without embeddings.", rich_help_panel=_STAGES)
    ] = False,
    no_rerank: Annotated[
        bool, typer.Option("--no-rerank", help="Without the reranker.", rich_help_panel=_STAGES)
    ] = False,
    common: ModelledOptions,
) -> None:
    """Find the places that matter to a question, best first; no model answers."""
    words = " ".join(query)
    off = {"lexical": no_lexical, "vectors": no_vectors, "rerank": no_rerank}
    argument: dict[str, Any] = {"query": words}
    given = {"limit": limit, "path": path, "glob": glob}
    argument.update((name, value) for name, value in given.items() if value is not None)
    if without := [name for name, is_off in off.items() if is_off]:
        argument["without"] = without
    if explain:
        argument["explain"] = True

    def show(display: Display, answer: SearchAnswer) -> bool:
        display.answer(answer)
        return True

    ask_server(context, common, Command("glossator.search", argument), show)
