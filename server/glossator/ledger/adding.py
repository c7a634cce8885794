"""Which new statements become facts, and which fact that is known each of them renews."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from glossator.core.fact import Fact, NewFact, Passage
from glossator.ledger.rows import MAX_STATEMENT
from glossator.ledger.wording import are_twins, fact_id, meaning_key
from glossator.memory import secret_in

Lines = tuple[int, int]  # the first and the last, 1-based


@dataclass(frozen=True, slots=True)
class Known:
    """A fact that is known, with the lines where it stands now."""

    fact: Fact
    lines: Lines
    is_fresh: bool


def fact_to_add(
    new: NewFact,
    passages: Sequence[Passage],
    session_id: str,
    run_id: str,
    known: Iterable[Known],
    *,
    renews: bool = True,
) -> Fact | None:
    """The fact that is to be added; None if it is known and fresh, or must not be kept.

    `passages` are those of the spans of `new`. One that says nearly the same as a fresh one of the
    same lines is known. A stale fact that says the same is renewed, under its id. Unless it
    `renews`, it stays: it may hold in the working copy of a colleague.
    """
    passage, *context = passages
    statement = " ".join(new.statement.split())
    if not passage.lines or not statement or len(statement) > MAX_STATEMENT:
        return None
    if secret_in(statement):
        return None
    key = meaning_key(statement)
    here = [each for each in known if each.fact.passage.path == passage.path]
    fresh = [each for each in here if each.is_fresh and _meets(each.lines, passage)]
    if any(are_twins(each.fact.statement, statement) for each in fresh):
        return None
    same = [each for each in here if meaning_key(each.fact.statement) == key]
    stale = [each for each in same if not each.is_fresh]
    before = max(stale, key=lambda each: _meets(each.lines, passage), default=None)
    id_ = fact_id(key, new.path, passage)
    if before and renews:
        id_ = before.fact.id
    elif any(each.fact.id == id_ for each in stale):  # its own lines are as they were
        context_lines = (line for each in context for line in each.lines)
        id_ = fact_id(key, new.path, passage, (*passage.before, *passage.after, *context_lines))
    return Fact(
        id_,
        statement,
        new.path,
        passage,
        new.span.sha256,
        new.confidence,
        new.basis,
        datetime.now(UTC),
        session_id,
        run_id,
        before.fact.pinned if before else False,
        tuple(context),
    )


def _meets(lines: Lines, passage: Passage) -> bool:
    first, last = lines
    return first <= passage.last_line and passage.first_line <= last
