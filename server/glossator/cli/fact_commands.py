"""The commands about facts: list, forget, pin, clear and export them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from glossator.cli.asking import Command, ask_server
from glossator.cli.options import CommonOptions, with_options
from glossator.core.errors import UsageError

if TYPE_CHECKING:
    from glossator.cli.render import Display
    from glossator.ledger import FactList

facts = typer.Typer(
    help="List the facts that earlier answers established, or work on some.",
    invoke_without_command=True,
)

Id = Annotated[str, typer.Argument(metavar="ID", help="The fact, as the list names it.")]
Ids = Annotated[
    list[str], typer.Argument(metavar="ID...", help="The facts, as the list names them.")
]


@facts.callback()
@with_options
def list_facts(context: typer.Context, *, common: CommonOptions) -> None:
    """List the facts that earlier answers established, or work on some."""
    if context.invoked_subcommand is not None:
        if common != CommonOptions():
            raise UsageError(f"Write the options after `{context.invoked_subcommand}`.")
        return
    ask_server(context, common, Command("glossator.listFacts"), _show)


@facts.command("forget")
@with_options
def forget_facts(context: typer.Context, ids: Ids, *, common: CommonOptions) -> None:
    """Forget facts for good."""
    ask_server(context, common, Command("glossator.forgetFact", {"ids": ids}))


@facts.command("pin")
@with_options
def pin_fact(context: typer.Context, fact: Id, *, common: CommonOptions) -> None:
    """Have a fact go with every question (the 20 newest pinned ones do), and dropped last."""
    ask_server(context, common, Command("glossator.pinFact", {"id": fact, "on": True}))


@facts.command("unpin")
@with_options
def unpin_fact(context: typer.Context, fact: Id, *, common: CommonOptions) -> None:
    """Treat a pinned fact as all others."""
    ask_server(context, common, Command("glossator.pinFact", {"id": fact, "on": False}))


@facts.command("clear")
@with_options
def clear_facts(
    context: typer.Context,
    *,
    stale: Annotated[
        bool, typer.Option("--stale", help="Only facts whose lines have changed.")
    ] = False,
    common: CommonOptions,
) -> None:
    """Forget all facts of the workspace, and what is remembered of its sessions."""
    ask_server(context, common, Command("glossator.clearFacts", {"stale": stale}))


@facts.command("export")
@with_options
def export_facts(
    context: typer.Context,
    session_id: Annotated[
        str | None, typer.Argument(metavar="SESSION", help="The memory of this session instead.")
    ] = None,
    *,
    common: CommonOptions,
) -> None:
    """Print the facts as JSON, with the hashes of their lines."""
    ask_server(context, common, Command("glossator.exportFacts", {"sessionId": session_id}))


def _show(display: Display, answer: FactList) -> bool:
    display.answer(answer)
    return not answer.problems
