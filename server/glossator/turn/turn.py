"""One turn: from a question that somebody asks to the answer that was checked.

`take_turn` is the whole of it. A question is admitted, shown and put into its conversation with all
that goes with it (`told/`); it is answered (`answering.py`, which starts the loop and makes plans);
and the answer is judged by the lines that it cites (`judged/`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from glossator.application import Application, SessionActing
from glossator.core.answer import Answer
from glossator.core.attached import Attached, Exhibit
from glossator.core.errors import UsageError
from glossator.core.events import Event, Notice, RunFinished, RunStarted, Steered, Todo, TodoChanged
from glossator.core.images import Image
from glossator.core.permission import Mode
from glossator.core.plan_text import PLANNED, plan_of, steps_of
from glossator.core.prompts import load_prompt
from glossator.core.question import asking_for
from glossator.core.span import CitationView
from glossator.hooks import HookEvent
from glossator.llm import Message
from glossator.sessions import Run, Session
from glossator.tools import ToolContext
from glossator.turn.answering import Answering
from glossator.turn.compaction import compactor_of
from glossator.turn.delegation import Delegation
from glossator.turn.hooks import SessionHooks, session_hooks
from glossator.turn.judged.grounding import Grounding
from glossator.turn.judged.new_facts import write_memory_back
from glossator.turn.plan.planner import PlanChoice, PlanQuestion
from glossator.turn.run import RunContext, Stop
from glossator.turn.told.attachments import attach_mentioned
from glossator.turn.told.changes import changed_files, keep_texts, tell_changed_files, unsaved_files
from glossator.turn.told.customizations import LoadedSkills, expand
from glossator.turn.told.facts import follow_facts
from glossator.turn.told.part import in_time
from glossator.turn.told.question import (
    SaidWords,
    news,
    open_conversation,
    say_question,
    say_steered,
)
from glossator.turn.told.recall import Recall

_NO_TASKS = "Commands, skills and the plan mode are answered without a plan of tasks."


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, what is attached to it, and how it is to be answered.

    Without `session_id` it begins a session. `only_reads`: the run changes nothing, in every mode.
    `review`: the user reviews each edit before it is made. `plan`: whether a plan of tasks may be
    made; None: it is not. `steered`: what the user said when it was asked before, which goes with
    it now. `mode` is the session's from then on, None: it keeps its own. `shown` is as in
    `RunStarted`. `in_place`: it is asked at a place in an editor, and a session that it begins is
    in no list until something else is asked there.
    """

    question: str
    attached: tuple[Attached | Exhibit, ...] = ()
    session_id: str | None = None
    run_id: str | None = None
    only_reads: bool = False
    review: bool = False
    plan: PlanChoice | None = None
    steered: tuple[SaidWords, ...] = ()
    mode: Mode | None = None
    shown: str = ""
    in_place: bool = False

    @property
    def is_next_session(self) -> bool:
        """Whether it begins a session of the user's, for which a mode may have been chosen."""
        return self.session_id is None and not self.in_place


async def take_turn(
    app: Application,
    asked: Asked,
    built_in: frozenset[str],
    before: Callable[[Session], None] = lambda _: None,
) -> Answer:
    """Open a run in a session and answer. Raises `ModelError` and `UsageError`.

    `built_in` are our own `/` commands, which no file takes over. `before` is called when the
    session is this run's alone, and all that could refuse the question has been asked.
    """
    known = asked.session_id
    session = await app.sessions.open(known) if known else app.sessions.create()
    app.trees.check(session)
    session.meter(app.settings.limits, app.model).check()
    try:
        async with app.runs.open(session.id, asked.run_id, session.note) as run:
            run.ending.enter_context(asking_for(session))
            await run.ending.enter_async_context(app.acting.of(session).at_work(run, app.ready))
            run.reviews = asked.review
            if not app.model.offline:
                run.steering.open()
            notices = await _admitted(app, session, asked)
            before(session)
            if known is None or not asked.in_place:
                session.list_from_now_on(not asked.in_place)
            modes = app.acting.modes
            if asked.is_next_session:
                modes.made(session.id)
            modes.begin(session.id, asked.mode)
            app.titles.begin(session, asked.shown or asked.question, asks=not asked.in_place)
            run.emit(_started(app, session, run, asked))
            for each in asked.steered:
                run.emit(Steered(each.text, tuple(item.item for item in each.attached)))
            if steps := _planned_steps(session, asked.question):
                session.begin_todo(steps)
                run.emit(TodoChanged(steps))
            for notice in notices:
                run.tell(notice)
            hooks = SessionHooks(app, session.id, session.reminders, run.tell)
            async with Recall(app, session, run) as recall:
                return await _answer(app, session, run, asked, built_in, recall, hooks)
    finally:
        app.sessions.settle(session)


