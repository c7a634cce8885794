"""How answers about facts are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from glossator.cli.messages import NO_FACT, plural
from glossator.cli.render import Column, Part, Styled, Table, line, listed
from glossator.cli.render.memories import memory_parts
from glossator.commands import SummaryAnswer
from glossator.core.citations import place
from glossator.core.fact import FactState, FactView
from glossator.ledger import FactList, ForgottenFacts, PinnedFact

_STATES = {FactState.FRESH: "green", FactState.STALE: "yellow"}


def fact_parts(answer: object) -> Iterator[Part]:
    """The parts of an answer about facts, or about what else is remembered."""
    match answer:
        case FactList(facts=facts, problems=problems):
            if facts or not problems:
                yield listed(_table(facts), NO_FACT)
            yield from (line(each, "yellow", aside=True) for each in problems)
        case PinnedFact(fact=fact):
            pinned = "Pinned" if fact.pinned else "Unpinned"
            yield line(f"{pinned}: {fact.id}, {fact.statement}", aside=True)
        case ForgottenFacts(facts=facts, sessions=sessions, left=left):
            yield from (line(f"forgot {each.id}: {each.statement}") for each in facts)
            more = f", and the memory of {plural(len(sessions), 'session')}" if sessions else ""
            rest = f" {left:,} {'is' if left == 1 else 'are'} left." if left else ""
            yield line(f"Forgot {plural(len(facts), 'fact')}{more}.{rest}", aside=True)
        case SummaryAnswer(by_model=by_model):
            yield from map(line, _summary(answer))
            if not by_model:
                yield line("Extracted without a model.", "dim", aside=True)
        case _:
            yield from memory_parts(answer)


def _table(facts: Sequence[FactView]) -> Table:
    """A row for each fact."""
    columns = (
        Column(whole=True),
        Column("id", "bold", whole=True),
        Column("states"),
        Column("lines", whole=True),
        Column("", "dim", whole=True),
    )
    rows = (
        (
            Styled(each.state.value, _STATES[each.state]),
            each.id,
            each.statement,
            place(each.path, each.first_line, each.last_line),
            "pinned" if each.pinned else "",
        )
        for each in facts
    )
    return Table(columns, tuple(rows))


def _summary(answer: SummaryAnswer) -> Iterator[str]:
    parts = (
        ("Main topics", answer.main_topics),
        ("Key conclusions", answer.key_conclusions),
        ("Unresolved questions", answer.unresolved_questions),
    )
    for title, items in parts:
        yield f"{title}:"
        yield from (f"- {' '.join(item.split())}" for item in items or ("none",))
