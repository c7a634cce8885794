"""Rewind and retry: a conversation goes back to before a question, or asks it again there.

What is dropped stays in the session's log. Files are not touched, and what was spent is spent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from glossator.application import Application
from glossator.commands.answers.rewind import DroppedRun, RetryAnswer, RewindAnswer
from glossator.commands.answers.undo import TurnView
from glossator.commands.ask import answer
from glossator.commands.explore import ExploreRequest, exploration, explore_again
from glossator.commands.undo import acting_of, turn_views
from glossator.core.answer import Answer
from glossator.core.errors import UsageError
from glossator.sessions import AskedRun, Session
from glossator.turn import (
    Asked,
    Attachment,
    Pasted,
    PlanChoice,
    SaidWords,
    attach_again,
    attach_all,
)
from glossator.undo import CHECKPOINTS


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
        )
        answered = await answer(app, again, go_back)
    gone = await dropping(app, session, dropped)
    told = {each.name: getattr(answered, each.name) for each in fields(answered)}
    return RetryAnswer(**told, runs=gone.runs, changed=gone.changed)
