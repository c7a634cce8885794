"""Sessions at a terminal: list them, work on one, undo and redo its turns; show the answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from glossator.cli.asking import Command, ask_server, in_session, show_answer
from glossator.cli.messages import (
    NO_AGENT,
    NO_SESSION,
    NO_TURN,
    OVERWRITE,
    UNDO_INCOMPLETE,
    ago,
    compacted_notice,
    files_left,
    first_paragraph,
    job_notice,
    kept_worktree,
    names,
    plural,
    short,
    taken_notice,
    undo_merge,
    worktree_words,
)
from glossator.cli.options import (
    CommonOptions,
    ModelledOptions,
    a_sub_command_follows,
    with_options,
)
from glossator.cli.render import Column, Part, Table, line, listed
from glossator.cli.render.window import window_parts
from glossator.commands import (
    AgentInfo,
    AgentList,
    CompactAnswer,
    ContextAnswer,
    DeletedSession,
    DiscardedWorktree,
    MergedWorktree,
    RewindAnswer,
    SessionInfo,
    SessionList,
    TakenSession,
    TurnList,
    TurnView,
    UndoAnswer,
)
from glossator.core.errors import UsageError
from glossator.core.run_events import not_saved
from glossator.core.shown import shown
from glossator.core.words import Act, Became

if TYPE_CHECKING:
    from glossator.cli.render import Display
    from glossator.commands import ExportedSession

sessions = typer.Typer(
    help="List the sessions of the workspace, or work on one.", invoke_without_command=True
)

Id = Annotated[str, typer.Argument(metavar="ID", help="The session, as the list names it.")]
IdOrNewest = Annotated[
    str | None, typer.Argument(metavar="ID", help="The session; the newest if none is named.")
]

Turn = Annotated[
    str | None,
    typer.Option("--turn", metavar="TURN", help="The turn; the last one if none is named."),
]
_COLUMNS = 4  # of sessions; a fifth names worktrees, where there are some
_LISTED_FILES = 12  # of an undo that have a line each, by what was done to them


@sessions.callback()
@with_options
def list_sessions(
    context: typer.Context,
    *,
    words: Annotated[
        str,
        typer.Option(
            "--find", metavar="WORDS", help="Only those whose title, or one question, holds these."
        ),
    ] = "",
    common: CommonOptions,
) -> None:
    """List the sessions of the workspace, or work on one."""
    if not a_sub_command_follows(context, common, words):
        command = Command("glossator.listSessions", {"words": words})
        ask_server(context, common, command, _show_found if words else show_answer)


def _show_found(display: Display, answer: SessionList) -> bool:
    """Show the sessions that were found; none is no good answer."""
    if not answer.sessions:
        display.notice("No session has a title or a question that holds these words.")
        return False
    return show_answer(display, answer)


@sessions.command()
@with_options
def rename(
    context: typer.Context,
    session_id: Id,
    title: Annotated[list[str], typer.Argument(metavar="TITLE", help="Its new title.")],
    *,
    common: CommonOptions,
) -> None:
    """Give a session another title."""
    command = Command(
        "glossator.renameSession", {"sessionId": session_id, "title": " ".join(title)}
    )
    ask_server(context, common, command)


@sessions.command("take-over")
@with_options
def take_over(context: typer.Context, session_id: Id, *, common: CommonOptions) -> None:
    """Have the editor or terminal that has a session open give it up; its turn ends, kept."""
    ask_server(context, common, Command("glossator.takeOver", {"sessionId": session_id}), _taken)


def _taken(display: Display, answer: TakenSession) -> bool:
    """Say how to go on with it."""
    display.notice(taken_notice(answer.title, answer.id))
    return True


@sessions.command()
@with_options
def delete(context: typer.Context, session_id: Id, *, common: CommonOptions) -> None:
    """Delete a session for good."""
    command = Command("glossator.deleteSession", {"sessionId": session_id})
    ask_server(context, common, command)


@sessions.command()
@with_options
def merge(context: typer.Context, session_id: IdOrNewest = None, *, common: CommonOptions) -> None:
    """Merge the worktree of a session into the branch that you are on, and remove it."""
    ask_server(context, common, in_session("glossator.mergeWorktree", session_id, {}))


@sessions.command()
@with_options
def discard(
    context: typer.Context,
    session_id: IdOrNewest = None,
    *,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Also if changes are lost that are nowhere else.")
    ] = False,
    common: CommonOptions,
) -> None:
    """Throw the worktree of a session away, with its branch."""

    def show(display: Display, answer: DiscardedWorktree) -> bool:
        display.answer(answer)
        return not answer.lost

    work = in_session("glossator.discardWorktree", session_id, {"anyway": anyway})
    ask_server(context, common, work, show)


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
    common: CommonOptions,
) -> None:
    """Print a session, or write it to a file."""

    def show(display: Display, answer: ExportedSession) -> bool:
        if output is None:
            display.answer(answer)
        else:
            _write(output, answer)
        return True

    command = Command("glossator.exportSession", {"sessionId": session_id, "format": form})
    ask_server(context, common, command, show)


@sessions.command()
@with_options
def compact(
    context: typer.Context, session_id: IdOrNewest = None, *, common: ModelledOptions
) -> None:
    """Replace a session's conversation by a summary."""
    ask_server(context, common, in_session("glossator.compact", session_id, {}))


