"""`on` and `off`: what goes into the window, or does not, in this workspace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glossator.cli.asking import Command, Execute, Show, Work, ask_server, show_answer
from glossator.cli.options import CommonOptions, with_options
from glossator.core.errors import UsageError

if TYPE_CHECKING:
    from glossator.commands import ContextSourceList

Name = Annotated[str, typer.Argument(metavar="NAME", help="As the list names it.")]


def add_switches(
    group: typer.Typer,
    kinds: Sequence[str],
    what: str,
    listing: Command,
    show: Show = show_answer,
) -> None:
    """Add both to the commands that list and work on `what`; they end with the `listing`."""

    @group.command("on", help=f"Turn {what} on again that you turned off in this workspace.")
    @with_options
    def turn_on(context: typer.Context, name: Name, *, common: CommonOptions) -> None:
        ask_server(context, common, _turned(kinds, name, listing, on=True), show)

    @group.command("off", help=f"Turn {what} off in this workspace.")
    @with_options
    def turn_off(context: typer.Context, name: Name, *, common: CommonOptions) -> None:
        ask_server(context, common, _turned(kinds, name, listing, on=False), show)


def _turned(kinds: Sequence[str], name: str, listing: Command, *, on: bool) -> Work:
    async def work(execute: Execute) -> Any:  # noqa: ANN401 - what the listing answers
        kind, bare = kinds[0], name
        if len(kinds) > 1:
            kind, bare = await _kind_of(execute, kinds, name)
        argument = {"kind": kind, "id": bare, "on": on}
        await execute(Command("glossator.switchContext", argument))
        return await execute(listing)

    return work


async def _kind_of(execute: Execute, kinds: Sequence[str], name: str) -> tuple[str, str]:
    """What `/name`, `kind:name` or `name` is, and its name. Raises `UsageError`."""
    prefix, _, rest = name.partition(":")
    if name.startswith("/"):
        return "command", name[1:]
    if rest and prefix in kinds:
        return prefix, rest
    found: ContextSourceList = await execute(Command("glossator.listContext"))
    named = {each.kind.value for each in found.sources if name in (each.id, each.name)}
    match [kind for kind in kinds if kind in named]:
        case [kind]:
            return kind, name
        case [first, *_]:
            raise UsageError(
                f"Several things are called {name}: {', '.join(sorted(named))}. Write which one you"
                f" mean, as in {first}:{name}."
            )
        case _:
            raise UsageError(
                f"Nothing here is called {name}; `glossator skills` lists what there is."
            )
