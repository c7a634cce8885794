"""A plan that the user accepted is carried out, in the mode that was chosen with it."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.application.application import Application
from glossator.core.answers import Answer
from glossator.core.errors import UsageError
from glossator.core.permission import Mode
from glossator.prompts.loader import load_prompt
from glossator.sessions.session import Session
from glossator.usecases.ask import answer


@dataclass(frozen=True, slots=True)
class StartPlanRequest:
    """The plan that a session's last run ended with; `mode` holds from then on, as `setMode`'s."""

    session_id: str
    mode: Mode
    run_id: str | None = None


async def start_plan(app: Application, request: StartPlanRequest) -> Answer:
    """Set the mode and go on with the session. Raises as `ask` does; the mode stays then."""
    if request.mode is Mode.PLAN:
        raise UsageError(
            "In plan mode nothing is carried out; start in ask, acceptEdits or auto instead."
        )
    if app.acting.trust.said is False:
        raise UsageError(
            "The editor says that this workspace is not trusted, so nothing may be changed in it."
            " Trust it in the editor, then start the plan."
        )

    def begin(_session: Session) -> None:
        app.acting.mode = request.mode

    question = load_prompt("user/start_plan").render()
    return await answer(app, question, (), request.session_id, request.run_id, before=begin)