@sessions.command("summary")
@with_options
def summarise(
    context: typer.Context, session_id: IdOrNewest = None, *, common: ModelledOptions
) -> None:
    """Summarise what a session was about so far; its conversation stays as it is."""
    ask_server(context, common, in_session("glossator.summarise", session_id, {}))


@sessions.command("context")
@with_options
def show_context(
    context: typer.Context, session_id: IdOrNewest = None, *, common: ModelledOptions
) -> None:
    """Show what a session's window holds: each part with its tokens, and why it is there."""
    ask_server(context, common, in_session("glossator.showContext", session_id, {}))


@sessions.command()
@with_options
def rewind(
    context: typer.Context,
    session_id: IdOrNewest = None,
    *,
    turn: Turn = None,
    common: CommonOptions,
) -> None:
    """Go back to before a turn's question; files stay as they are."""
    argument = {} if turn is None else {"runId": turn}
    ask_server(context, common, in_session("glossator.rewind", session_id, argument))


@sessions.command()
@with_options
def agents(
    context: typer.Context,
    session_id: IdOrNewest = None,
    agent_id: Annotated[
        str | None, typer.Argument(metavar="AGENT", help="Show all that was said in this one.")
    ] = None,
    *,
    common: CommonOptions,
) -> None:
    """List the sub-agents of a session, or show what one of them did."""
    if agent_id is None:
        ask_server(context, common, in_session("glossator.listAgents", session_id, {}))
        return
    work = in_session("glossator.showAgent", session_id, {"agentId": agent_id})
    ask_server(context, common, work)


@sessions.command()
@with_options
def turns(context: typer.Context, session_id: Id, *, common: CommonOptions) -> None:
    """List the turns of a session that changed files, oldest first."""
    command = Command("glossator.listTurns", {"sessionId": session_id})
    ask_server(context, common, command)


@with_options
def undo(
    context: typer.Context,
    session_id: IdOrNewest = None,
    *,
    turn: Turn = None,
    since: Annotated[bool, typer.Option("--since", help="Undo everything from --turn on.")] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Also bring back files that were changed since.")
    ] = False,
    common: CommonOptions,
) -> None:
    """Undo what a turn changed in the files."""
    if since and turn is None:
        raise UsageError("--since needs --turn; `glossator sessions turns ID` lists the turns.")
    argument: dict[str, Any] = {"since": since, "overwrite": overwrite}
    if turn is not None:
        argument["turn"] = turn
    work = in_session("glossator.undoTurn", session_id, argument)
    ask_server(context, common, work, _show_undone)


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
    common: CommonOptions,
) -> None:
    """Redo what was undone."""
    argument: dict[str, Any] = {"overwrite": overwrite}
    if turn is not None:
        argument["turn"] = turn
    work = in_session("glossator.redoTurn", session_id, argument)
    ask_server(context, common, work, _show_undone)


def _show_undone(display: Display, answer: UndoAnswer) -> bool:
    display.answer(answer)
    return not answer.not_undone


def _write(output: Path, answer: ExportedSession) -> None:
    """Raises `UsageError` for a place that cannot be written to."""
    file = output / answer.file_name if output.is_dir() else output
    try:
        file.write_text(answer.text, "utf-8", errors="backslashreplace", newline="")
    except OSError as error:
        raise UsageError(
            f"{file} cannot be written: {error.strerror}. Name another place with --output."
        ) from error


def session_parts(answer: object) -> Iterator[Part]:
    """The parts of an answer about sessions."""
    match answer:
        case SessionList(sessions=sessions):
            yield listed(_sessions(sessions), NO_SESSION)
        case SessionInfo() | TakenSession():
            yield _became(answer)
        case DeletedSession() | MergedWorktree() | DiscardedWorktree():
            yield from _ended(answer)
        case CompactAnswer(before=before, after=after, by_model=by_model):
            yield line(compacted_notice(before, after, by_model=by_model), "dim")
        case ContextAnswer():
            yield from window_parts(answer)
        case TurnList(turns=turns):
            yield listed(_turns(turns), NO_TURN)
        case RewindAnswer(runs=runs, changed=changed):
            yield from (line(f"dropped: {short(run.question)}") for run in runs)
            yield from (line(each, "yellow", aside=True) for each in files_left(changed))
        case AgentList(agents=agents):
            yield listed(_agents(agents), NO_AGENT)


def undo_parts(answer: UndoAnswer, *, in_chat: bool) -> Iterator[Part]:
    """The parts of an undo or a redo, which name both as a chat has them or as a terminal."""
    yield from map(line, _undone(answer, "/{}" if in_chat else "`glossator {}`"))
    yield from (line(each, "yellow", aside=True) for each in _problems(answer))


