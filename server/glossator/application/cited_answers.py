"""Follows the citations of answers after their runs: whether their lines moved or changed.

The lines of each answer are in the index of cited lines under an `AnswerKey`, from its run's end
on, for the newest answers of each session in memory. They are kept with the session, so that a
session shown again tells how its citations stand now. The log keeps how they stood when they were
judged.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice

from glossator.anchors import AnchorIndex, Names, PassagePlace, passage_of, renamed_passages
from glossator.core.citations import place
from glossator.core.events import CitationChecked, Envelope
from glossator.core.fact import Passage
from glossator.core.ports import EditorPort
from glossator.core.shown import shown
from glossator.core.span import Citation, CitationStatus, Span
from glossator.core.stored import from_stored
from glossator.core.uri import to_uri
from glossator.grounding import document_of, enclosing_lines
from glossator.sessions import Run, Session
from glossator.workspace import WorkspaceHost, WorkspaceSnapshot

logger = logging.getLogger(__name__)

# What is kept: {run, lines: [{span, was, passage, heads}]}, the newest of a run.
CITED_LINES = "citedLines"
MOST_ANSWERS = 50  # of a session, whose lines are followed

_CHANGED = "Its lines have changed since."
_TOGETHER_SECONDS = 0.2  # seconds: who types changes the same lines again and again


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """The key of an answer's lines in the index of cited lines."""

    session_id: str
    run_id: str


@dataclass(frozen=True, slots=True)
class _Lines:
    """The path of a document when lines of it were cited, and these lines.

    `heads` are the first lines of the definitions around them, which were judged with them.
    """

    was: str
    passage: Passage
    heads: tuple[Passage, ...] = ()

    @property
    def passages(self) -> tuple[Passage, ...]:
        """All passages that are followed."""
        return self.passage, *self.heads


@dataclass(slots=True)
class _Answer:
    """The citations of an answer as they were judged, and as the client knows them.

    `seq` is the number of its run's next event.
    """

    session: Session
    citations: tuple[Citation, ...]
    lines: Mapping[Span, _Lines]
    seq: int = 0
    told: dict[Citation, Citation] = field(default_factory=dict)


