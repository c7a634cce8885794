"""The commands about sessions: list them, and work on one; undo turns, redo, or ask again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from glossator.cli.asking import ask_server
from glossator.cli.messages import NO_SESSION
from glossator.cli.options import Common, Modelled, with_options
from glossator.cli.render.renderer import Renderer
from glossator.cli.render.sessions import not_undone
from glossator.cli.session import Command, Execute, Work
from glossator.cli.wire import (
    Json,
)
from glossator.cli.wire_agents import Agents, AgentTranscript
from glossator.cli.wire_sessions import (
    Compacted,
    Context,
    DeletedSession,
    ExportedSession,
    Rewound,
    Session,
    Sessions,
    Turns,
    Undone,
)
from glossator.core.errors import UsageError

sessions = typer.Typer(
    help="List the sessions of the workspace, or work on one.",
    invoke_without_command=True,
)

Id = Annotated[str, typer.Argument(metavar="ID", help="The session, as the list names it.")]
IdOrNewest = Annotated[
    str | None,
    typer.Argument(metavar="ID", help="The session; the newest if none is named."),
]


def in_session(name: str, session_id: str | None, argument: Mapping[str, Json]) -> Work:
    """The command `name` in a session, or in the newest of the workspace.

    The work raises `UsageError` when there is none.
    """

    async def work(execute: Execute) -> Json:
        chosen = session_id or await newest_session(execute)
        return await execute(Command(name, {**argument, "sessionId": chosen}))

    return work


@sessions.callback()
@with_options
def list_sessions(
    context: typer.Context,
    *,
    common: Common,
) -> None:
    """List the sessions of the workspace, or work on one."""
    if context.invoked_subcommand is not None:
        if common != Common():
            raise UsageError(f"Write the options after `{context.invoked_subcommand}`.")
        return

    def show(renderer: Renderer, answer: Sessions) -> bool:
        renderer.sessions(answer)
        return True

    ask_server(context, common, Command("glossator.listSessions"), show)


@sessions.command()
@with_options
def rename(
    context: typer.Context,
    session_id: Id,
    title: Annotated[list[str], typer.Argument(metavar="TITLE", help="Its new title.")],
    *,
    common: Common,
) -> None:
    """Give a session another title."""

    def show(renderer: Renderer, session: Session) -> bool:
        renderer.session(session)
        return True

    command = Command(
        "glossator.renameSession", {"sessionId": session_id, "title": " ".join(title)}
    )
    ask_server(context, common, command, show)


@sessions.command()
@with_options
def delete(
    context: typer.Context,
    session_id: Id,
    *,
    common: Common,
) -> None:
    """Delete a session for good."""

    def show(renderer: Renderer, answer: DeletedSession) -> bool:
        renderer.deleted(answer)
        return True

    command = Command("glossator.deleteSession", {"sessionId": session_id})
    ask_server(context, common, command, show)


@sessions.command()
@with_options
def export(
    context: typer.Context,
    session_id: Id,
    *,
    form: Annotated[
        Literal["markdown", "json"],
        typer.Option("--format", help="Markdown is for reading; JSON has everything."),
    ] = "markdown",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A file, or a folder for one.", show_default=False),
    ] = None,
    common: Common,
) -> None:
    """Print a session, or write it to a file."""

    def show(renderer: Renderer, answer: ExportedSession) -> bool:
        if output is None:
            renderer.exported(answer)
        else:
            _write(output, answer)
        return True

    command = Command("glossator.exportSession", {"sessionId": session_id, "format": form})
    ask_server(context, common, command, show)


@sessions.command()
@with_options
def compact(
    context: typer.Context,
    session_id: IdOrNewest = None,
    *,
    common: Modelled,
) -> None:
    """Make a session's conversation shorter: it goes on from a summary."""

    def show(renderer: Renderer, answer: Compacted) -> bool:
        renderer.compacted(answer)
        return True

    work = in_session("glossator.compact", session_id, {})
    ask_server(context, common, work, show)


@sessions.command("context")
@with_options
def show_context(
    context: typer.Context,
    session_id: IdOrNewest = None,
    *,
    common: Modelled,
) -> None:
    """Show what a session's window holds: each part with its tokens, and why it is there."""

    def show(renderer: Renderer, answer: Context) -> bool:
        renderer.context(answer)
        return True

    ask_server(context, common, in_session("glossator.showContext", session_id, {}), show)


