"""Explore: a sub-agent finds something out, in a run of a session.

What it reports about one place becomes the gloss of that place. Without a model, the report is an
extract. A retry explores again: as thoroughly, about the same, with the same agent.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any, TypeVar
from urllib.parse import quote

from glossator.anchors import GlossState, passage_of
from glossator.application import Application, Directive
from glossator.commands.answers.sessions import Explored
from glossator.commands.extract import extract
from glossator.commands.extract_overview import extract_overview
from glossator.commands.subjects import Pointed, pointed_at
from glossator.core.attached import Attached, Exhibit
from glossator.core.document import Missing, MissingReason
from glossator.core.errors import UsageError
from glossator.core.events import CitationChecked, Notice, RunFinished, RunStarted, TextDelta
from glossator.core.question import asking_for
from glossator.core.report import WORKSPACE, Gloss, Report, Subject, Thoroughness
from glossator.core.span import CitationView
from glossator.core.uri import to_uri
from glossator.grounding import located
from glossator.llm import user_message
from glossator.sessions import Run, Session
from glossator.turn import (
    Attachment,
    Delegation,
    Pasted,
    attach_all,
    attach_mentioned,
    find_mentions,
    resolve_mentions,
)
from glossator.worker import JobFailed, WorkerGone
from glossator.workspace import WorkspaceSnapshot

logger = logging.getLogger(__name__)

T = TypeVar("T")

SCHEME = "glossator"  # of the documents that are glosses

_EXPLORED = "explored"  # what a session keeps of a run, so that it can be asked again
_NOTHING_THERE = {MissingReason.ABSENT, MissingReason.OUTSIDE}
_WHOLE, _PARTIAL = "answered", "partial"


@dataclass(frozen=True, slots=True)
class ExploreRequest:
    """What to find out, how far to go, and the paths to look in, all of them if none is named.

    `agent` names a sub-agent that is described in a file.
    """

    task: str
    thoroughness: Thoroughness = Thoroughness.MEDIUM
    paths: tuple[str, ...] = ()
    agent: str = ""
    attachments: tuple[Attachment | Pasted, ...] = ()
    session_id: str | None = None
    run_id: str | None = None


async def run_exploration(
    app: Application,
    request: ExploreRequest,
    about: Subject | None = None,
    extracting: Callable[[], Awaitable[Report]] | None = None,
    attached: Sequence[Attached | Exhibit] | None = None,
    before: Callable[[Session], None] = lambda _: None,
) -> Explored:
    """Have a sub-agent find it out. Raises like `ask`; a later failure is a partial report.

    If given, `extracting` makes the report, and no model is asked. `attached` replaces the
    request's attachments, `before` is called like that of `answer`.
    """
    if not request.task.strip():
        raise UsageError("There is nothing to explore; say what you want to know.")
    if not app.settings.agents.parallel and extracting is None:
        raise UsageError("There are no sub-agents: set agents.parallel to 1 or more.")
    await asyncio.to_thread(_refuse_unknown, app.host.snapshot(), request.paths)
    if attached is None:
        attached = await attach_all(app, request.attachments)
    sessions = app.sessions
    session = await sessions.open(request.session_id) if request.session_id else sessions.create()
    app.trees.check(session)
    session.meter(app.settings.limits, app.models.fast).check()
    try:
        async with app.runs.open(session.id, request.run_id, session.note) as run:
            run.ending.enter_context(asking_for(session))
            before(session)
            if request.session_id is None:
                app.acting.modes.made(session.id)
            app.acting.modes.begin(session.id)
            session.keep(_EXPLORED, _to_ask_again(run, request, about))
            app.titles.begin(session, request.task)
            return await _explore(app, session, run, request, attached, extracting)
    finally:
        sessions.settle(session)


def _refuse_unknown(snapshot: WorkspaceSnapshot, paths: Iterable[str]) -> None:
    """Raise `UsageError` for a path at which there is nothing; blocking."""
    for path in paths:
        found = snapshot.read(path)
        if isinstance(found, Missing) and found.reason in _NOTHING_THERE:
            raise UsageError(f"{found.message} Name another path to look in, or none.")


def _to_ask_again(run: Run, request: ExploreRequest, about: Subject | None) -> dict[str, object]:
    return {
        "run": run.id,
        "thoroughness": request.thoroughness.value,
        "paths": list(request.paths),
        "agent": request.agent,
        "about": about and asdict(about),
    }


async def _explore(
    app: Application,
    session: Session,
    run: Run,
    request: ExploreRequest,
    attached: Sequence[Attached | Exhibit],
    extracting: Callable[[], Awaitable[Report]] | None,
) -> Explored:
    started, before = time.perf_counter(), session.account.replies
    model, task = app.models.fast, request.task.strip()
    items = tuple(each.item for each in attached)
    told = session.id, task, model.id, model.offline, items
    run.emit(RunStarted(*told, only_reads=True, plan="", began_at=run.began_at))
    meter = session.meter(app.settings.limits, model, run.id, run.emit)
    if extracting is None:
        mentioned = await attach_mentioned(app, session, run, task, attached)
        if mentioned.notice:
            run.emit(Notice(mentioned.notice))
        attached = (*attached, *mentioned.parts)
    delegation = Delegation(app, session, run, model, meter)
    directive = Directive(task, request.thoroughness, request.paths, request.agent)
    exploring = extracting() if extracting else delegation.explore(directive, None, attached)
    report = await exploring
    text = report.markdown()
    if not report.is_empty:
        shown = [part for item in attached for part in item.parts]
        session.reads.show(item.span for item in attached if isinstance(item, Attached))
        session.reads.mark_citable(report.read)
        session.conversation.append(user_message(*shown, task))
        session.conversation.append(
            {"role": "assistant", "content": [{"type": "text", "text": text}]}
        )
    run.emit(TextDelta(text))
    citations = tuple(located(text, report.citations))
    for citation in citations:
        run.emit(CitationChecked(citation))
    await app.cited.keep(session, run, citations)
    stop = _PARTIAL if report.partial else _WHOLE
    run.emit(RunFinished(stop))
    return Explored(
        run_id=run.id,
        session_id=session.id,
        text=text,
        citations=tuple(map(CitationView.of, citations)),
        changed_files=(),
        stop=stop,
        model=model.id,
        offline=model.offline,
        turns=session.account.replies - before,
        milliseconds=(time.perf_counter() - started) * 1000,
        usage=meter.spending.usage,
        dollars=meter.spending.dollars,
        session_usage=session.account.spending.usage,
        session_dollars=session.account.spending.dollars,
        report=report,
    )


async def explore(
    app: Application,
    request: ExploreRequest,
    attached: Sequence[Attached | Exhibit] | None = None,
    before: Callable[[Session], None] = lambda _: None,
) -> Explored:
    """Like `run_exploration`; a report on one place becomes its gloss if none is fresh."""
    if attached is None:
        attached = await attach_all(app, request.attachments)
    explored = await run_exploration(app, request, attached=attached, before=before)
    pointed = None if explored.offline else await _place(app, request, attached)
    if pointed is None:
        return explored
    kept = await keep_gloss(app, pointed.subject, explored.report, explored.model, renews=False)
    return replace(explored, document=gloss_uri(kept) if kept else None)


async def _place(
    app: Application, request: ExploreRequest, attached: Sequence[Attached | Exhibit]
) -> Pointed | None:
    """The one place that is attached, mentioned or to be searched; None if there are several."""
    wanted = find_mentions(request.task)
    if len(attached) + len(request.paths) + len(wanted) != 1:
        return None
    found = await resolve_mentions(wanted, app.host.snapshot(), app.symbols, app.acting.hidden())
    items = [each.item for each in (*attached, *found.attached)]
    places = [(item.uri, item.first_line) for item in items] + [(p, None) for p in request.paths]
    if len(places) != 1:  # a name that is defined nowhere, or more than once
        return None
    try:
        return await or_usage_error(pointed_at(app, *places[0], None))
    except UsageError as error:
        logger.info("The report is no gloss: %s", error)
        return None


def exploration(session: Session, run_id: str) -> Mapping[str, Any] | None:
    """The request kept for a run that explored; None for any other run."""
    kept = session.kept(_EXPLORED)
    return next((each for each in reversed(kept) if each["run"] == run_id), None)


async def explore_again(
    app: Application,
    request: ExploreRequest,
    explored: Mapping[str, Any],
    attached: Sequence[Attached | Exhibit],
    before: Callable[[Session], None],
) -> Explored:
    """Repeat an exploration. Raises like `explore`, and if its subject is gone."""
    request = replace(
        request,
        thoroughness=Thoroughness(explored["thoroughness"]),
        paths=tuple(explored["paths"]),
        agent=explored["agent"],
    )
    if explored["about"] is None:
        return await explore(app, request, attached, before)
    pointed = await _pointed_again(app, Subject(**explored["about"]))
    return await explored_and_kept(app, pointed, request, attached, before)


async def _pointed_again(app: Application, subject: Subject) -> Pointed:
    if subject.kind == WORKSPACE:
        return Pointed(subject, os.path.basename(subject.path))
    return await or_usage_error(pointed_at(app, to_uri(subject.path), None, subject.name or None))


async def explored_and_kept(
    app: Application,
    pointed: Pointed,
    request: ExploreRequest,
    attached: Sequence[Attached | Exhibit] | None = None,
    before: Callable[[Session], None] = lambda _: None,
    *,
    renews: bool = True,
) -> Explored:
    """Explore, or extract without a model, and keep the report as the gloss of a subject."""
    subject, offline = pointed.subject, app.models.fast.offline

    async def extracted() -> Report:
        if subject.kind == WORKSPACE:
            return await or_usage_error(extract_overview(app, request.task))
        return await or_usage_error(extract(app, pointed))

    extracting, attached = (extracted, ()) if offline else (None, attached)
    explored = await run_exploration(app, request, subject, extracting, attached, before)
    model = "" if offline else explored.model
    kept = await keep_gloss(app, subject, explored.report, model, renews=renews)
    return replace(explored, document=gloss_uri(kept) if kept else None)


async def keep_gloss(
    app: Application, subject: Subject, report: Report, model: str, *, renews: bool = True
) -> GlossState | None:
    """Keep a report as a gloss, unless it is empty, or partial and shows nothing.

    A fresh whole gloss is replaced only if the report `renews` it; never by a partial report, nor
    by one without a model if a model made it. None if the report was not kept.
    """
    never_saved = not os.path.isabs(subject.path)
    if report.is_empty or never_saved or (report.partial and not report.rests_on_lines):
        return None
    await app.glosses.look()
    known = app.glosses.of(subject)
    is_fresh = known is not None and known.freshness is not None and known.freshness.is_fresh
    if known is not None and is_fresh and not known.gloss.report.partial:
        is_less = bool(report.partial) or bool(known.gloss.model and not model)
        if is_less or not renews:
            return None
    read = app.host.snapshot().read
    passages = await asyncio.to_thread(
        lambda: tuple(
            passage_of(each.span, read) if each.span else None for each in report.citations
        )
    )
    return await app.glosses.keep(Gloss(subject, report, passages, model, datetime.now(UTC)))


def gloss_uri(kept: GlossState) -> str:
    """The URI at which the editor finds the whole gloss."""
    subject = kept.gloss.subject
    name = subject.name or PurePath(subject.path).name or "workspace"
    return f"{SCHEME}:/gloss/{subject.key}/{quote(name, safe='.')}.md"


async def or_usage_error(work: Awaitable[T]) -> T:
    """The result of a symbol look-up. Raises `UsageError` if the worker failed."""
    try:
        return await work
    except (WorkerGone, JobFailed) as failure:
        raise UsageError(f"It cannot be looked up: {failure} Try again in a minute.") from failure
