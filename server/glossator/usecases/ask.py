"""Ask: a question about the workspace, answered from its lines."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from glossator.agent import Agent, RunContext, Stop, run_agent
from glossator.application import (
    Application,
    Attachment,
    Delegation,
    LoadedSkills,
    Pasted,
    Recall,
    SessionHooks,
    attach_all,
    attach_mentioned,
    customization_notices,
    customizations_now,
    describe_changes,
    editor_state,
    expand,
    keep_texts,
    left_out_files,
    new_instructions,
    opening_of,
)
from glossator.context import Attached, Exhibit, ends_in_plan
from glossator.core.answers import Answer
from glossator.core.document import text_hash
from glossator.core.errors import UsageError
from glossator.core.events import (
    CitationChecked,
    Notice,
    RunFinished,
    RunStarted,
    Todo,
    TodoChanged,
)
from glossator.core.images import Image
from glossator.core.permission import Mode
from glossator.core.plan import PLANNED
from glossator.core.question import asking_for
from glossator.core.span import Citation, CitationView
from glossator.customizations import Customizations
from glossator.grounding import faults, verify_all
from glossator.hooks import HookEvent
from glossator.llm import user_message
from glossator.permissions import how_to_trust
from glossator.prompts import load_prompt
from glossator.sessions import Run, Session
from glossator.usecases.compact import compactor_of
from glossator.usecases.declared import CHAT_COMMANDS
from glossator.usecases.undo import changed_files, files_undone, mark_undos_seen, undo_reminder

_BUILT_IN = frozenset(chat.name for chat in CHAT_COMMANDS)

__all__ = ["AskRequest", "Attachment", "Pasted", "answer", "ask"]


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question; without `session_id` it begins a session, `run_id` lets the asker cancel it."""

    question: str
    session_id: str | None = None
    run_id: str | None = None
    attachments: tuple[Attachment | Pasted, ...] = ()


async def ask(app: Application, request: AskRequest) -> Answer:
    """Run the loop on a question. Raises `ModelError` and `UsageError`."""
    if not request.question.strip():
        raise UsageError("The question is empty; ask something about the workspace.")
    attached = await attach_all(app, request.attachments)
    return await answer(app, request.question, attached, request.session_id, request.run_id)


async def answer(
    app: Application,
    question: str,
    attached: Sequence[Attached | Exhibit],
    session_id: str | None,
    run_id: str | None,
    *,
    only_reads: bool = False,
    before: Callable[[Session], None] = lambda _: None,
) -> Answer:
    """Open a run in a session, a new one without `session_id`, and answer. Raises as `ask` does.

    `only_reads`: the run changes nothing, in every mode. `before` is called when the
    session is this run's alone, and all that could refuse the question has been asked.
    """
    session = await app.sessions.open(session_id) if session_id else app.sessions.create()
    session.meter(app.settings.limits, app.model).check()
    try:
        async with app.runs.open(session.id, run_id, session.note) as run:
            run.ending.enter_context(asking_for(session))
            hooks = SessionHooks(app, session.id, session.reminders, app.port.tell)
            notices = await _admitted(app, session, hooks, question)
            before(session)
            session.title_from(question)
            items = tuple(each.item for each in attached)
            model = app.model
            started = RunStarted(session.id, question, model.id, model.offline, items, only_reads)
            run.emit(started)
            hooks.tell = lambda text: run.notice_once(text, text)
            for notice in notices:
                hooks.tell(notice)
            async with Recall(app, session, run, question) as recall:
                return await _answer(app, session, run, started, attached, recall, hooks)
    finally:
        app.sessions.settle(session)


