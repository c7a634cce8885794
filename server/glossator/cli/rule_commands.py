"""The commands about permission rules: list them, and remove one that was answered."""

from __future__ import annotations

from typing import Annotated

import typer

from glossator.cli.asking import ask_server
from glossator.cli.options import Common, with_options
from glossator.cli.render.renderer import Renderer
from glossator.cli.session import Command
from glossator.cli.wire import Json, Rules
from glossator.core.errors import UsageError
from glossator.core.shown import shown

rules = typer.Typer(
    help="List the permission rules that hold here, or remove one.",
    invoke_without_command=True,
)

InSession = Annotated[
    str | None,
    typer.Option(
        "--session",
        metavar="ID",
        help="The session whose answers are meant, too.",
        show_default=False,
    ),
]


@rules.callback()
@with_options
def list_rules(
    context: typer.Context,
    *,
    session: InSession = None,
    common: Common,
) -> None:
    """List the permission rules that hold here, or remove one."""
    if context.invoked_subcommand is not None:
        if common != Common() or session is not None:
            raise UsageError(f"Write the options after `{context.invoked_subcommand}`.")
        return

    def show(renderer: Renderer, answer: Rules) -> bool:
        renderer.rules(answer)
        return True

    ask_server(context, common, Command("glossator.listRules", _of(session)), show)


@rules.command()
@with_options
def remove(
    context: typer.Context,
    rule: Annotated[str, typer.Argument(metavar="RULE", help="The rule, as the list has it.")],
    *,
    session: InSession = None,
    common: Common,
) -> None:
    """Remove a rule that you allowed always here, or with --session in that session."""

    def show(renderer: Renderer, answer: Rules) -> bool:
        renderer.notice(f"Removed {shown(rule)}: Glossator asks again.")
        renderer.rules(answer)
        return True

    source = "always" if session is None else "session"
    argument = {"text": rule, "source": source, **_of(session)}
    ask_server(context, common, Command("glossator.removeRule", argument), show)


def _of(session: str | None) -> dict[str, Json]:
    return {} if session is None else {"sessionId": session}
