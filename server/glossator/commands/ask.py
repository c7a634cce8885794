"""Ask a question about the workspace; steer or end its run; start the plan that it ended with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from glossator.application import Application
from glossator.commands.declared import CHAT_COMMANDS
from glossator.core.answer import Answer
from glossator.core.errors import UsageError
from glossator.core.events import Notice
from glossator.core.permission import Mode
from glossator.core.plan_text import steps_of
from glossator.core.prompts import load_prompt
from glossator.hooks import HookEvent
from glossator.sessions import Session
from glossator.turn import (
    Asked,
    Attachment,
    Pasted,
    PlanChoice,
    attach_all,
    attach_mentioned,
    last_plan,
    session_hooks,
    take_turn,
)

_BUILT_IN = frozenset(chat.name for chat in CHAT_COMMANDS)


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question; without `session_id` it begins a session, `run_id` lets the asker cancel it."""

    question: str
    session_id: str | None = None
    run_id: str | None = None
    attachments: tuple[Attachment | Pasted, ...] = ()
    plan: PlanChoice = PlanChoice.AUTO


async def ask(app: Application, request: AskRequest) -> Answer:
    """Run the loop on a question. Raises `ModelError` and `UsageError`."""
    if not request.question.strip():
        raise UsageError("The question is empty; ask something about the workspace.")
    attached = await attach_all(app, request.attachments)
    asked = Asked(
        request.question, tuple(attached), request.session_id, request.run_id, plan=request.plan
    )
    return await answer(app, asked)


async def answer(
    app: Application, asked: Asked, before: Callable[[Session], None] = lambda _: None
) -> Answer:
    """Answer like `take_turn`; our own `/` commands are never read from files."""
    return await take_turn(app, asked, _BUILT_IN, before)


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
        shown = f"Start the plan, changed:\n\n{plan}"
    else:
        question, shown = load_prompt("user/start_plan").render(), "Start the plan"
        plan = last_plan(session)
    if steps_of(plan):
        question = f"{question} {load_prompt('user/plan_steps').render()}"
    session_id, run_id = request.session_id, request.run_id
    asked = Asked(question, (), session_id, run_id, mode=request.mode, shown=shown)
    return await answer(app, asked)


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
    """Tell the model; returns once it is told or the run ends. Cancelling takes the words back.

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


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """Which run to end, None means all; or which sub-agent, whose run then continues."""

    run_id: str | None = None
    agent_id: str | None = None


@dataclass(frozen=True, slots=True)
class CancelAnswer:
    """The ids of runs and sub-agents that were ended; those already over are not among them."""

    cancelled: tuple[str, ...]


async def cancel(app: Application, request: CancelRequest) -> CancelAnswer:
    """End runs; each answers its own caller as cancelled. A sub-agent reports what it has found.

    Raises `UsageError` for a run and a sub-agent at once.
    """
    if request.agent_id is None:
        return CancelAnswer(app.runs.cancel(request.run_id))
    if request.run_id is not None:
        raise UsageError("A run and a sub-agent were named; name the one that is to be ended.")
    return CancelAnswer(app.runs.cancel_agent(request.agent_id))
