"""Steer: words of the user for a run that is on, which the model is told with the next results."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.application import Application
from glossator.core.errors import UsageError
from glossator.core.events import Notice
from glossator.hooks import HookEvent
from glossator.turn import Attachment, Pasted, attach_all, attach_mentioned, session_hooks


@dataclass(frozen=True, slots=True)
class SteerRequest:
    """Words for the run of this id or in this session; without either for the only one that is on.

    `attachments` go with them.
    """

    text: str
    run_id: str | None = None
    session_id: str | None = None
    attachments: tuple[Attachment | Pasted, ...] = ()


@dataclass(frozen=True, slots=True)
class SteerAnswer:
    """Whether the model was told. If not, nothing was kept: ask it as the next question."""

    steered: bool


async def steer(app: Application, request: SteerRequest) -> SteerAnswer:
    """Answers once the model is told, or will not be in this run; a cancelled one takes them back.

    Raises `UsageError` for empty words, if a hook refuses them, and where it is not clear which run
    is meant.
    """
    text = request.text.strip()
    if not text:
        raise UsageError("There are no words; say what the run is to take into account.")
    runs = app.runs.steered(request.run_id, request.session_id)
    if len(runs) > 1:
        raise UsageError("Several runs are on; name the one that is meant.")
    if not runs:
        return SteerAnswer(steered=False)
    run = runs[0]
    session = await app.sessions.open(run.session_id)
    attached = await attach_all(app, request.attachments)
    hooks = await session_hooks(app, session.id, session.reminders, run.tell)
    if hooks.any_of(HookEvent.PROMPT_SUBMIT):
        await hooks.admit(text, session.conversation.was_told)
    mentioned = await attach_mentioned(app, session, run, text, attached)
    if mentioned.notice and run.steering.is_open:
        run.emit(Notice(mentioned.notice))
    return SteerAnswer(await run.steering.say(text, (*attached, *mentioned.parts)))
