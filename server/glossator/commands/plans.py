"""Plans of plan mode: shown as a text, and started as the user accepted them."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.application import Application
from glossator.commands.ask import answer
from glossator.core.answer import Answer
from glossator.core.errors import UsageError
from glossator.core.permission import Mode
from glossator.core.prompts import load_prompt
from glossator.core.question import steps_of
from glossator.turn import Asked, last_plan


@dataclass(frozen=True, slots=True)
class StartPlanRequest:
    """The plan that a session's last run ended with; the session has `mode` from then on.

    `plan` is the plan as the user changed it, in Markdown; empty: as the model wrote it.
    """

    session_id: str
    mode: Mode
    run_id: str | None = None
    plan: str = ""


@dataclass(frozen=True, slots=True)
class ShowPlanRequest:
    """A session whose last run ended with a plan."""

    session_id: str


@dataclass(frozen=True, slots=True)
class PlanAnswer:
    """The plan in Markdown, with places such as `a.py:3-7`; empty if there is none."""

    plan: str


async def show_plan(app: Application, request: ShowPlanRequest) -> PlanAnswer:
    """The plan of a session as a text to read, to change and to start."""
    session = await app.sessions.open(request.session_id)
    return PlanAnswer(last_plan(session))


async def start_plan(app: Application, request: StartPlanRequest) -> Answer:
    """Set the mode and continue the session. If it raises, as `ask` does, the mode is unchanged."""
    if request.mode is Mode.PLAN:
        raise UsageError(
            "In plan mode nothing is carried out; start in ask, acceptEdits or auto instead."
        )
    if app.acting.trust.said is False:
        raise UsageError(
            "The editor says that this workspace is not trusted, so nothing may be changed in it."
            " Trust it in the editor, then start the plan."
        )

    session = await app.sessions.open(request.session_id)
    plan = request.plan.strip()
    if plan:
        question = load_prompt("user/start_changed_plan").render(plan=plan)
    else:
        question = load_prompt("user/start_plan").render()
        plan = last_plan(session)
    if steps_of(plan):
        question = f"{question} {load_prompt('user/plan_steps').render()}"
    asked = Asked(question, (), request.session_id, request.run_id, mode=request.mode)
    return await answer(app, asked)
