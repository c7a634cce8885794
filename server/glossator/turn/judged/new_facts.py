"""Turns statements that their lines support into facts of the workspace.

The memory of a session is written back when a run ends, however it does.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from dataclasses import replace

from glossator.application import Application
from glossator.core.citations import place
from glossator.core.fact import NewFact
from glossator.core.report import Report
from glossator.core.span import Basis, CitationStatus, runs
from glossator.core.uri import to_path
from glossator.grounding import (
    CheckedStatement,
    Verdict,
    document_of,
    enclosing_lines,
    is_denial,
    speaks_of_all,
)
from glossator.ledger import WorkingBench, stands_alone, without_label
from glossator.sessions import Run, Session
from glossator.workspace import WorkspaceSnapshot

_CONFIDENCE = 0.8  # of a model that quoted the lines: it may be talked into something
_MAX_FACT_LINES = 200  # that one fact may rest on
_BETWEEN = 10  # of them that nothing cites: any change there would make it stale
_OTHER_TARGET = re.compile(r"(?:fact [\w-]+|task \d+|run \d+)$")  # targets that are no documents
# A statement is judged by all lines that it cites; those that the model quoted are VERIFIED.
_CARRYING = frozenset({CitationStatus.VERIFIED, CitationStatus.READ})
_MAX_PLACES = 50  # of the working bench
_MAX_REPORTS = 10


async def memorise(
    app: Application, session: Session, run: Run, statements: Iterable[CheckedStatement]
) -> None:
    """Keep the supported statements that are new.

    The facts that were added are events of the run, see `follow_facts`.
    """
    if not app.settings.facts.enabled:
        return
    found = await new_facts(app, statements)
    question = next((each.question for each in session.asked if each.run_id == run.id), "")
    await app.ledger.remember(session.id, run.id, found, question)


async def new_facts(app: Application, statements: Iterable[CheckedStatement]) -> list[NewFact]:
    """The facts that supported statements become.

    Only listed files of the workspace count: what ignore files or the user's rules leave out does
    not.
    """
    snapshot = app.host.snapshot()
    carried = [
        each
        for each in statements
        if each.verdict is Verdict.SUPPORTED and not each.statement.is_code
    ]
    new = await asyncio.to_thread(lambda: [_new_fact(each, snapshot) for each in carried])
    return [each for each in new if each is not None]


async def write_memory_back(app: Application, session: Session) -> None:
    """Write what the session established, and what it looked at, for later runs."""
    if app.settings.facts.enabled:
        await app.ledger.cores.keep(session.id, bench=_bench(session, app.host.snapshot()))


def _new_fact(judged: CheckedStatement, snapshot: WorkspaceSnapshot) -> NewFact | None:
    """The fact that a statement becomes; None unless lines of one listed file support it. Blocking.

    The model must have judged it, with a quotation. A statement that cites another fact, a task or
    a command does not become a fact, nor one that is not understood without the sentence before,
    nor a denial or another word on all code ("`f` has one caller"), nor what a language server
    proved: lines added elsewhere may make it false while its own lines stay the same. Nor does one
    that tells of a change.

    If it cites several places in one file, the fact rests on all lines from the first to the last,
    unless too many lie between. A fact belongs to one file, so a statement that cites two files
    becomes none.
    """
    carrying = [each for each in judged.citations if each.status in _CARRYING]
    statement = without_label(judged.statement.text)
    is_of_others = is_denial(statement) or speaks_of_all(statement)
    if judged.statement.context or is_of_others or not stands_alone(statement):
        return None
    if any(_OTHER_TARGET.match(each.target) for each in carrying):
        return None
    spans = [each.span for each in carrying if each.span is not None]
    if (
        judged.basis is not Basis.MODEL
        or judged.tells_change
        or not spans
        or len({(each.uri, each.sha256) for each in spans}) > 1
    ):
        return None
    first = min(each.first_line for each in spans)
    last = max(each.last_line for each in spans)
    path = to_path(spans[0].uri)
    cited = {n for each in spans for n in range(each.first_line, each.last_line + 1)}
    is_wide = last - first >= _MAX_FACT_LINES or last - first + 1 - len(cited) > _BETWEEN
    if path is None or is_wide or snapshot.listing.get(path) is None:
        return None
    document = document_of(spans[0], snapshot)
    if document is None:
        return None
    # Its lines were judged together with what they stand in.
    headers = {line for span in spans for line in enclosing_lines(document, span)}
    return NewFact(
        statement,
        snapshot.relative(path),
        replace(spans[0], first_line=first, last_line=last),
        judged.basis,
        _CONFIDENCE,
        tuple(
            replace(spans[0], first_line=line, last_line=line)
            for line in sorted(headers - set(range(first, last + 1)))
        ),
    )


def _bench(session: Session, snapshot: WorkspaceSnapshot) -> WorkingBench:
    """The files read last and the findings of sub-agents, for the session's memory; not facts."""
    places = [
        place(snapshot.relative(document.path), *lines)
        for document in session.reads.read_documents()
        for lines in runs(sorted(session.reads.lines(document)))
    ]
    return WorkingBench(
        tuple(places[-_MAX_PLACES:]), tuple(map(_result, session.reports[-_MAX_REPORTS:]))
    )


def _result(report: Report) -> str:
    found = report.findings[0].text if report.findings else "nothing"
    return f"{report.agent}, {' '.join(report.task.split())}: {' '.join(found.split())}"
