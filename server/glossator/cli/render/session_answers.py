"""How the answers about sessions and memories are shown; `answers.py` has the rest."""

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
    amount,
    compacted_notice,
    files_left,
    first_paragraph,
    job_notice,
    names,
    plural,
    short,
)
from glossator.cli.render import Cell, Column, Part, Styled, Table, line, listed
from glossator.cli.render.memories import memory_parts
from glossator.core.session_answers import (
    AgentInfo,
    AgentList,
    CompactAnswer,
    ContextAnswer,
    DeletedSession,
    Kind,
    RewindAnswer,
    SessionInfo,
    SessionList,
    TurnList,
    TurnView,
    UndoAnswer,
)
from glossator.core.session_answers import Part as WindowPart
from glossator.core.shown import shown

_FILES = 12  # of an undo that have a line each, by what was done to them
_BAR = 8  # characters of a bar that stands for everything in the window
_EIGHTHS = " ▏▎▍▌▋▊▉"


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
            yield from _context(answer)
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
        case _:
            yield from memory_parts(answer)


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
            each.title,
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
    if undone.conflicts and undone.turn is None:
        yield OVERWRITE
    yield from map(job_notice, undone.jobs)
    if undone.incomplete and not undone.jobs:
        yield UNDO_INCOMPLETE


def _context(answer: ContextAnswer) -> Iterator[Part]:
    """A row for each part with a bar; whole layers in bold."""
    yield line(_context_title(answer), "bold", kind="table")
    rows, plain = zip(*_window(answer), strict=True) if answer.layers else ((), ())
    columns = (
        Column(least=14),
        Column("tokens", whole=True, right=True),
        Column(width=_BAR, whole=True),
        Column("cached", "dim", whole=True, right=True),
        Column("", "dim", least=9),
    )
    yield Table(columns, rows, plain)
    yield line(answer.basis, "dim", kind="table", aside=True)


def _context_title(answer: ContextAnswer) -> str:
    """`12.3k of 1.0M tokens (1.2%) · claude-x · 11.9k cached · compaction at 800.0k`."""
    used, window, at = answer.tokens, answer.window, answer.compact_at
    parts = [
        f"{amount(used)} of {amount(window)} tokens ({used / window:.1%})",
        "offline, extractive" if answer.offline else answer.model,
        f"{amount(answer.cached)} cached" if answer.cached else "nothing cached",
        "no compaction unasked" if at is None else f"compaction at {amount(at)}",
    ]
    return " · ".join(parts)


def _window(answer: ContextAnswer) -> Iterator[tuple[tuple[Cell, ...], str]]:
    """Each layer and its parts as cells, and as a line for a pipe.

    Why a part is there is said once where it is the same for a whole layer.
    """
    whole = answer.tokens or 1
    for layer in answer.layers:
        reasons = {part.why for part in layer.parts}
        common = reasons.pop() if len(reasons) == 1 else ""
        tokens, cached = amount(layer.tokens), _cached(layer.cached)
        bar = Styled(_bar(layer.tokens / whole), "cyan")
        head = (Styled(layer.name, "bold"), Styled(tokens, "bold"), bar, cached, common)
        yield head, _tabbed(layer.name, "", tokens, cached, common)
        for part in layer.parts:
            name, why = _part_name(part), "" if common else part.why
            tokens = "deferred" if part.deferred else amount(part.tokens)
            cached, bar = _cached(part.cached), Styled(_bar(part.tokens / whole), "cyan")
            plain = _tabbed(layer.name, name, tokens, cached, why)
            yield (f"  {name}", tokens, bar, cached, why), plain


def _tabbed(*cells: str) -> str:
    return "\t".join(cells).rstrip()


def _part_name(part: WindowPart) -> str:
    name = part.name if part.count == 1 else f"{part.name} ({part.count:,})"
    return f"{part.kind}s of {name}" if part.kind in {Kind.CALL, Kind.RESULT} else name


def _cached(tokens: int) -> str:
    return amount(tokens) if tokens else ""


def _bar(share: float) -> str:
    """A bar for a share of the whole, to an eighth of a character."""
    full, rest = divmod(round(share * _BAR * 8), 8)
    return "█" * full + _EIGHTHS[rest].strip()


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
