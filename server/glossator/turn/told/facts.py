"""Established facts: fresh facts from the ledger stand before a question that they concern.

A fact that the conversation was told is not repeated until a compaction drops it. When such a fact
no longer holds, the model is told with the next message.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from glossator.application import Application
from glossator.core.citations import place
from glossator.core.fact import Fact, FactView
from glossator.core.prompts import load_prompt
from glossator.core.run_events import FactChanged
from glossator.core.shown import in_tags, shown
from glossator.core.span import Basis, Span
from glossator.ledger import Ledger
from glossator.sessions import FACTS, Run, Session
from glossator.tools import ReadState
from glossator.turn.plan.task_result import fact_line
from glossator.turn.told.part import Telling

_DROPPED = (
    "{} forgotten: rules alone had verified them, and they verify no sentences any more. Ask again"
    " to establish what you need."
)
_TEAM_SECONDS = 0.2  # that a question waits for what the team's server has


@dataclass(frozen=True, slots=True)
class KnownLines:
    """The lines that a conversation may cite: those it was shown, and those of facts it was told.

    A fact's lines count while they are the same as when it was verified. Implements `ShownLines`.
    """

    reads: ReadState
    of_facts: frozenset[tuple[str, int]]  # URIs and lines

    @property
    def is_empty(self) -> bool:
        """Whether no lines are known."""
        return self.reads.is_empty and not self.of_facts

    def missing(self, span: Span) -> Sequence[int]:
        """The lines that are not known; ascending."""
        unread = self.reads.missing(span)
        return tuple(line for line in unread if (span.uri, line) not in self.of_facts)

    def is_outdated(self, span: Span) -> bool:
        """Whether lines of the document were shown when it had another text."""
        return self.reads.is_outdated(span)

    def ending(self, path: str) -> str | None:
        """The only file with known lines whose path ends with `path`."""
        return self.reads.ending(path)


def known_lines(session: Session, ledger: Ledger) -> KnownLines:
    """What a conversation may cite now; facts told before a compaction count, too."""
    told = {entry[0] for entry in session.kept(FACTS) if entry and entry[1]}
    facts = [fact for key in told if (fact := ledger.get(key)) and ledger.is_fresh(fact)]
    lines = frozenset(
        (view.uri, line)
        for view in map(ledger.view, facts)
        for line in range(view.first_line, view.last_line + 1)
    )
    return KnownLines(session.reads, lines)


async def established(app: Application, session: Session, run: Run, question: str) -> Telling:
    """The facts for a question that the conversation was not told, and those that no longer hold.

    The session's memory is read first; what the team's server delivers late counts for later
    questions.
    """
    settings, ledger = app.settings.facts, app.ledger
    if not settings.enabled:
        return Telling()
    await ledger.look()
    if session.conversation.messages:  # one that begins has no memory yet
        await ledger.cores.load(session.id, run.tell, seconds=0)
    unjudged = [each.id for each in ledger.every() if each.basis is not Basis.MODEL]
    if dropped := len(await ledger.forget(unjudged)):
        run.tell(_DROPPED.format("1 fact was" if dropped == 1 else f"{dropped:,} facts were"))
    if not settings.told:
        return Telling()
    await ledger.settled(_TEAM_SECONDS)
    return await _telling(app, session, await facts_for(app, session, question))


async def facts_for(app: Application, session: Session, question: str) -> list[Fact]:
    """The facts for a question that the conversation was not told."""
    settings = app.settings.facts
    if not (settings.enabled and settings.told):
        return []
    found = await app.ledger.relevant(question, settings.told)
    told = _told(session)
    return [each for each in found if each.id not in told]


async def established_again(app: Application, session: Session, run: Run) -> Telling:
    """Like `established`, during a run: only facts that a compaction dropped or that are gone."""
    was_compacted = session.kept(FACTS)[-1:] == [None]
    if was_compacted and (asked := session.asked):
        return await established(app, session, run, asked[-1].question)
    return await _telling(app, session, []) if _told(session) else Telling()


def follow_facts(app: Application, session: Session, run: Run) -> None:
    """Show changes, until the run ends, to the facts of its session and to those it was told."""
    last: dict[str, FactView] = {}

    def changed(facts: tuple[Fact, ...]) -> None:
        if run.is_over:
            return  # nothing follows the terminal event
        told = _told(session)
        for fact in facts:
            view = app.ledger.view(fact)
            if (fact.id in told or fact.session == session.id) and last.get(fact.id) != view:
                last[fact.id] = view
                run.emit(FactChanged(view))

    run.ending.callback(app.ledger.subscribe(changed))


async def _telling(app: Application, session: Session, found: list[Fact]) -> Telling:
    await app.anchors.settled()  # else a fact whose file was just touched would count as gone
    ledger = app.ledger
    new = [each for each in found if ledger.is_fresh(each)]
    gone = [each for each in _told(session) if not _holds(ledger, each)]
    texts = []
    if new:
        listed = "\n".join(_line(ledger, each) for each in new)
        texts.append(load_prompt("grounding/facts").render(facts=in_tags(listed)))
    if gone:
        texts.append(load_prompt("grounding/facts_gone").render(ids=", ".join(gone)))
    return Telling(tuple(texts), partial(_sent, session, [each.id for each in new], gone))


def _sent(session: Session, new: list[str], gone: list[str]) -> None:
    for key in new:
        session.keep(FACTS, [key, True])
    for key in gone:
        session.keep(FACTS, [key, False])


def _told(session: Session) -> dict[str, None]:
    """The ids of facts that the conversation was told, and was not told are gone."""
    told: dict[str, None] = {}
    for entry in session.kept(FACTS):
        match entry:
            case [str(key), True]:
                told[key] = None
            case [str(key), _]:
                told.pop(key, None)
            case _:  # what was told before is not in the conversation any more
                told.clear()
    return told


def _holds(ledger: Ledger, fact_id: str) -> bool:
    fact = ledger.get(fact_id)
    return fact is not None and ledger.is_fresh(fact)


def _line(ledger: Ledger, fact: Fact) -> str:
    view = ledger.view(fact)
    return fact_line(fact, place(shown(fact.path), view.first_line, view.last_line))
