"""Builds a run's compactor: what a compaction keeps, and which state the summary carries over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal

from glossator.application import Application
from glossator.core.events import Compaction, Event
from glossator.core.permission import Access
from glossator.core.report import Report
from glossator.core.span import runs
from glossator.core.tool_result import shorten
from glossator.hooks import HookEvent
from glossator.llm import Model
from glossator.permissions import MCP, lifted_refusals
from glossator.sessions import (
    CarriedState,
    Changed,
    Compacted,
    Compactor,
    KeptTools,
    PromptPrefix,
    Session,
)
from glossator.turn.hooks import SessionHooks
from glossator.turn.told.changes import telling_first
from glossator.turn.told.whole import changed_since
from glossator.undo import CHECKPOINTS

_ASKING = frozenset({"AskUser"})
_GUIDING = frozenset({"Skill"})  # its text says how to go on
_IN_STATE = frozenset({"Todo"})
_MAX_REPORTS = 20  # the newest, that a compaction carries over
_REPORT_CHARACTERS = 300
_MAX_CHANGING = 60  # questions that had files changed, the newest
_MAX_CHANGED = 20  # files of one of them
_QUESTION_CHARACTERS = 150


def compactor_of(
    app: Application,
    session: Session,
    model: Model,
    emit: Callable[[Event], None],
    hooks: SessionHooks,
    trigger: Literal["auto", "manual"] = "auto",
) -> Compactor:
    """The compactor of a session whose system prompt and tools are frozen."""
    refused = partial(hooks.refuses_compaction, trigger)
    acting = {name for name, tool in app.tools.items() if tool.access is not Access.READ}
    acting |= {spec.name for spec in session.tools if spec.name.startswith(MCP)}

    def compacted(change: Compacted) -> None:
        app.tell_mcp_again(session)
        app.summaries.keep(session, change.summary)
        emit(Compaction(change.before, change.after, change.by_model))

    return Compactor(
        session.conversation,
        model,
        PromptPrefix(session.system, session.tools),
        KeptTools(frozenset(acting - _ASKING - _IN_STATE | _GUIDING), _ASKING),
        lambda: _carried(app, session),
        compacted,
        app.settings.context.compact_at,
        emit,
        session.backoff,
        refused if hooks.any_of(HookEvent.BEFORE_COMPACTION) else None,
        hooks.compacted if hooks.any_of(HookEvent.SESSION_START) else None,
    )


def _carried(app: Application, session: Session) -> CarriedState:
    snapshot, acting = app.host.snapshot(), app.acting.of(session)
    relative = snapshot.relative
    files = []
    for document in session.reads.read_documents():
        known = session.reads.last(document.path)
        changed = None if known is None else changed_since(session.system, snapshot, known)
        if changed is False:
            continue  # the system prompt still shows it
        if changed:
            files.append(
                f"{relative(document.path)}: no longer as in the system prompt, read it again"
            )
            continue
        shown = runs(sorted(session.reads.lines(document)))
        lines = ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in shown)
        files.append(f"{relative(document.path)}: lines {lines}")
    return CarriedState(
        todos=tuple(
            f"{number} [{step.state}] {step.text}"
            for number, step in enumerate(session.todo.steps, 1)
        ),
        permissions=(f"mode {acting.mode}", *acting.granted),
        files=tuple(files),
        reports=tuple(map(_brief, session.reports[-_MAX_REPORTS:])),
        changed=tuple(_changed(app, session)),
        lifted=lifted_refusals(acting.mode),
    )


def _changed(app: Application, session: Session) -> Iterator[Changed]:
    """The files that each question had changed, without what was undone since; the newest."""
    if not session.kept(CHECKPOINTS):
        return
    questions = {run.run_id: run.question for run in session.asked}
    relative = app.host.snapshot().relative
    for turn in app.acting.of(session).checkpoints.undoable[-_MAX_CHANGING:]:
        why = shorten(" ".join(questions.get(turn.turn, "").split()), _QUESTION_CHARACTERS)
        first = telling_first(session, turn.paths)
        more = len(first) - _MAX_CHANGED
        files = tuple(map(relative, first[:_MAX_CHANGED]))
        yield Changed(why or "unknown", (*files, f"{more:,} more") if more > 0 else files)


def _brief(report: Report) -> str:
    """A report in one line: the task, and the finding that matters most."""
    first = report.findings[0].text if report.findings else "nothing"
    found = shorten(" ".join(first.split()), _REPORT_CHARACTERS)
    partial = f" (partial: {report.partial})" if report.partial else ""
    return f"{report.agent}, {shorten(' '.join(report.task.split()), 100)}: {found}{partial}"