async def _admitted(
    app: Application, session: Session, hooks: SessionHooks, question: str
) -> tuple[str, ...]:
    """What hooks tell the user before a question is taken. Raises `UsageError` if one refuses."""
    if not hooks.any_of(HookEvent.SESSION_START, HookEvent.PROMPT_SUBMIT):
        return ()
    notices: list[str] = []
    hooks.tell = notices.append
    is_new = session.id not in app.hooks.began
    source = ("resume" if session.conversation.messages else "startup") if is_new else ""
    try:
        await hooks.admit(question, source=source)
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
    asked: RunStarted,
    attached: Sequence[Attached | Exhibit],
    recall: Recall,
    hooks: SessionHooks,
) -> Answer:
    started, model = time.perf_counter(), app.model
    question = asked.question
    meter = session.meter(app.settings.limits, model, run.id, run.emit)
    recall.begin(meter)
    whole = app.settings.retrieval.whole_tokens > 0
    described = None
    if not session.system or (whole and not session.conversation.messages):
        described = await customizations_now(app)
        opening = await opening_of(app, described)
        opening.freeze(session)
        for notice in filter(None, (opening.notice, opening.instructions.notice)):
            run.emit(Notice(notice))
    expansion = await expand(app, question, _BUILT_IN)
    mentioning = f"{question}\n\n{expansion.mentioning}".strip()
    mentioned = await attach_mentioned(app, session, run, mentioning, attached)
    for notice in filter(None, (expansion.notice, mentioned.notice)):
        run.emit(Notice(notice))
    attached = (*attached, *mentioned.parts, *expansion.parts)

    def listed(steps: tuple[Todo, ...]) -> None:
        session.keep_todo(steps)
        run.emit(TodoChanged(steps))

    session.todo.changed = listed
    if (newest := session.account.newest) and newest.model != model.id:
        session.conversation.newest_reply = None  # of a cache that is not this model's
    compactor = compactor_of(app, session, model, run.emit, hooks)
    await compactor.compact_if_needed(session.account.last, meter)
    told = await _told(app, session, run, described, recall)
    shown = (part for item in attached for part in _shown(session, item))
    session.conversation.append(user_message(*told, *shown, question))
    mark_undos_seen(app, session)
    acting = app.acting.of(session)

    def reminders() -> tuple[str, ...]:
        return (*acting.reminders(), *session.reminders.take(), *app.mcp_news(session))

    delegation = Delegation(app, session, run, model, meter)
    agent = Agent("main", session.system, app.tools, app.settings.limits, session.tools)
    context = RunContext(
        model,
        run.emit,
        partial(app.tool_context, session, run, delegation, meter, LoadedSkills(app)),
        acting.permission(only_reads=asked.only_reads),
        delegation.received,
        compactor,
        run.clock,
        meter,
        lambda: app.host.snapshot().revision,
        lambda: acting.checkpoints.changes,
        lambda: bool(app.acting.shell.jobs.running),
        reminders,
        None if model.offline else partial(_faults, app, session),
        partial(_news, app, session),
        hooks if hooks.any_of(HookEvent.BEFORE_TOOL, HookEvent.AFTER_TOOL) else None,
        hooks.go_on if hooks.any_of(HookEvent.STOP) and not model.offline else None,
    )
    warming = asyncio.create_task(app.warm_up())
    try:
        outcome = await run_agent(agent, session.conversation, context)
    finally:
        warming.cancel()
        await recall.end()
    await keep_texts(app, session)
    citations = await _check(app, session, outcome.text)
    for citation in citations:
        run.emit(CitationChecked(citation))
    planned = app.acting.mode is Mode.PLAN and ends_in_plan(outcome.text)
    stop = PLANNED if planned and outcome.stop is Stop.ANSWERED else outcome.stop
    run.emit(RunFinished(stop))
    return Answer(
        run_id=run.id,
        session_id=session.id,
        text=outcome.text,
        citations=tuple(map(CitationView.of, citations)),
        changed_files=changed_files(app, session, run.id),
        stop=stop,
        model=model.id,
        offline=model.offline,
        turns=outcome.turns,
        milliseconds=(time.perf_counter() - started) * 1000,
        usage=outcome.usage,
        dollars=outcome.spending.dollars,
        session_usage=session.account.spending.usage,
        session_dollars=session.account.spending.dollars,
    )


