"""An exploration as a run of a session: a sub-agent, or an extract, and its report."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass

from glossator.application import (
    Application,
    Attachment,
    Delegation,
    Pasted,
    attach_all,
    attach_mentioned,
)
from glossator.context import Attached, Exhibit
from glossator.core.answers import Explored
from glossator.core.asking import asking_for
from glossator.core.document import Missing, MissingReason
from glossator.core.errors import UsageError
from glossator.core.events import CitationChecked, Notice, RunFinished, RunStarted, TextDelta
from glossator.core.gloss import Subject
from glossator.core.report import Report, Thoroughness
from glossator.core.span import CitationView
from glossator.documents import WorkspaceSnapshot
from glossator.llm import user_message
from glossator.sessions import Run, Session
from glossator.tools import Directive

EXPLORED = "explored"  # what is kept of a run, so that it can be asked again

_NOTHING = {MissingReason.ABSENT, MissingReason.OUTSIDE}
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
    extract: Callable[[], Awaitable[Report]] | None = None,
    attached: Sequence[Attached | Exhibit] | None = None,
    before: Callable[[Session], None] = lambda _: None,
) -> Explored:
    """Have a sub-agent find it out. Raises as `ask` does; what fails later is a partial report.

    With `extract`, that makes the report, and no model is asked. `attached` takes the place of the
    request's attachments, `before` is called as that of `answer`.
    """
    if not request.task.strip():
        raise UsageError("There is nothing to explore; say what you want to know.")
    if not app.settings.agents.parallel and extract is None:
        raise UsageError("There are no sub-agents: set agents.parallel to 1 or more.")
    await asyncio.to_thread(_refuse_unknown, app.host.snapshot(), request.paths)
    if attached is None:
        attached = await attach_all(app, request.attachments)
    sessions = app.sessions
    session = await sessions.open(request.session_id) if request.session_id else sessions.create()
    session.meter(app.settings.limits, app.models.fast).check()
    try:
        async with app.runs.open(session.id, request.run_id, session.note) as run:
            run.ending.enter_context(asking_for(session))
            before(session)
            session.keep(EXPLORED, _to_ask_again(run, request, about))
            session.title_from(request.task)
            return await _explore(app, session, run, request, attached, extract)
    finally:
        sessions.settle(session)


def _refuse_unknown(snapshot: WorkspaceSnapshot, paths: Iterable[str]) -> None:
    """Raise `UsageError` for a path at which there is nothing; blocking."""
    for path in paths:
        found = snapshot.read(path)
        if isinstance(found, Missing) and found.reason in _NOTHING:
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
    extract: Callable[[], Awaitable[Report]] | None,
) -> Explored:
    started, before = time.perf_counter(), session.account.replies
    model, task = app.models.fast, request.task.strip()
    items = tuple(each.item for each in attached)
    run.emit(RunStarted(session.id, task, model.id, model.offline, items, only_reads=True))
    meter = session.meter(app.settings.limits, model, run.id, run.emit)
    if extract is None:
        mentioned = await attach_mentioned(app, session, run, task, attached)
        if mentioned.notice:
            run.emit(Notice(mentioned.notice))
        attached = (*attached, *mentioned.parts)
    delegation = Delegation(app, session, run, model, meter)
    directive = Directive(task, request.thoroughness, request.paths, request.agent)
    exploring = extract() if extract else delegation.explore(directive, None, attached)
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
    for citation in report.citations:
        run.emit(CitationChecked(citation))
    stop = _PARTIAL if report.partial else _WHOLE
    run.emit(RunFinished(stop))
    return Explored(
        run_id=run.id,
        session_id=session.id,
        text=text,
        citations=tuple(map(CitationView.of, report.citations)),
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
