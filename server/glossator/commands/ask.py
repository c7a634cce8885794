"""Ask: a question about the workspace, answered from its lines."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from glossator.application import Application
from glossator.commands.compact import compactor_of
from glossator.commands.declared import CHAT_COMMANDS
from glossator.commands.outputs import tell_changed_files, unsaved_files
from glossator.context import Attached, Exhibit
from glossator.core.answers import Answer
from glossator.core.errors import UsageError
from glossator.core.events import (
    Notice,
    RunFinished,
    RunStarted,
    Steered,
    Todo,
    TodoChanged,
)
from glossator.core.permission import Mode
from glossator.core.plan import PLANNED, plan_of, steps_of
from glossator.core.question import asking_for
from glossator.core.span import CitationView
from glossator.core.tool_result import shorten
from glossator.hooks import HookEvent
from glossator.prompts import load_prompt
from glossator.sessions import Run, Session
from glossator.turn import (
    Agent,
    Answering,
    Attachment,
    Delegation,
    Grounding,
    LoadedSkills,
    Pasted,
    PlanChoice,
    PlanQuestion,
    Recall,
    RunContext,
    SaidWords,
    SessionHooks,
    Stop,
    attach_all,
    attach_mentioned,
    changed_files,
    expand,
    follow_facts,
    keep_texts,
    news,
    open_conversation,
    say_question,
    say_steered,
    session_hooks,
    write_memory_back,
)

_BUILT_IN = frozenset(chat.name for chat in CHAT_COMMANDS)
_NO_TASKS = "Commands, skills and the plan mode are answered without a plan of tasks."
_FACTS_FOR_A_PLAN = 40  # the likeliest to bear on the question first
_QUESTION = 500  # characters of one
_EARLIER = 3  # questions that the dispatcher is told before there is a summary

__all__ = ["AskRequest", "Attachment", "Pasted", "answer", "ask"]


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question; without `session_id` it begins a session, `run_id` lets the asker cancel it."""

    question: str
    session_id: str | None = None
    run_id: str | None = None
    attachments: tuple[Attachment | Pasted, ...] = ()
    plan: PlanChoice = PlanChoice.AUTO


@dataclass(frozen=True, slots=True)
class _Opened:
    """A question as it was shown, what is attached to it, and whether it may get a plan.

    `steered` was said when it was asked before.
    """

    event: RunStarted
    attached: tuple[Attached | Exhibit, ...]
    plan: PlanChoice | None
    steered: tuple[SaidWords, ...]


async def ask(app: Application, request: AskRequest) -> Answer:
    """Run the loop on a question. Raises `ModelError` and `UsageError`."""
    if not request.question.strip():
        raise UsageError("The question is empty; ask something about the workspace.")
    attached = await attach_all(app, request.attachments)
    return await answer(
        app,
        request.question,
        attached,
        request.session_id,
        request.run_id,
        plan=request.plan,
    )


async def answer(  # noqa: PLR0913 - each is a choice of a caller's
    app: Application,
    question: str,
    attached: Sequence[Attached | Exhibit],
    session_id: str | None,
    run_id: str | None,
    *,
    only_reads: bool = False,
    review: bool = False,
    plan: PlanChoice | None = None,
    steered: Sequence[SaidWords] = (),
    before: Callable[[Session], None] = lambda _: None,
    mode: Mode | None = None,
) -> Answer:
    """Open a run in a session, a new one without `session_id`, and answer. Raises as `ask` does.

    `only_reads`: the run changes nothing, in every mode. `review`: the user reviews each edit
    before it is made. `plan`: whether a plan of tasks may be made; None: it is not. `steered`: what
    the user said when the question was asked before, which goes with it now. `before` is called
    when the session is this run's alone, and all that could refuse the question has been asked;
    `mode` is the session's from then on, None: it keeps its own.
    """
    session = await app.sessions.open(session_id) if session_id else app.sessions.create()
    session.meter(app.settings.limits, app.model).check()
    try:
        async with app.runs.open(session.id, run_id, session.note) as run:
            run.ending.enter_context(asking_for(session))
            await run.ending.enter_async_context(app.acting.of(session).at_work(run, app.ready))
            run.reviews = review
            if not app.model.offline:
                run.steering.open()
            hooks = await session_hooks(app, session.id, session.reminders, app.port.tell)
            hooks.mode = mode
            words = (question, *(each.text for each in steered))
            notices = await _admitted(app, session, hooks, words)
            before(session)
            app.acting.modes.begin(session.id, mode)
            hooks.mode = None  # that of the session
            session.title_from(question)
            items = tuple(each.item for each in attached)
            model = app.model
            asked = session.id, question, model.id, model.offline, items, only_reads, plan or ""
            started = RunStarted(*asked, run.began_at)
            run.emit(started)
            for each in steered:
                run.emit(Steered(each.text, tuple(item.item for item in each.attached)))
            if steps := _planned_steps(session, question):
                session.begin_todo(steps)
                run.emit(TodoChanged(steps))
            hooks.tell = run.tell
            for notice in notices:
                hooks.tell(notice)
            async with Recall(app, session, run) as recall:
                opened = _Opened(started, tuple(attached), plan, tuple(steered))
                return await _answer(app, session, run, opened, recall, hooks)
    finally:
        app.sessions.settle(session)