class CitedAnswers:
    """Follows answers; for the event loop. The index's thread compares the texts."""

    def __init__(self, host: WorkspaceHost, anchors: AnchorIndex, port: EditorPort) -> None:
        self._host = host
        self._anchors = anchors
        self._port = port
        self._answers: defaultdict[str, dict[str, _Answer]] = defaultdict(dict)  # by session, run
        self._changed: set[AnswerKey] = set()
        self._telling: asyncio.Task[None] | None = None
        anchors.subscribe(self._judged)
        anchors.follow(self._renamed)

    async def keep(self, session: Session, run: Run, citations: Iterable[Citation]) -> None:
        """Keep the lines of an answer's citations, and follow them once its run has ended.

        Citations that do not hold are left alone, and so are lines outside the workspace.
        """
        cited = tuple(dict.fromkeys(each for each in citations if each.span and each.is_shown))
        lines = await asyncio.to_thread(_lines_of, cited, self._host.snapshot())
        if lines:
            answer = _Answer(session, cited, lines)
            _write(answer, run.id)
            run.ending.callback(self._follow_from_the_end, answer, run)

    async def as_now(
        self, session: Session, events: Sequence[Envelope], going_on: Collection[str]
    ) -> tuple[Envelope, ...]:
        """The events that show a session again, with its citations as they stand now.

        They are followed from now on, except for runs that are `going_on`.
        """
        cited: defaultdict[str, list[Citation]] = defaultdict(list)
        for each in events:
            if isinstance(each.event, CitationChecked):
                cited[each.run_id].append(each.event.citation)
        kept = {run_id: lines for run_id, lines in _kept(session).items() if run_id in cited}
        number = {each.run_id: each.seq + 1 for each in events}
        for run_id in [each for each in kept if each not in going_on][-MOST_ANSWERS:]:
            answer = self._answers[session.id].pop(run_id, None)
            if answer is None:
                answer = _Answer(session, tuple(cited[run_id]), kept[run_id])
            answer.seq = max(answer.seq, number[run_id])
            self._follow(run_id, answer)
        await self._anchors.settled()
        now = {}
        for run_id, answer in self._answers.get(session.id, {}).items():
            answer.told = now[run_id] = self._present(AnswerKey(session.id, run_id), answer)
        return tuple(_as_now(each, now.get(each.run_id, {})) for each in events)

    def forget(self, session_id: str, runs: Collection[str] | None = None) -> None:
        """Stop following these answers of a session; by default all of them."""
        answers = self._answers[session_id]
        for run_id in [each for each in answers if runs is None or each in runs]:
            del answers[run_id]
            self._anchors.remove(AnswerKey(session_id, run_id))
        if not answers:
            del self._answers[session_id]

    async def close(self) -> None:
        """Stop telling anything."""
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.wait({self._telling})

    def _follow_from_the_end(self, answer: _Answer, run: Run) -> None:
        answer.seq = run.next_seq
        self._follow(run.id, answer)

    def _follow(self, run_id: str, answer: _Answer) -> None:
        session_id = answer.session.id
        self._answers[session_id][run_id] = answer
        self._watch(AnswerKey(session_id, run_id), answer)
        self.forget(session_id, list(self._answers[session_id])[:-MOST_ANSWERS])

    def _watch(self, key: AnswerKey, answer: _Answer) -> None:
        lines = answer.lines.values()
        heads = [each.heads for each in lines]
        self._anchors.add(key, [each.passage for each in lines], heads=heads)

    async def _renamed(self, names: Names) -> None:
        """Follow files to their new names, and keep the lines under these."""
        for session_id, answers in self._answers.items():
            for run_id, answer in answers.items():
                now = {
                    span: replace(each, passage=own, heads=tuple(heads))
                    for span, each in answer.lines.items()
                    for own, *heads in [filter(None, renamed_passages(each.passages, names))]
                }
                if now != answer.lines:
                    answer.lines = now
                    _write(answer, run_id)
                    self._watch(AnswerKey(session_id, run_id), answer)

    def _judged(self, keys: frozenset[object]) -> None:
        self._changed |= {key for key in keys if isinstance(key, AnswerKey)}
        if self._changed and self._telling is None:
            self._telling = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        """Send changes, one answer after the other, so that the event loop never waits for all."""
        try:
            while self._changed:
                await asyncio.sleep(_TOGETHER_SECONDS)
                keys, self._changed = self._changed, set()
                for key in keys:
                    self._tell_of(key)
                    await asyncio.sleep(0)
        finally:
            self._telling = None

    def _tell_of(self, key: AnswerKey) -> None:
        answer = self._answers.get(key.session_id, {}).get(key.run_id)
        if answer is None:
            return
        now = self._present(key, answer)
        for judged, citation in now.items():
            if citation != answer.told.get(judged, judged):
                self._port.emit(Envelope(key.run_id, answer.seq, CitationChecked(citation)))
                answer.seq += 1
        answer.told = now

    def _present(self, key: AnswerKey, answer: _Answer) -> dict[Citation, Citation]:
        """How the citations stand now, computed from those that were judged."""
        freshness = self._anchors.freshness(key)
        if freshness is None:
            return answer.told
        found_ = iter(freshness.places)
        places = {
            span: tuple(islice(found_, len(each.passages))) for span, each in answer.lines.items()
        }
        now = {}
        for each in answer.citations:
            found, *heads = places.get(each.span, (None,)) if each.span else (None,)
            if each.span is not None and found is not None:
                if each.status is CitationStatus.VERIFIED and any(h and h.changed for h in heads):
                    found = replace(found, changed=True)
                now[each] = self._stands(each, each.span, answer.lines[each.span], found)
        return now

    def _stands(
        self, citation: Citation, span: Span, lines: _Lines, found: PassagePlace
    ) -> Citation:
        """A citation moved to the place where its lines were found."""
        path = lines.passage.path
        is_renamed = path != lines.was
        span_now = replace(span, uri=to_uri(path)) if is_renamed else span
        if found.changed:
            stale = CitationStatus.STALE
            return replace(citation, span=span_now, status=stale, reason=_CHANGED, basis=None)
        first, last = found.first_line, found.last_line
        if not is_renamed and first == span.first_line:
            return citation
        cited_first, cited_last = citation.cited
        name = shown(self._host.snapshot().relative(path)) if is_renamed else ""
        where = place(name, first, last).removeprefix(":")
        return replace(
            citation,
            span=replace(span_now, first_line=first, last_line=last),
            status=CitationStatus.MOVED,
            reason=f"Its line{' stands' if first == last else 's stand'} at {where} now.",
            first_line=cited_first,
            last_line=cited_last,
        )


def _lines_of(citations: Iterable[Citation], snapshot: WorkspaceSnapshot) -> dict[Span, _Lines]:
    """The lines in the spans of citations; for a thread."""
    spans = dict.fromkeys(each.span for each in citations if each.span)
    found = {}
    for span in spans:
        passage = passage_of(span, snapshot.read)
        if snapshot.folders.owner(passage.path) is not None:
            document = document_of(span, snapshot)
            lines = enclosing_lines(document, span) if document else ()
            heads = [replace(span, first_line=line, last_line=line) for line in lines]
            own = tuple(passage_of(each, snapshot.read) for each in heads)
            found[span] = _Lines(passage.path, passage, own)
    return found


def _as_now(envelope: Envelope, now: Mapping[Citation, Citation]) -> Envelope:
    match envelope.event:
        case CitationChecked(citation) if citation in now:
            return replace(envelope, event=CitationChecked(now[citation]))
    return envelope


def _write(answer: _Answer, run_id: str) -> None:
    lines = [{"span": asdict(span), **asdict(each)} for span, each in answer.lines.items()]
    answer.session.keep(CITED_LINES, {"run": run_id, "lines": lines})


def _kept(session: Session) -> dict[str, dict[Span, _Lines]]:
    """The cited lines by run, oldest first; those of another version are left out."""
    kept: dict[str, dict[Span, _Lines]] = {}
    for value in session.kept(CITED_LINES):
        try:
            lines = {
                from_stored(Span, each["span"]): from_stored(_Lines, each)
                for each in value["lines"]
            }
            kept[value["run"]] = lines
        except (KeyError, TypeError, ValueError) as error:
            logger.warning("Cited lines that were kept cannot be read: %r", error)
    return kept
