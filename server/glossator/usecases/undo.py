"""Undo and redo what a turn changed in files, and list the turns that changed some."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from glossator.application import Application, SessionActing
from glossator.core.errors import UsageError
from glossator.core.events import UndoneTurn
from glossator.core.session_answers import TurnList, TurnView, UndoAnswer, UndoProblem
from glossator.prompts import load_prompt
from glossator.sessions import Session, questions_asked
from glossator.undo import (
    CHECKPOINTS,
    Checkpoints,
    FileState,
    NoFile,
    OnConflict,
    Problem,
    TurnChanges,
    Undone,
)

_MADE = re.compile(  # by tools for themselves: caches, and what compilers leave
    r"(?:^|/)(?:__pycache__/|\.[^/]*cache/)|\.(?:py[co]|o|obj|class|a|lib|so|dylib|dll|exe|wasm)$"
)
_NAMED = 30  # files that the model knows, in a reminder
_OTHERS = 5  # files that it does not know; where there are more, they are only counted
_UNDO = "an undo: changes made earlier in this conversation are taken back"
_REDO = "a redo: changes that I had taken back are made again"
_BOTH = "undo and redo: some earlier changes are taken back, some made again"


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


def changed_files(app: Application, session: Session, turn: str) -> tuple[str, ...]:
    """The paths of the files that a turn changed; those the conversation knows come first."""
    turns = app.acting.of(session).checkpoints.turns if session.kept(CHECKPOINTS) else ()
    paths = [path for each in turns if each.turn == turn for path in each.paths]
    return tuple(map(app.host.snapshot().relative, telling_first(session, paths)))


def undo_reminder(app: Application, session: Session) -> str:
    """A reminder of undos that the model does not know yet; may be empty."""
    if not files_undone(app, session):
        return ""
    unseen = app.acting.of(session).checkpoints.unseen_undos
    redone = unseen.redone
    how = _REDO if all(redone) else _BOTH if any(redone) else _UNDO
    files = _named(unseen.left, session, app.host.snapshot().relative)
    return load_prompt("user/undone").render(how=how, files="\n".join(files))


def undone_turns(app: Application, session: Session) -> tuple[UndoneTurn, ...]:
    """The turns of a session that are undone now, oldest first."""
    return app.acting.of(session).checkpoints.undone if session.kept(CHECKPOINTS) else ()


def files_undone(app: Application, session: Session) -> frozenset[str]:
    """The files that the reminder is about; real paths."""
    if not session.kept(CHECKPOINTS):
        return frozenset()
    return frozenset(app.acting.of(session).checkpoints.unseen_undos.left)


def mark_undos_seen(app: Application, session: Session) -> None:
    """The model has read the reminder; do not repeat it."""
    if session.kept(CHECKPOINTS):
        app.acting.of(session).checkpoints.mark_undos_seen()


async def acting_of(app: Application, session_id: str) -> SessionActing:
    """What lets a session act, once the workspace has been scanned. Raises `UnknownSession`."""
    await app.ready()
    acting = app.acting.of(await app.sessions.open(session_id))
    await acting.take_up()
    return acting


def _named(
    left: Mapping[str, FileState], session: Session, relative: Callable[[str], str]
) -> Iterator[str]:
    """A line for each file; of many that the conversation does not know, how many they are."""
    known = session.reads.paths()
    paths = telling_first(session, left)
    seen = [path for path in paths if path in known]
    others = [path for path in paths if path not in known]
    few = others if len(others) <= _OTHERS else []
    for path in (*seen[:_NAMED], *few):
        yield f"- {relative(path)}{' (not there now)' * isinstance(left[path], NoFile)}"
    if more := seen[_NAMED:]:
        yield f"- and {len(more):,} more that you read or edited"
    if others and not few:
        which = f"and {len(others):,} other files" if seen else f"{len(others):,} files"
        gone = sum(isinstance(left[path], NoFile) for path in others)
        some = "none is" if gone == len(others) else f"{gone:,} of them not"
        there = f" ({some} there now)" if gone else ""
        yield f"- {which} that you never read or edited{there}"


def telling_first(session: Session, paths: Iterable[str]) -> list[str]:
    """First what the conversation read or edited, what tools keep for themselves last."""
    known = session.reads.paths()
    return sorted(paths, key=lambda each: (bool(_MADE.search(each)), each not in known, each))


def counting(app: Application, session: Session, paths: Iterable[str]) -> list[str]:
    """Those that people call changed files: none that is ignored or compiled; blocking.

    What the conversation read or edited counts all the same.
    """
    known = session.reads.paths()
    return [
        path
        for path in paths
        if path in known or not (_MADE.search(path) or app.host.is_ignored(path))
    ]


def _problems(app: Application, problems: tuple[Problem, ...]) -> tuple[UndoProblem, ...]:
    relative = app.host.snapshot().relative
    return tuple(UndoProblem(relative(each.path), each.reason) for each in problems)
