"""How the answers about sessions are shown; `answers.py` has the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

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
    names,
    plural,
    short,
)
from glossator.cli.render import Column, Part, Table, line, listed
from glossator.cli.render.context import context_parts
from glossator.commands import (
    AgentInfo,
    AgentList,
    CompactAnswer,
    ContextAnswer,
    DeletedSession,
    RewindAnswer,
    SessionInfo,
    SessionList,
    TurnList,
    TurnView,
    UndoAnswer,
)
from glossator.core.run_events import not_saved
from glossator.core.shown import shown

_FILES = 12  # of an undo that have a line each, by what was done to them


def session_parts(answer: object) -> Iterator[Part]:
    """The parts of an answer about sessions."""
    match answer:
        case SessionList(sessions=sessions):
            yield listed(_sessions(sessions), NO_SESSION)
        case SessionInfo(id=name, title=title):
            yield line(f"{name} is now called {title!r}.", plain=f"{name}\t{title}")
        case DeletedSession(id=name):
            yield line(f"Deleted {name}.", aside=True)
        case CompactAnswer(before=before, after=after, by_model=by_model):
            yield line(compacted_notice(before, after, by_model=by_model), "dim")
        case ContextAnswer():
            yield from context_parts(answer)
        case TurnList(turns=turns):
            yield listed(_turns(turns), NO_TURN)
        case UndoAnswer():
            yield from map(line, _undone(answer))
            yield from (line(each, "yellow", aside=True) for each in _problems(answer))
        case RewindAnswer(runs=runs, changed=changed):
            yield from (line(f"dropped: {short(run.question)}") for run in runs)
            yield from (line(each, "yellow", aside=True) for each in files_left(changed))
        case AgentList(agents=agents):
            yield listed(_agents(agents), NO_AGENT)


def _sessions(sessions: Sequence[SessionInfo]) -> Table:
    """The ids are never cut."""
    columns = (
        Column("id", "bold", whole=True),
        Column("title"),
        Column("last changed", "dim", whole=True),
        Column("", "dim", whole=True),
    )
    now = datetime.now(UTC)
    rows = (
        (
            each.id,
            f"{each.title} — {each.found}" if each.found else each.title,
            "running" if each.running else ago(each.updated_at, now),
            plural(each.turns, "turn"),
        )
        for each in sessions
    )
    return Table(columns, tuple(rows))


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
            "undone" if turn.undone_by else "",
        )
        for turn in turns
    )
    return Table(columns, tuple(rows))


def _undone(undone: UndoAnswer) -> Iterator[str]:
    """What was brought back, which turns are undone or redone, how to reverse that."""
    yield from _files("restored", undone.restored)
    yield from _files("removed", undone.removed)
    if not (undone.restored or undone.removed or undone.not_undone):
        yield "The files are as they were already."
    yield from (f"undone: {short(question)}" for question in undone.undid)
    yield from (f"done again: {short(question)}" for question in undone.redid)
    if undone.undid:
        yield "To do it again: `glossator redo`."
    elif undone.redid:
        yield "To take it back: `glossator undo`."
    elif undone.turn:
        yield f"To take this back, undo again with --turn {undone.turn}."


def _files(done: str, paths: Sequence[str]) -> Iterator[str]:
    yield from (f"{done} {shown(path)}" for path in paths[:_FILES])
    if (more := len(paths) - _FILES) > 0:
        yield f"{done} {plural(more, 'more file')}"


def _problems(undone: UndoAnswer) -> Iterator[str]:
    """What was not brought back, why, and what to do."""
    for problem in undone.not_undone:
        yield f"not undone {shown(problem.path)}: it {problem.reason}"
    if undone.unsaved:
        yield not_saved(undone.unsaved)
    if undone.conflicts and undone.turn is None:
        yield OVERWRITE
    yield from map(job_notice, undone.jobs)
    if undone.incomplete and not undone.jobs:
        yield UNDO_INCOMPLETE


def _agents(agents: Sequence[AgentInfo]) -> Table:
    columns = (
        Column("id", whole=True),
        Column(whole=True),
        Column("task"),
        Column("outcome"),
    )
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