@sessions.command()
@with_options
def rewind(
    context: typer.Context,
    session_id: IdOrNewest = None,
    *,
    turn: Annotated[
        str | None,
        typer.Option("--turn", metavar="TURN", help="The turn; the last one if none is named."),
    ] = None,
    common: Common,
) -> None:
    """Go back to before a turn's question; files stay as they are."""

    def show(renderer: Renderer, answer: Rewound) -> bool:
        renderer.rewound(answer)
        return True

    argument = {} if turn is None else {"runId": turn}
    ask_server(context, common, in_session("glossator.rewind", session_id, argument), show)


@sessions.command()
@with_options
def agents(
    context: typer.Context,
    session_id: IdOrNewest = None,
    agent_id: Annotated[
        str | None,
        typer.Argument(metavar="AGENT", help="Show all that was said in this one."),
    ] = None,
    *,
    common: Common,
) -> None:
    """List the sub-agents of a session, or show what one of them did."""

    def show_list(renderer: Renderer, answer: Agents) -> bool:
        renderer.agents(answer)
        return True

    def show_one(renderer: Renderer, answer: AgentTranscript) -> bool:
        renderer.transcript(answer)
        return True

    if agent_id is None:
        ask_server(context, common, in_session("glossator.listAgents", session_id, {}), show_list)
        return
    work = in_session("glossator.showAgent", session_id, {"agentId": agent_id})
    ask_server(context, common, work, show_one)


@sessions.command()
@with_options
def turns(
    context: typer.Context,
    session_id: Id,
    *,
    common: Common,
) -> None:
    """List the turns of a session that changed files, oldest first."""

    def show(renderer: Renderer, answer: Turns) -> bool:
        renderer.turns(answer)
        return True

    command = Command("glossator.listTurns", {"sessionId": session_id})
    ask_server(context, common, command, show)


@with_options
def undo(
    context: typer.Context,
    session_id: IdOrNewest = None,
    *,
    turn: Annotated[
        str | None,
        typer.Option("--turn", metavar="TURN", help="The turn; the last one if none is named."),
    ] = None,
    since: Annotated[
        bool, typer.Option("--since", help="Take back everything from --turn on.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Also bring back files that were changed since.")
    ] = False,
    common: Common,
) -> None:
    """Take back what a turn changed in the files."""
    if since and turn is None:
        raise UsageError("--since needs --turn; `glossator sessions turns ID` lists the turns.")

    def show(renderer: Renderer, answer: Undone) -> bool:
        renderer.undone(answer)
        return not not_undone(answer)

    argument: dict[str, Json] = {"since": since, "overwrite": overwrite}
    if turn is not None:
        argument["turn"] = turn
    work = in_session("glossator.undoTurn", session_id, argument)
    ask_server(context, common, work, show)


@with_options
def redo(
    context: typer.Context,
    session_id: IdOrNewest = None,
    *,
    turn: Annotated[
        str | None,
        typer.Option("--turn", metavar="TURN", help="The turn; else the one undone last."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Also in files that were changed since.")
    ] = False,
    common: Common,
) -> None:
    """Do again what an undo took back."""

    def show(renderer: Renderer, answer: Undone) -> bool:
        renderer.undone(answer)
        return not not_undone(answer)

    argument: dict[str, Json] = {"overwrite": overwrite}
    if turn is not None:
        argument["turn"] = turn
    ask_server(context, common, in_session("glossator.redoTurn", session_id, argument), show)


async def newest_session(execute: Execute) -> str:
    """The id of the session that changed last. Raises `UsageError` when there is none."""
    answer: Sessions = await execute(Command("glossator.listSessions"))
    if not answer["sessions"]:
        raise UsageError(NO_SESSION)
    return answer["sessions"][0]["id"]


def _write(output: Path, answer: ExportedSession) -> None:
    """Raises `UsageError` for a place that cannot be written to."""
    file = output / answer["fileName"] if output.is_dir() else output
    try:
        file.write_text(answer["text"], "utf-8", errors="backslashreplace", newline="")
    except OSError as error:
        raise UsageError(
            f"{file} cannot be written: {error.strerror}. Name another place with --output."
        ) from error
