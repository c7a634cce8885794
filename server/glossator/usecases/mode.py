"""The mode: set it, or start the plan that the user accepted in the mode chosen with it."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.application import Application
from glossator.core.answers import Answer
from glossator.core.citations import CitationMark, rewrite_citations
from glossator.core.errors import UsageError
from glossator.core.permission import Mode
from glossator.core.plan import plan_of, steps_of
from glossator.prompts import load_prompt
from glossator.sessions import Session
from glossator.usecases.ask import answer


@dataclass(frozen=True, slots=True)
class SetModeRequest:
    """The mode from the next tool call on, until the server ends."""

    mode: Mode


@dataclass(frozen=True, slots=True)
class ModeAnswer:
    """The mode, and the one before."""

    mode: Mode
    before: Mode


async def set_mode(app: Application, request: SetModeRequest) -> ModeAnswer:
    """Change what is done without asking; runs on their way follow at once."""
    before, app.acting.mode = app.acting.mode, request.mode
    return ModeAnswer(request.mode, before)


@dataclass(frozen=True, slots=True)
class StartPlanRequest:
    """The plan that a session's last run ended with; `mode` holds from then on, as `setMode`'s.

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
    return PlanAnswer(rewrite_citations(_plan_of(session), _place))


def _place(mark: CitationMark) -> str:
    return f"(`{mark.place}`)"


def _plan_of(session: Session) -> str:
    conversation = session.conversation
    return plan_of(conversation.text_since(len(conversation.messages) - 1))


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

    def begin(_session: Session) -> None:
        app.acting.mode = request.mode

    session = await app.sessions.open(request.session_id)
    plan = request.plan.strip()
    if plan:
        question = load_prompt("user/start_changed_plan").render(plan=plan)
    else:
        question = load_prompt("user/start_plan").render()
        plan = _plan_of(session)
    steps = steps_of(plan)
    if steps:
        question = f"{question} {load_prompt('user/plan_steps').render()}"
    return await answer(
        app, question, (), request.session_id, request.run_id, steps=steps, before=begin
    )
