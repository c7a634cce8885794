"""Rewind: a conversation goes back to before a question, to be asked again, changed or not.

What is dropped stays in the session's log. Files are not touched, and what was spent is spent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from glossator.application.application import Application
from glossator.core.errors import UsageError
from glossator.core.session_answers import DroppedRun, RewindAnswer, TurnView
from glossator.sessions.session import Session
from glossator.sessions.state import Asked
from glossator.undo.checkpoint_log import NAME
from glossator.usecases.undo import acting_of, turn_views


@dataclass(frozen=True, slots=True)
class RewindRequest:
    """Of a session: to before the question of this run, the last one if none is named."""

    session_id: str
    run_id: str | None = None


async def rewind(app: Application, request: RewindRequest) -> RewindAnswer:
    """Go back. Raises `UsageError` and as `Sessions.open`."""
    with app.runs.claim(request.session_id):
        session = await app.sessions.open(request.session_id)
        dropped = last_runs(session.asked, request.run_id)
        session.rewind([run.run_id for run in dropped])
    app.sessions.settle(session)
    return await dropping(app, session, dropped)


async def dropping(app: Application, session: Session, dropped: Sequence[Asked]) -> RewindAnswer:
    """What went with the runs that were dropped, and what did not."""
    return RewindAnswer(
        tuple(DroppedRun(run.run_id, run.question) for run in dropped),
        await _changed(app, session, dropped),
    )


def last_runs(asked: Sequence[Asked], run_id: str | None) -> Sequence[Asked]:
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
            " anew, or begin a new session."
        )
    return asked[numbers[-1] :]


async def _changed(
    app: Application, session: Session, dropped: Sequence[Asked]
) -> tuple[TurnView, ...]:
    if not session.kept(NAME):
        return ()
    asked = {run.run_id: run.question for run in dropped}
    standing = (await acting_of(app, session.id)).checkpoints.standing
    return turn_views(app, [turn for turn in standing if turn.turn in asked], asked)
