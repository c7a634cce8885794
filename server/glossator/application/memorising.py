"""Memorising: what was judged to be carried by its lines becomes a fact of the workspace.

The memory of a session is written back when a run ends, however it does.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from glossator.application.application import Application
from glossator.core.citations import place
from glossator.core.fact import NewFact
from glossator.core.report import Report
from glossator.core.span import Basis, CitationStatus, runs
from glossator.core.uri import to_path
from glossator.documents import WorkspaceSnapshot
from glossator.grounding import (
    CheckedStatement,
    Verdict,
    document_of,
    enclosing_lines,
    is_denial,
)
from glossator.ledger import WorkingBench
from glossator.sessions import Run, Session

# How sure a judgement is: checks without a model compare words and numbers and are rarely wrong
# where they speak; a model may be talked into something by how a sentence reads.
_CONFIDENCE: Mapping[Basis, float] = {Basis.CHECKS: 0.9, Basis.MODEL: 0.8}
_LINES = 200  # that one fact may rest on
_BETWEEN = 10  # of them that nothing cites: any change there would make it stale
_LABEL = re.compile(r"^\s*(?:\*\*|__)[^*_]+(?:\*\*|__)\s*:\s+")  # of an item
_OTHER = re.compile(r"(?:fact [\w-]+|task \d+|run \d+)$")  # targets that are no documents
_LEANS = re.compile(  # it cannot be understood without the sentence before
    r"\W*(?:in (?:both|either|this|that|these|those|such|each) "
    r"|it|its|they|their|this|that|these|those|both|he|she|otherwise|then|so|therefore|thus"
    r"|hence|however|but|and|also|instead|likewise|the (?:former|latter|same|other))\b",
    re.IGNORECASE,
)
# A statement is judged by all lines that it cites; those that the model quoted are VERIFIED.
_CARRYING = frozenset({CitationStatus.VERIFIED, CitationStatus.READ})
_PLACES = 50  # of the working bench
_REPORTS = 10


async def memorise(
    app: Application, session: Session, run: Run, statements: Iterable[CheckedStatement]
) -> None:
    """Keep the sentences that are carried and new.

    Only listed files of the workspace count: what ignore files or the user's rules leave out does
    not. The facts that were added are events of the run, see `follow_facts`.
    """
    if not app.settings.facts.enabled:
        return
    snapshot = app.host.snapshot()
    carried = [
        each
        for each in statements
        if each.verdict is Verdict.SUPPORTED and not each.statement.is_code
    ]
    new = await asyncio.to_thread(lambda: [_new_fact(each, snapshot) for each in carried])
    await app.ledger.remember(session.id, run.id, [each for each in new if each is not None])


async def write_memory_back(app: Application, session: Session) -> None:
    """Keep what the session established, and what it looked at, for later runs."""
    if app.settings.facts.enabled:
        await app.ledger.cores.keep(session.id, bench=_bench(session, app.host.snapshot()))


def _new_fact(judged: CheckedStatement, snapshot: WorkspaceSnapshot) -> NewFact | None:
    """The fact of a statement; None if no lines of one listed file carry it. Blocking.

    One that rests on another fact, a task or a command is none, either, nor one that cannot be
    understood without the sentence before, nor a denial: what is added behind its lines may make
    it false, and changes none of them.

    Of several places in one file it rests on all lines from the first to the last, unless too many
    lie between. A fact goes with the lines of one file, so a statement that rests on two becomes
    none.
    """
    carrying = [each for each in judged.citations if each.status in _CARRYING]
    leans = _LEANS.match(judged.statement.text)
    is_row = judged.statement.text.lstrip().startswith("|")  # means nothing without its table
    if leans or is_row or is_denial(judged.statement.text):
        return None
    if any(_OTHER.match(each.target) for each in carrying):
        return None
    spans = [each.span for each in carrying if each.span is not None]
    basis = judged.basis
    if basis is None or not spans or len({(each.uri, each.sha256) for each in spans}) > 1:
        return None
    first = min(each.first_line for each in spans)
    last = max(each.last_line for each in spans)
    path = to_path(spans[0].uri)
    cited = {n for each in spans for n in range(each.first_line, each.last_line + 1)}
    is_wide = last - first >= _LINES or last - first + 1 - len(cited) > _BETWEEN
    if path is None or is_wide or snapshot.listing.get(path) is None:
        return None
    document = document_of(spans[0], snapshot)
    if document is None:
        return None
    # Its lines were judged together with what they stand in.
    headers = {line for span in spans for line in enclosing_lines(document, span)}
    return NewFact(
        _LABEL.sub("", judged.statement.text, count=1),
        snapshot.relative(path),
        replace(spans[0], first_line=first, last_line=last),
        basis,
        _CONFIDENCE[basis],
        tuple(
            replace(spans[0], first_line=line, last_line=line)
            for line in sorted(headers - set(range(first, last + 1)))
        ),
    )


def _bench(session: Session, snapshot: WorkspaceSnapshot) -> WorkingBench:
    """What was read last, and what sub-agents found: neither is a fact."""
    places = [
        place(snapshot.relative(document.path), *lines)
        for document in session.reads.read_documents()
        for lines in runs(sorted(session.reads.lines(document)))
    ]
    return WorkingBench(tuple(places[-_PLACES:]), tuple(map(_result, session.reports[-_REPORTS:])))


def _result(report: Report) -> str:
    found = report.findings[0].text if report.findings else "nothing"
    return f"{report.agent}, {' '.join(report.task.split())}: {' '.join(found.split())}"
