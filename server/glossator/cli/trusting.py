"""Trust: which folders the user trusts is remembered by this process alone, and asks no server.

It is no command of the protocol, so that nothing an editor shows can lead to it. What it needs is
imported when it is asked for: the other commands start sooner without.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from glossator.cli.asking import accept_any_text
from glossator.cli.errors import code_of
from glossator.cli.options import Json, Workspace, here
from glossator.cli.render.renderer import Renderer, choose
from glossator.core.errors import GlossatorError, StoreUnavailable, UsageError
from glossator.core.shown import shown

_FAILED = 1


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
    for stream in (sys.stdout, sys.stderr):
        accept_any_text(stream)
    named = [] if listing else folders or workspace or [here()]
    renderer = choose(json=json, terminal=sys.stdout.isatty(), thinking=False, roots=())
    try:
        work = _revoke if revoke else _remember
        done = [work(renderer, str(folder)) for folder in named]
        if listing or json:
            _list(renderer)
    except GlossatorError as error:
        renderer.error(code_of(error), str(error))
        raise typer.Exit(_FAILED) from error
    finally:
        renderer.close()
    if not all(done):
        raise typer.Exit(_FAILED)


def _remember(renderer: Renderer, folder: str) -> bool:
    from glossator.permissions.trust import remember_folder, remembered_folders  # noqa: PLC0415 - slow

    damaged = []
    try:
        remembered_folders()
    except StoreUnavailable as problem:  # it begins anew
        damaged.append(str(problem))
    path = remember_folder(folder)
    done = (
        f"{shown(path)} is trusted, and all below it. `glossator trust --revoke {_word(path)}`"
        " takes that back."
    )
    renderer.trust([done], damaged)
    return True


def _revoke(renderer: Renderer, folder: str) -> bool:
    from glossator.permissions.trust import forget_folder  # noqa: PLC0415 - slow

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
    renderer.trust([f"{name} is not trusted any more."] if done else [], left)
    return done


def _list(renderer: Renderer) -> None:
    from glossator.permissions.trust import remembered_folders  # noqa: PLC0415 - slow

    renderer.trusted(sorted(remembered_folders()))


def _word(path: str) -> str:
    return shlex.quote(shown(path))