def last_plan(session: Session) -> str:
    """The plan that the session's last answer ends with; "" if there is none."""
    conversation = session.conversation
    return plan_of(conversation.text_since(len(conversation.messages) - 1))


def _planned_steps(session: Session, question: str) -> tuple[Todo, ...]:
    """The steps of the plan that the question accepts, as `start_plan` words it."""
    if not question.endswith(load_prompt("user/plan_steps").render()):
        return ()
    return steps_of(question) or steps_of(last_plan(session))


async def _admitted(
    app: Application, session: Session, hooks: SessionHooks, words: Sequence[str]
) -> tuple[str, ...]:
    """What hooks tell the user before words are taken. Raises `UsageError` if one refuses them."""
    if not hooks.any_of(HookEvent.SESSION_START, HookEvent.PROMPT_SUBMIT):
        return ()
    notices: list[str] = []
    hooks.tell = notices.append
    is_new = session.id not in app.hooks.began
    source = ("resume" if session.conversation.messages else "startup") if is_new else ""
    try:
        for text in words:
            await hooks.admit(text, session.conversation.was_told, source=source)
            source = ""
    except UsageError:
        for notice in dict.fromkeys(notices):
            app.port.tell(notice)
        raise
    app.hooks.began.add(session.id)
    return tuple(notices)


def _earlier(session: Session, run: Run) -> str:
    """The last questions before this run's, which stand for a summary that is not there yet."""
    before = [each.question for each in session.asked if each.run_id != run.id]
    return "\n".join(f"Asked: {shorten(each, _QUESTION)}" for each in before[-_EARLIER:])


