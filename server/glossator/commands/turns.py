"""Going back: undo and redo what a turn changed in files, rewind a conversation, ask again there.

What is dropped of a conversation stays in the session's log, and what was spent is spent. A rewind
touches no file, and an undo no conversation. See docs/decisions/0024.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from glossator.application import Application, SessionActing
from glossator.commands.answers.sessions import (
    DroppedRun,
    RetryAnswer,
    RewindAnswer,
    TurnList,
    TurnView,
    UndoAnswer,
    UndoProblem,
)
from glossator.commands.ask import answer
from glossator.commands.explore import ExploreRequest, exploration, explore_again
from glossator.core.answer import Answer
from glossator.core.errors import UsageError
from glossator.core.events import UndoneTurn
from glossator.sessions import AskedRun, Session, questions_asked
from glossator.turn import (
    Asked,
    Attachment,
    Pasted,
    PlanChoice,
    SaidWords,
    attach_again,
    attach_all,
    telling_first,
)
from glossator.undo import CHECKPOINTS, Checkpoints, OnConflict, Problem, TurnChanges, Undone


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
    # A run could change the same files, and its checkpoints would then keep what the undo wrote as
    # if it had been there before: neither begins while the other is on.
    async with app.runs.claim(session_id, briefly=True):
        app.trees.check(await app.sessions.open(session_id))
        acting = await acting_of(app, session_id)
        checkpoints = acting.checkpoints
        before = {each.turn for each in checkpoints.undone}
        undone = await work(checkpoints)
        app.trees.recount()
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


@dataclass(frozen=True, slots=True)
class RewindRequest:
    """A session goes back to before the question of this run, by default the last."""

    session_id: str
    run_id: str | None = None


async def rewind(app: Application, request: RewindRequest) -> RewindAnswer:
    """Go back. Raises `UsageError` and as `Sessions.open`."""
    async with app.runs.claim(request.session_id, briefly=True):
        session = await app.sessions.open(request.session_id)
        dropped = last_runs(session.asked, request.run_id)
        _go_back(app, session, dropped)
    app.sessions.settle(session)
    return await dropping(app, session, dropped)


def _go_back(app: Application, session: Session, dropped: Sequence[AskedRun]) -> None:
    runs = [run.run_id for run in dropped]
    session.rewind(runs)
    app.cited.forget(session.id, runs)


async def dropping(app: Application, session: Session, dropped: Sequence[AskedRun]) -> RewindAnswer:
    """What went with the runs that were dropped, and what did not."""
    return RewindAnswer(
        tuple(DroppedRun(run.run_id, run.question) for run in dropped),
        await _changed(app, session, dropped),
    )


def last_runs(asked: Sequence[AskedRun], run_id: str | None) -> Sequence[AskedRun]:
    """The runs from this one on. Raises `UsageError` if the conversation cannot go back to it."""
    numbers = [number for number, run in enumerate(asked) if run_id in (None, run.run_id)]
    if not numbers and run_id is None:
        raise UsageError("Nothing was asked in this session yet, so it cannot go back.")
    if not numbers:
        raise UsageError(
            f"The conversation has no run {run_id!r}; resume the session to see those that it has."
        )
    if asked[numbers[-1]].compacted:
        raise UsageError(
            "The conversation was compacted since that was asked, so it cannot go back to it. Ask"
            " again, or begin a new session."
        )
    return asked[numbers[-1] :]


async def _changed(
    app: Application, session: Session, dropped: Sequence[AskedRun]
) -> tuple[TurnView, ...]:
    if not session.kept(CHECKPOINTS):
        return ()
    asked = {run.run_id: run.question for run in dropped}
    undoable = (await acting_of(app, session.id)).checkpoints.undoable
    return turn_views(app, [turn for turn in undoable if turn.turn in asked], asked)


@dataclass(frozen=True, slots=True)
class RetryRequest:
    """The question of a turn of a session, by default the last; later turns are dropped, too.

    Without another `question` it is asked as it was: one that may only read still may only read,
    and what the user said while it was answered goes with it.
    Whether a plan of tasks is made stays as it was asked for, too.
    Without `attachments` it has those it had, files as they are now. An exploration is one again.
    """

    session_id: str
    turn: str | None = None
    question: str | None = None
    attachments: tuple[Attachment | Pasted, ...] | None = None
    run_id: str | None = None


async def retry(app: Application, request: RetryRequest) -> RetryAnswer:
    """Go back and ask; nothing is dropped if it cannot be asked. Raises as `ask` and `rewind`."""
    if request.question is not None and not request.question.strip():
        raise UsageError("The question is empty; leave it out to ask the same again.")
    session = await app.sessions.open(request.session_id)
    asked, *_ = last_runs(session.asked, request.turn)
    was = asked.event
    if was is None:
        raise UsageError("Another version of Glossator kept this question; ask it again yourself.")
    is_same = request.question in (None, was.question)
    steered = [
        SaidWords(said.text, tuple(await attach_again(app, said.attachments, images)))
        for said, images in (asked.steered if is_same else ())
    ]
    if request.attachments is None:
        attached = await attach_again(app, was.attachments, asked.images)
    else:
        attached = await attach_all(app, request.attachments)
    dropped: list[AskedRun] = []

    def go_back(session: Session) -> None:
        dropped.extend(last_runs(session.asked, asked.run_id))
        _go_back(app, session, dropped)

    question = request.question or was.question
    answered: Answer
    if explored := exploration(session, asked.run_id):
        exploring = ExploreRequest(question, session_id=session.id, run_id=request.run_id)
        answered = await explore_again(app, exploring, explored, attached, go_back)
    else:
        again = Asked(
            question,
            tuple(attached),
            session.id,
            request.run_id,
            plan=PlanChoice(was.plan) if was.plan else None,
            only_reads=was.only_reads and is_same,
            steered=tuple(steered),
            shown=was.shown if is_same else "",
        )
        answered = await answer(app, again, go_back)
    gone = await dropping(app, session, dropped)
    told = {each.name: getattr(answered, each.name) for each in fields(answered)}
    return RetryAnswer(**told, runs=gone.runs, changed=gone.changed)
