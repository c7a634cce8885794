"""Gloss: explore what the user points at, and keep the report in the margin."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

from glossator.application.application import Application
from glossator.application.attaching import Attachment
from glossator.context.attachments import Attached, Exhibit
from glossator.core.answers import Explored
from glossator.core.errors import UsageError
from glossator.core.gloss import FOLDER, WORKSPACE, Gloss, Subject
from glossator.core.report import Report, Thoroughness
from glossator.core.shown import some_of
from glossator.core.uri import to_uri
from glossator.glosses.gloss_index import GlossState
from glossator.glosses.passages import passage_of
from glossator.prompts.loader import load_prompt
from glossator.sessions.session import Session
from glossator.usecases.calls import Call, calls_of
from glossator.usecases.explore import ExploreRequest, explore
from glossator.usecases.extract import extract
from glossator.usecases.extract_overview import extract_overview
from glossator.usecases.reports import uri_of
from glossator.usecases.subjects import Pointed, pointed_at
from glossator.worker.client import WorkerGone
from glossator.worker.connection import JobFailed

T = TypeVar("T")

_CALLS = 12  # of each direction that a sub-agent is told of


@dataclass(frozen=True, slots=True)
class GlossRequest:
    """A file, a folder, a line of a file (1-based), or a symbol by its `name`, perhaps below `uri`.

    The gloss of a line is that of the symbol around it.
    """

    uri: str | None = None
    line: int | None = None
    name: str | None = None
    thoroughness: Thoroughness = Thoroughness.QUICK
    session_id: str | None = None
    run_id: str | None = None


async def gloss(app: Application, request: GlossRequest) -> Explored:
    """Explore it; without a model, extract. Raises as `explore` does."""
    pointed = await looked_up(pointed_at(app, request.uri, request.line, request.name))
    known = "" if app.models.fast.offline else await looked_up(_known_calls(app, pointed))
    task = load_prompt("user/gloss").render(subject=pointed.name, calls=known)
    asked = ExploreRequest(
        task,
        request.thoroughness,
        paths=(pointed.path,) if pointed.subject.kind == FOLDER else (),
        attachments=(_attachment(pointed),),
        session_id=request.session_id,
        run_id=request.run_id,
    )
    return await explored_and_kept(app, pointed, asked)


async def explored_and_kept(
    app: Application,
    pointed: Pointed,
    request: ExploreRequest,
    attached: Sequence[Attached | Exhibit] | None = None,
    before: Callable[[Session], None] = lambda _: None,
    *,
    renews: bool = True,
) -> Explored:
    """Explore, without a model extract, and `keep` the report as the gloss of a subject."""
    subject, offline = pointed.subject, app.models.fast.offline

    async def extracted() -> Report:
        if subject.kind == WORKSPACE:
            return await looked_up(extract_overview(app, request.task))
        return await looked_up(extract(app, pointed))

    extracting, attached = (extracted, ()) if offline else (None, attached)
    explored = await explore(app, request, subject, extracting, attached, before)
    model = "" if offline else explored.model
    noted = await keep(app, subject, explored.report, model, renews=renews)
    return replace(explored, document=uri_of(noted) if noted else None)


async def keep(
    app: Application, subject: Subject, report: Report, model: str, *, renews: bool = True
) -> GlossState | None:
    """Keep a report in the margin, but no empty one, and no partial one that shows nothing.

    A whole gloss that is fresh gives its place neither to a partial one, nor to one without a model
    if it has one itself, nor at all unless the report `renews` it. None if it was not kept.
    """
    never_saved = not os.path.isabs(subject.path)
    if report.is_empty or never_saved or (report.partial and not report.read):
        return None
    await app.margin.look()
    known = app.margin.of(subject)
    is_fresh = known is not None and known.standing is not None and known.standing.is_fresh
    if known is not None and is_fresh and not known.gloss.report.partial:
        is_less = bool(report.partial) or bool(known.gloss.model and not model)
        if is_less or not renews:
            return None
    read = app.host.snapshot().read
    passages = await asyncio.to_thread(
        lambda: tuple(passage_of(citation, read) for citation in report.citations)
    )
    return await app.margin.keep(Gloss(subject, report, passages, model, datetime.now(UTC)))


def _attachment(pointed: Pointed) -> Attachment:
    document, symbol = pointed.document, pointed.symbol
    if document is None:
        return Attachment(to_uri(pointed.subject.path))
    if symbol is None:
        return Attachment(document.uri)
    return Attachment(document.uri, symbol.first_line, symbol.last_line)


async def _known_calls(app: Application, pointed: Pointed) -> str:
    """What is known of the calls of a symbol, for the sub-agent."""
    calls = await calls_of(app, pointed)
    if not calls.callers and not calls.callees:
        return ""
    source = "the editor's language server" if calls.by_editor else "the spelling of names alone"
    relative = app.host.snapshot().relative

    def named(told: tuple[Call, ...]) -> str:
        places = dict.fromkeys(
            f"`{call.name}` (`{relative(call.line.path)}:{call.line.number}`)" for call in told
        )
        return some_of(list(places), _CALLS) or "none"

    callers, callees = named(calls.callers), named(calls.callees)
    prompt = load_prompt("user/calls")
    return "\n\n" + prompt.render(source=source, callers=callers, callees=callees)


async def looked_up(work: Awaitable[T]) -> T:
    """What a look-up of symbols gives. Raises `UsageError` where the worker could not."""
    try:
        return await work
    except (WorkerGone, JobFailed) as failure:
        raise UsageError(f"It cannot be looked up: {failure} Try again in a minute.") from failure