def _started(app: Application, session: Session, run: Run, asked: Asked) -> RunStarted:
    model, items = app.model, tuple(each.item for each in asked.attached)
    return RunStarted(
        session.id,
        asked.question,
        model.id,
        model.offline,
        items,
        asked.only_reads,
        asked.plan or "",
        run.began_at,
        asked.shown,
        app.host.roots if app.within else (),
    )


def last_plan(session: Session) -> str:
    """The plan that the session's last answer ends with; "" if there is none."""
    conversation = session.conversation
    return plan_of(conversation.text_since(len(conversation.messages) - 1))


def _planned_steps(session: Session, question: str) -> tuple[Todo, ...]:
    """The steps of the plan that the question accepts, as `start_plan` words it."""
    if not question.endswith(load_prompt("user/plan_steps").render()):
        return ()
    return steps_of(question) or steps_of(last_plan(session))


async def _admitted(app: Application, session: Session, asked: Asked) -> tuple[str, ...]:
    """What hooks tell the user before words are taken. Raises `UsageError` if one refuses them."""
    notices: list[str] = []
    looked = await session_hooks(app, session.id, session.reminders, app.port.tell)
    mode = app.acting.modes.of() if asked.is_next_session else None  # which it will begin in
    hooks = replace(looked, tell=notices.append, mode=asked.mode or mode)
    if not hooks.any_of(HookEvent.SESSION_START, HookEvent.PROMPT_SUBMIT):
        return ()
    is_new = session.id not in app.hooks.began
    source = ("resume" if session.conversation.messages else "startup") if is_new else ""
    try:
        for text in (asked.question, *(each.text for each in asked.steered)):
            await hooks.admit(text, session.conversation.was_told, source=source)
            source = ""
    except UsageError:
        for notice in dict.fromkeys(notices):
            app.port.tell(notice)
        raise
    app.hooks.began.add(session.id)
    return tuple(notices)


async def _answer(
    app: Application,
    session: Session,
    run: Run,
    asked: Asked,
    built_in: frozenset[str],
    recall: Recall,
    hooks: SessionHooks,
) -> Answer:
    """Put the question into the conversation, have it answered, and check what came of it."""
    started, model, acting = time.perf_counter(), app.model, app.acting.of(session)
    meter = session.meter(app.settings.limits, model, run.id, run.emit)
    expansion = await expand(app, asked.question, built_in)
    mentioning = f"{asked.question}\n\n{expansion.mentioning}".strip()
    recall.begin(meter, mentioning)
    follow_facts(app, session, run)
    run.ending.push_async_callback(write_memory_back, app, session)
    opened = await open_conversation(app, session, run)
    mentioned = await attach_mentioned(app, session, run, mentioning, asked.attached)
    for notice in filter(None, (expansion.notice, mentioned.notice)):
        run.emit(Notice(notice))
    attached = (*asked.attached, *mentioned.parts, *expansion.parts)
    steered = [await _mentioning_again(app, session, run, each) for each in asked.steered]
    if (newest := session.account.newest) and newest.model != model.id:
        session.conversation.newest_reply = None  # of a cache that is not this model's
    delegation = Delegation(app, session, run, model, meter)
    plan = asked.plan
    if expansion.parts or acting.mode is Mode.PLAN:
        _tell_if_planned(run, plan)
        plan = None
    elif attached and plan is PlanChoice.AUTO:
        plan = None  # the question is about what only the conversation holds
    whole = "\n\n".join([asked.question, *(each.text for each in asked.steered)])
    to_plan = PlanQuestion(whole, plan, tuple(each.name for each in attached))
    answering = Answering(app, session, run, delegation, to_plan)
    grounding = Grounding(app, session, run, meter, answering)
    session.todo.changed = partial(_listed, session, run)
    of_tools = hooks.any_of(HookEvent.BEFORE_TOOL, HookEvent.AFTER_TOOL)
    context = TurnContext(
        model,
        acting.permission(only_reads=asked.only_reads, reviews=run.reviews),
        compactor_of(app, session, model, run.emit, hooks),
        run.clock,
        meter,
        hooks if of_tools else None,
        grounding.judging,
        app=app,
        session=session,
        acting=acting,
        run=run,
        recall=recall,
        user_hooks=hooks,
        delegation=delegation,
        answering=answering,
        grounding=grounding,
    )
    if context.compactor is not None:
        await context.compactor.compact_if_needed(session.account.last, meter)
    said = (SaidWords(asked.question, attached), *steered)
    await say_question(app, session, run, recall, said, opened)
    with answering.flow.ending():
        async with _beside(app, run, just_opened=opened is not None), grounding.judging:
            try:
                outcome = await answering.outcome(context)
            finally:
                run.steering.close()
                await recall.end()
                await tell_changed_files(app, session, run)
            await keep_texts(app, session)
            grounded = await grounding.grounded(outcome)
    app.summaries.begin_if_due(session)
    planned = acting.mode is Mode.PLAN and plan_of(grounded.text) != ""
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