async def _told(
    app: Application,
    session: Session,
    run: Run,
    described: Customizations | None,
    recall: Recall,
) -> tuple[str, ...]:
    """What the model is told before the question, besides what is attached."""
    begins = not session.conversation.messages
    if begins:
        described = described or await customizations_now(app)
        await _tell_left_out(app, run, described)
    listings = await customization_notices(app, session, described)
    instructions = await new_instructions(app, session)
    git = _git(app, session) if begins else ""
    abandoned = load_prompt("user/abandoned").render() if session.conversation.unanswered else ""
    taken_back = undo_reminder(app, session)  # first: `describe_changes` forgets what was read
    changed = await describe_changes(app, session, files_undone(app, session))
    remembered = await recall.at_once()
    editor = await editor_state(app, session)
    later = (*app.acting.of(session).reminders(), *session.reminders.take())
    told = (*listings, instructions, git, abandoned, taken_back, changed)
    return *told, *remembered, editor, *later, *app.mcp_news(session)


def _git(app: Application, session: Session) -> str:
    """What git says; if it has to be asked, it is told with the next message."""
    known = app.git.known()
    if known is None:

        def tell(look: asyncio.Task[str]) -> None:
            if not look.cancelled() and look.exception() is None:
                session.reminders.add(look.result())

        app.git.look().add_done_callback(tell)
    return known or ""


async def _tell_left_out(app: Application, run: Run, described: Customizations) -> None:
    """Tell the user what the workspace asks for that is not obeyed."""
    servers = app.mcp.left_out()
    if servers and app.acting.trust.is_trusted:
        run.emit(
            Notice(f"Not adopted: {servers[0]} of this workspace. `glossator mcp` lists them.")
        )
        servers = ()
    names = (*await left_out_files(app), *described.left_out, *servers)
    if any(app.hooks) and not app.acting.trust.is_trusted:
        names = (*names, "your hooks")
    if not names:
        return
    if app.acting.trust.said is False:
        how = "Trust the workspace in the editor to have them obeyed."
    else:
        how = " ".join(map(how_to_trust, app.host.snapshot().roots))
    run.emit(Notice(f"Left out, because this workspace is not trusted: {', '.join(names)}. {how}"))


async def _news(app: Application, session: Session) -> str:
    """What changed in files that were read, and the instruction files that came into play.

    After a compaction, also what it took of the lists of skills and sub-agents.
    """
    session.reminders.add(await new_instructions(app, session))
    for listing in await customization_notices(app, session, None):
        session.reminders.add(listing)
    return await describe_changes(app, session)


async def _faults(app: Application, session: Session, answer: str) -> str:
    """What the model reads about citations that failed; see `grounding.verify.faults`."""
    return await asyncio.to_thread(
        faults, answer, app.host.snapshot(), session.reads, session.runs.lines()
    )


def _shown(session: Session, item: Attached | Exhibit) -> tuple[str | Image, ...]:
    """The parts of the message; a folder's listing that was sent before is not repeated."""
    reads = session.reads
    if isinstance(item, Attached):
        reads.show([item.span])
        reads.saw(item.document)
    elif item.image is None and item.uri is not None:
        sha256, asked = text_hash(item.text), (1, None)
        if reads.unchanged(item.uri, asked, sha256):
            return (load_prompt("user/folder_again").render(path=item.name),)
        reads.remember(item.uri, asked, sha256)
    return item.parts


async def _check(app: Application, session: Session, answer: str) -> tuple[Citation, ...]:
    """The answer's citations against the text as it is now."""
    snapshot = app.host.snapshot()
    checked = await asyncio.to_thread(
        verify_all, answer, snapshot, session.reads, session.runs.lines()
    )
    return tuple(citation for _, citation in checked)
