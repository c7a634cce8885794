"""Undo and redo what a turn changed in files, and list the turns that changed some."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from glossator.application import Application, SessionActing
from glossator.commands.answers.undo import TurnList, TurnView, UndoAnswer, UndoProblem
from glossator.core.errors import UsageError
from glossator.core.events import UndoneTurn
from glossator.sessions import Session, questions_asked
from glossator.turn import telling_first
from glossator.undo import (
    CHECKPOINTS,
    Checkpoints,
    OnConflict,
    Problem,
    TurnChanges,
    Undone,
)


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """One turn of a session (by default the last not undone), or with `since` all from it on.

    With `paths`, only these files of one turn. `overwrite` brings back files too that somebody else
    has changed since.
    """

    session_id: str
    turn: str | None = None
    since: bool = False
    overwrite: bool = False
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RedoRequest:
    """An undone turn of a session, by default the one that was undone last.

    Its undo is taken back, with whatever else that undo took back. `overwrite` as of an undo.
    """

    session_id: str
    turn: str | None = None
    overwrite: bool = False


@dataclass(frozen=True, slots=True)
class ListTurnsRequest:
    """The session whose turns to list."""

    session_id: str


async def undo_turn(app: Application, request: UndoRequest) -> UndoAnswer:
    """Take back what a turn changed. Raises `UsageError` and `UnknownSession`."""
    if request.since and request.turn is None:
        raise UsageError("Name the turn from which on everything is to be taken back.")
    if request.paths and (request.since or request.turn is None):
        raise UsageError("Name the one turn whose changes to these files are to be taken back.")
    turn = request.turn

    def work(checkpoints: Checkpoints) -> Awaitable[Undone]:
        if request.since and turn is not None:
            return checkpoints.restore_to(turn, _on_conflict(request))
        only = _named_files(app, checkpoints, turn, request.paths)
        return checkpoints.undo_turn(turn, _on_conflict(request), only)

    return await _take_back(app, request.session_id, work)


def _named_files(
    app: Application, checkpoints: Checkpoints, turn: str | None, paths: tuple[str, ...]
) -> frozenset[str] | None:
    """The absolute paths of files that a turn changed; None for all. Raises `UsageError`."""
    if not paths:
        return None
    relative = app.host.snapshot().relative
    changed = [path for each in checkpoints.turns if each.turn == turn for path in each.paths]
    known = {relative(path): path for path in changed}
    for path in paths:
        if path not in known:
            raise UsageError(f"This turn did not change {path}. List the turns with their files.")
    return frozenset(known[path] for path in paths)


async def redo_turn(app: Application, request: RedoRequest) -> UndoAnswer:
    """Take an undo back. Raises `UsageError` and `UnknownSession`."""
    on_conflict = _on_conflict(request)
    return await _take_back(
        app, request.session_id, lambda each: each.redo_turn(request.turn, on_conflict)
    )


def _on_conflict(request: UndoRequest | RedoRequest) -> OnConflict:
    return OnConflict.OVERWRITE if request.overwrite else OnConflict.REFUSE


async def _take_back(
    app: Application, session_id: str, work: Callable[[Checkpoints], Awaitable[Undone]]
) -> UndoAnswer:
    """Do it while the session has no run."""
    async with app.runs.claim(session_id, briefly=True):
        acting = await acting_of(app, session_id)
        checkpoints = acting.checkpoints
        before = {each.turn for each in checkpoints.undone}
        undone = await work(checkpoints)
        after = {each.turn for each in checkpoints.undone}
        session = await app.sessions.open(session_id)
        asked = {run.run_id: run.question for run in session.asked}
        unsaved: tuple[str, ...] = ()
        if undone.turn is not None:  # what a turn had the editor save is brought back on disk, too
            changed = (*undone.restored, *undone.removed)
            unsaved = await acting.saving.save(undone.turn, changed, undo=True)
    relative = app.host.snapshot().relative
    return UndoAnswer(
        undone.turn,
        tuple(map(relative, telling_first(session, undone.restored))),
        tuple(map(relative, telling_first(session, undone.removed))),
        _problems(app, undone.conflicts),
        _problems(app, undone.failed),
        undone.incomplete,
        undone.jobs,
        tuple(asked[turn] for turn in asked if turn in after - before),
        tuple(asked[turn] for turn in asked if turn in before - after),
        checkpoints.undone,
        tuple(map(relative, unsaved)),
    )


async def list_turns(app: Application, request: ListTurnsRequest) -> TurnList:
    """The turns of a session that changed files. Raises `UnknownSession`."""
    turns = (await acting_of(app, request.session_id)).checkpoints.turns
    records = await app.sessions.records(request.session_id) if turns else []
    return TurnList(turn_views(app, turns, questions_asked(records)))


def turn_views(
    app: Application, turns: Iterable[TurnChanges], asked: Mapping[str, str]
) -> tuple[TurnView, ...]:
    """The turns as clients see them; `asked` are the questions by run."""
    relative = app.host.snapshot().relative
    return tuple(
        TurnView(
            turn.turn,
            asked.get(turn.turn, ""),
            tuple(map(relative, turn.paths)),
            turn.undoes,
            turn.undone_by,
        )
        for turn in turns
    )


def undone_turns(app: Application, session: Session) -> tuple[UndoneTurn, ...]:
    """The turns of a session that are undone now, oldest first."""
    return app.acting.of(session).checkpoints.undone if session.kept(CHECKPOINTS) else ()


async def acting_of(app: Application, session_id: str) -> SessionActing:
    """What lets a session act, once the workspace has been scanned. Raises `UnknownSession`."""
    await app.ready()
    acting = app.acting.of(await app.sessions.open(session_id))
    await acting.take_up()
    return acting


def _problems(app: Application, problems: tuple[Problem, ...]) -> tuple[UndoProblem, ...]:
    relative = app.host.snapshot().relative
    return tuple(UndoProblem(relative(each.path), each.reason) for each in problems)
