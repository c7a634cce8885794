"""Retry: a question asked again in its place, as it was or in other words."""

from __future__ import annotations

from dataclasses import dataclass, fields

from glossator.application.application import Application
from glossator.application.attaching import Attachment, Pasted, attach_again, attach_all
from glossator.core.answers import Answer
from glossator.core.errors import UsageError
from glossator.core.events import RunStarted
from glossator.core.session_answers import RetryAnswer
from glossator.sessions.replay import event_of
from glossator.sessions.session import Session
from glossator.sessions.state import Asked
from glossator.usecases.ask import answer
from glossator.usecases.explore import ExploreRequest
from glossator.usecases.explore_again import exploration, explore_again
from glossator.usecases.rewind import dropping, last_runs


@dataclass(frozen=True, slots=True)
class RetryRequest:
    """Of a session: the question of a turn, the last one if none is named; later turns go, too.

    Without another `question` it is asked as it was: one that may only read still may only read.
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
    was = event_of(asked.started)
    if not isinstance(was, RunStarted):
        raise UsageError("This question was kept by another version of Glossator; ask it anew.")
    if request.attachments is None:
        attached = await attach_again(app, was.attachments, asked.images)
    else:
        attached = await attach_all(app, request.attachments)
    dropped: list[Asked] = []

    def go_back(session: Session) -> None:
        dropped.extend(last_runs(session.asked, asked.run_id))
        session.rewind([run.run_id for run in dropped])

    question = request.question or was.question
    answered: Answer
    if explored := exploration(session, asked.run_id):
        again = ExploreRequest(question, session_id=session.id, run_id=request.run_id)
        answered = await explore_again(app, again, explored, attached, go_back)
    else:
        answered = await answer(
            app,
            question,
            attached,
            session.id,
            request.run_id,
            only_reads=was.only_reads and request.question in (None, was.question),
            before=go_back,
        )
    gone = await dropping(app, session, dropped)
    told = {each.name: getattr(answered, each.name) for each in fields(answered)}
    return RetryAnswer(**told, runs=gone.runs, changed=gone.changed)