def _became(answer: SessionInfo | TakenSession) -> Part:
    """What has become of a session."""
    match answer:
        case SessionInfo(id=name, title=title):
            return line(f"{name} is now called {title!r}.", plain=f"{name}\t{title}")
        case TakenSession(title=title):
            return line(f"“{title}” is open here now.", aside=True)


def _ended(answer: DeletedSession | MergedWorktree | DiscardedWorktree) -> Iterator[Part]:
    """What became of a session or its worktree, and what to do about it."""
    match answer:
        case DeletedSession(id=name):
            yield line(f"Deleted {name}.", aside=True)
        case MergedWorktree(branch=branch, into=into, files=files):
            yield line(f"Merged {branch} into {into}: {plural(len(files), 'file')}.")
            yield line(undo_merge(answer.before), "dim", aside=True)
        case DiscardedWorktree(branch=branch, lost=""):
            yield line(f"{branch} was {Became.DISCARDED}.", aside=True)
        case DiscardedWorktree(branch=branch, lost=lost):
            yield line(kept_worktree(branch, lost), "yellow", aside=True)


def _sessions(sessions: Sequence[SessionInfo]) -> Table:
    """The ids are never cut."""
    columns = (
        Column("id", "bold", whole=True),
        Column("title"),
        Column("last changed", "dim", whole=True),
        Column("", "dim", whole=True),
        *([Column("worktree")] * any(each.worktree for each in sessions)),
    )
    now = datetime.now(UTC)
    rows = (
        (
            each.id,
            f"{each.title} — {each.found}" if each.found else each.title,
            _state(each, now),
            f"open in {each.elsewhere}" if each.elsewhere else plural(each.turns, "turn"),
            *([worktree_words(each.worktree)] * (len(columns) > _COLUMNS)),
        )
        for each in sessions
    )
    return Table(columns, tuple(rows))


def _state(session: SessionInfo, now: datetime) -> str:
    if session.waits:
        return "waits for you"
    return "running" if session.running else ago(session.updated_at, now)


def _turns(turns: Sequence[TurnView]) -> Table:
    columns = (
        Column("turn", "bold", whole=True),
        Column("asked"),
        Column("files it changed", "dim"),
        Column(whole=True),
    )
    rows = (
        (
            turn.turn,
            f"undo of {', '.join(turn.undoes)}" if turn.undoes else short(turn.question),
            names(turn.paths),
            Became.UNDONE if turn.undone_by else "",
        )
        for turn in turns
    )
    return Table(columns, tuple(rows))


def _undone(undone: UndoAnswer, called: str) -> Iterator[str]:
    """Name the files that were restored, the turns undone or redone, and how to reverse that.

    A command is `called` so, with its name for the braces.
    """
    yield from _files(Became.RESTORED, undone.restored)
    yield from _files(Became.REMOVED, undone.removed)
    if not (undone.restored or undone.removed or undone.not_undone):
        yield "The files are as they were already."
    yield from (f"{Became.UNDONE}: {short(question)}" for question in undone.undid)
    yield from (f"{Became.REDONE}: {short(question)}" for question in undone.redid)
    if undone.undid:
        yield f"{Act.REDO} it with {called.format('redo')}."
    elif undone.redid:
        yield f"{Act.UNDO} it with {called.format('undo')}."
    elif undone.turn:
        yield f"{Act.UNDO} that with `glossator undo --turn {undone.turn}`."


def _files(done: str, paths: Sequence[str]) -> Iterator[str]:
    yield from (f"{done} {shown(path)}" for path in paths[:_LISTED_FILES])
    if (more := len(paths) - _LISTED_FILES) > 0:
        yield f"{done} {plural(more, 'more file')}"


def _problems(undone: UndoAnswer) -> Iterator[str]:
    """Say which files were not restored, why, and what to do."""
    for problem in undone.not_undone:
        yield f"not {Became.RESTORED} {shown(problem.path)}: it {problem.reason}"
    if undone.unsaved:
        yield not_saved(undone.unsaved)
    if undone.conflicts and undone.turn is None:
        yield OVERWRITE
    yield from map(job_notice, undone.jobs)
    if undone.incomplete and not undone.jobs:
        yield UNDO_INCOMPLETE


def _agents(agents: Sequence[AgentInfo]) -> Table:
    columns = (Column("id", whole=True), Column(whole=True), Column("task"), Column("outcome"))
    rows = (
        (each.agent_id, each.name, first_paragraph(each.task), _outcome(each)) for each in agents
    )
    return Table(columns, tuple(rows))


def _outcome(agent: AgentInfo) -> str:
    if agent.running:
        return "at work"
    if agent.findings is None:
        return "not finished"
    found = plural(agent.findings, "finding")
    return f"{found}, partial: {agent.partial}" if agent.partial else found