@asynccontextmanager
async def _beside(app: Application, run: Run, *, just_opened: bool) -> AsyncIterator[None]:
    """While the model thinks, load what searches need, and look at MCP servers again.

    Another process may have turned some on or off; an opening has looked already. The look is over
    when the turn is, so that what was turned off ends with this question.
    """
    tasks = [asyncio.create_task(app.warm_up())]
    if not just_opened:
        looking = in_time("News of MCP servers", app.mcp.refresh, None, run.tell)
        tasks.append(asyncio.create_task(looking))
    try:
        yield
        await asyncio.gather(*tasks[1:])
    finally:
        for each in tasks:
            each.cancel()


def _tell_if_planned(run: Run, plan: PlanChoice | None) -> None:
    """Tell a user who asked for a plan that none is made."""
    if plan is PlanChoice.PLAN:
        run.emit(Notice(_NO_TASKS))


async def _mentioning_again(
    app: Application, session: Session, run: Run, words: SaidWords
) -> SaidWords:
    """The words with what they mention, unless it is attached already: mentioned files are."""
    mentioned = await attach_mentioned(app, session, run, words.text, words.attached)
    if mentioned.notice:
        run.emit(Notice(mentioned.notice))
    known = {(each.name, each.uri) for each in (part.item for part in words.attached)}
    parts = (part for part in mentioned.parts if (part.item.name, part.item.uri) not in known)
    return replace(words, attached=(*words.attached, *parts))


def _listed(session: Session, run: Run, steps: tuple[Todo, ...]) -> None:
    """The model changed the list of its steps."""
    session.keep_todo(steps)
    run.emit(TodoChanged(steps))


@dataclass(slots=True, kw_only=True)
class TurnContext(RunContext):
    """What the loop of a turn needs of the application, the session and the run."""

    app: Application
    session: Session
    acting: SessionActing
    run: Run
    recall: Recall
    user_hooks: SessionHooks
    delegation: Delegation
    answering: Answering
    grounding: Grounding

    def emit(self, event: Event) -> None:
        """Show it, and log it with the session."""
        self.run.emit(event)

    async def tool_context(self) -> ToolContext:
        """What one call sees, once the workspace has been scanned."""
        app, delegation = self.app, self.delegation
        abilities = delegation, LoadedSkills(app)
        context = await app.tool_context(self.session, self.run, delegation.meter, abilities)
        return replace(context, ask_user=self.answering.questions.of_model)

    def received(self, reply: Message) -> None:
        """A fork knows what was shown before the reply's calls are run."""
        self.delegation.received(reply)

    async def before_acting(self) -> None:
        """Hold all calls until it is decided whether there is to be a plan."""
        await self.answering.before_acting()

    def revision(self) -> int:
        """Grows with every change of the workspace."""
        return self.app.host.snapshot().revision

    def changes(self) -> int:
        """How many changes this session's calls made."""
        return self.acting.changes

    def waits(self) -> bool:
        """Whether a background job runs."""
        return bool(self.app.acting.shell.jobs.running)

    def reminders(self) -> tuple[str, ...]:
        """Reminders of the mode, late news, memories and MCP servers."""
        later = (*self.session.reminders.take(), *self.recall.late())
        return (*self.acting.reminders(), *later, *self.app.mcp_news(self.session))

    async def news(self) -> str:
        """What changed in files that were read, and what has to be told again."""
        return await news(self.app, self.session, self.run, self.recall)

    def steered(self) -> tuple[str | Image, ...]:
        """What the user said meanwhile."""
        return say_steered(self.session, self.run)

    async def review(self, answer: str) -> str:
        """What is wrong with the citations of an answer."""
        return "" if self.model.offline else await self.grounding.faults(answer)

    async def go_on(self, times: int) -> str:
        """Why the user's hooks have the model go on."""
        if self.model.offline or not self.user_hooks.any_of(HookEvent.STOP):
            return ""
        return await self.user_hooks.go_on(times)
