"""The commands about what is allowed: permission rules, and which folders are trusted.

`trust` asks no server: it is not a command of the protocol, so that no editor can be tricked into
it. It imports what it needs when it runs, so that the other commands start sooner.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glossator.cli.asking import Command, ask_server
from glossator.cli.options import (
    CommonOptions,
    Json,
    Workspace,
    a_sub_command_follows,
    here,
    with_options,
)
from glossator.core.errors import StoreUnavailable, UsageError
from glossator.core.shown import shown

if TYPE_CHECKING:
    from glossator.cli.render import Display
    from glossator.commands import RuleList

_FAILED = 1

rules = typer.Typer(
    help="List the permission rules that hold here, or remove one.", invoke_without_command=True
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
def list_rules(context: typer.Context, *, session: InSession = None, common: CommonOptions) -> None:
    """List the permission rules that hold here, or remove one."""
    if not a_sub_command_follows(context, common, session is not None):
        ask_server(context, common, Command("glossator.listRules", _of(session)))


@rules.command()
@with_options
def remove(
    context: typer.Context,
    rule: Annotated[str, typer.Argument(metavar="RULE", help="The rule, as the list has it.")],
    *,
    session: InSession = None,
    common: CommonOptions,
) -> None:
    """Remove a rule that you allowed always here, or with --session in that session."""

    def show(display: Display, answer: RuleList) -> bool:
        display.notice(f"Removed {shown(rule)}: Glossator asks again.")
        display.answer(answer)
        return True

    source = "always" if session is None else "session"
    argument = {"text": rule, "source": source, **_of(session)}
    ask_server(context, common, Command("glossator.removeRule", argument), show)


def trust(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="DIR", help="The folder; this one if none is named.", show_default=False
        ),
    ] = None,
    *,
    listing: Annotated[
        bool, typer.Option("--list", help="List the folders that are remembered as trusted.")
    ] = False,
    revoke: Annotated[
        bool, typer.Option("--revoke", help="Trust the folder no longer, be it there or gone.")
    ] = False,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """Trust a folder, and all below it, from now on: commands may be run there."""
    if folders and workspace:
        raise UsageError("A folder is named as DIR or with --workspace, not both; choose one.")
    if listing and (revoke or folders or workspace):
        raise UsageError("--list shows all folders that are remembered; write it alone.")
    from glossator.cli.run import work_here  # noqa: PLC0415 - slow

    named = [] if listing else folders or workspace or [here()]

    def work(display: Display) -> None:
        each_folder = _revoke if revoke else _remember
        done = [each_folder(display, str(folder)) for folder in named]
        if listing or json:
            _list(display)
        if not all(done):
            raise typer.Exit(_FAILED)

    work_here(work, json=json)


def _remember(display: Display, folder: str) -> bool:
    from glossator.permissions import remember_folder, remembered_folders  # noqa: PLC0415 - slow

    damaged = []
    try:
        remembered_folders()
    except StoreUnavailable as problem:  # a new file takes its place
        damaged.append(str(problem))
    path = remember_folder(folder)
    done = (
        f"{shown(path)} is trusted, and all below it. `glossator trust --revoke {_word(path)}`"
        " takes that back."
    )
    _tell(display, [done], damaged)
    return True


def _revoke(display: Display, folder: str) -> bool:
    from glossator.permissions import forget_folder  # noqa: PLC0415 - slow

    forgotten = forget_folder(folder)
    name = shown(folder)
    left = [
        f"{name} is still trusted, because {shown(above)} is. To take that back, run"
        f" `glossator trust --revoke {_word(above)}`."
        for above in forgotten.above
    ]
    if forgotten.below:
        left.append(f"Still trusted below it: {', '.join(map(shown, forgotten.below))}")
    if not (forgotten.known or forgotten.above):
        left.append(
            f"{name} was not remembered as trusted; `glossator trust --list` shows what is."
        )
    done = forgotten.known and not forgotten.above
    _tell(display, [f"{name} is not trusted any more."] if done else [], left)
    return done


def _list(display: Display) -> None:
    from glossator.cli.render.answers import Trusted  # noqa: PLC0415 - slow
    from glossator.permissions import remembered_folders  # noqa: PLC0415 - slow

    display.answer(Trusted(tuple(sorted(remembered_folders()))))


def _tell(display: Display, done: Iterable[str], left: Iterable[str]) -> None:
    """Print what was done, then what was not."""
    for line in done:
        display.notice(line, "")
    for line in left:
        display.notice(line)


def _word(path: str) -> str:
    return shlex.quote(shown(path))


def _of(session: str | None) -> dict[str, Any]:
    return {} if session is None else {"sessionId": session}