async def _answer(
    app: Application,
    session: Session,
    run: Run,
    opened: _Opened,
    recall: Recall,
    hooks: SessionHooks,
) -> Answer:
    """Put the question into the conversation, have it answered, and check what came of it."""
    started, model = time.perf_counter(), app.model
    question, attached, plan = opened.event.question, opened.attached, opened.plan
    meter = session.meter(app.settings.limits, model, run.id, run.emit)
    expansion = await expand(app, question, _BUILT_IN)
    mentioning = f"{question}\n\n{expansion.mentioning}".strip()
    asked = "\n\n".join([question, *(each.text for each in opened.steered)])
    recall.begin(meter, mentioning)
    follow_facts(app, session, run)
    run.ending.push_async_callback(write_memory_back, app, session)
    described = await open_conversation(app, session, run)
    mentioned = await attach_mentioned(app, session, run, mentioning, attached)
    for notice in filter(None, (expansion.notice, mentioned.notice)):
        run.emit(Notice(notice))
    attached = (*attached, *mentioned.parts, *expansion.parts)
    steered = [await _mentioning_again(app, session, run, each) for each in opened.steered]
    if (newest := session.account.newest) and newest.model != model.id:
        session.conversation.newest_reply = None  # of a cache that is not this model's
    delegation = Delegation(app, session, run, model, meter)
    if expansion.parts or app.acting.of(session).mode is Mode.PLAN:
        if plan is PlanChoice.PLAN:
            run.emit(Notice(_NO_TASKS))
        plan = None
    elif attached and plan is PlanChoice.AUTO:
        plan = None  # the question is about what only the conversation holds
    to_plan = PlanQuestion(
        asked,
        plan,
        lambda: app.ledger.cores.of(session.id).session_summary.text or _earlier(session, run),
        lambda: app.ledger.relevant(asked, _FACTS_FOR_A_PLAN, all_=True),
        tuple(each.name for each in attached),
    )
    answering = Answering(app, session, run, delegation, to_plan)
    grounding = Grounding(app, session, run, meter, answering)
    context = replace(
        _run_context(app, session, run, opened.event, recall, hooks, delegation),
        hearing=grounding.judging,
        review=None if model.offline else grounding.faults,
    )
    if context.compactor is not None:
        await context.compactor.compact_if_needed(session.account.last, meter)
    words = (SaidWords(question, attached), *steered)
    await say_question(app, session, run, recall, words, described)
    agent = Agent("main", session.system, app.tools, app.settings.limits, session.tools)
    warming = asyncio.create_task(app.warm_up())
    with answering.flow.ending():
        async with grounding.judging:
            try:
                outcome = await answering.outcome(agent, context)
            finally:
                run.steering.close()
                warming.cancel()
                await recall.end()
                await tell_changed_files(app, session, run)
            await keep_texts(app, session)
            grounded = await grounding.grounded(outcome)
    app.summaries.begin_if_due(session)
    planned = app.acting.of(session).mode is Mode.PLAN and plan_of(grounded.text) != ""
    stop = PLANNED if planned and outcome.stop is Stop.ANSWERED else outcome.stop
    run.emit(RunFinished(stop))
    return Answer(
        run_id=run.id,
        session_id=session.id,
        text=grounded.text,
        citations=tuple(map(CitationView.of, grounded.checked.citations)),
        changed_files=changed_files(app, session, run.id),
        stop=stop,
        model=model.id,
        offline=model.offline,
        turns=outcome.turns,
        milliseconds=(time.perf_counter() - started) * 1000,
        usage=meter.spending.usage,
        dollars=meter.spending.dollars,
        session_usage=session.account.spending.usage,
        session_dollars=session.account.spending.dollars,
        uncited=grounded.checked.uncited,
        corrections=grounded.corrections,
        unsaved=await unsaved_files(app, session, run.id),
    )


async def _mentioning_again(
    app: Application, session: Session, run: Run, words: SaidWords
) -> SaidWords:
    """With what they mention, unless that is attached: files that were mentioned are."""
    mentioned = await attach_mentioned(app, session, run, words.text, words.attached)
    if mentioned.notice:
        run.emit(Notice(mentioned.notice))
    known = {(each.name, each.uri) for each in (part.item for part in words.attached)}
    parts = (part for part in mentioned.parts if (part.item.name, part.item.uri) not in known)
    return replace(words, attached=(*words.attached, *parts))


def _run_context(
    app: Application,
    session: Session,
    run: Run,
    asked: RunStarted,
    recall: Recall,
    hooks: SessionHooks,
    delegation: Delegation,
) -> RunContext:
    """What the loop needs of the application, the session and the run."""
    model, acting, meter = app.model, app.acting.of(session), delegation.meter

    def reminders() -> tuple[str, ...]:
        later = (*session.reminders.take(), *recall.late())
        return (*acting.reminders(), *later, *app.mcp_news(session))

    def listed(steps: tuple[Todo, ...]) -> None:
        session.keep_todo(steps)
        run.emit(TodoChanged(steps))

    session.todo.changed = listed
    of_tools = hooks.any_of(HookEvent.BEFORE_TOOL, HookEvent.AFTER_TOOL)
    return RunContext(
        model=model,
        emit=run.emit,
        tool_context=partial(app.tool_context, session, run, delegation, meter, LoadedSkills(app)),
        permission=acting.permission(only_reads=asked.only_reads, reviews=run.reviews),
        received=delegation.received,
        compactor=compactor_of(app, session, model, run.emit, hooks),
        clock=run.clock,
        meter=meter,
        revision=lambda: app.host.snapshot().revision,
        changes=lambda: acting.checkpoints.changes,
        waits=lambda: bool(app.acting.shell.jobs.running),
        reminders=reminders,
        news=partial(news, app, session, run, recall),
        hooks=hooks if of_tools else None,
        go_on=hooks.go_on if hooks.any_of(HookEvent.STOP) and not model.offline else None,
        steered=partial(say_steered, session, run),
    )
