"""Which statements become facts, and which facts come first: listed, with a question, or kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from glossator.core.fact import Fact, NewFact
from glossator.core.passage import Passage
from glossator.ledger.rows import DAY, MAX_STATEMENT, Rows, fact_of, row_of
from glossator.ledger.statements import are_twins, fact_id, meaning_key
from glossator.memory import bearing, secret_in
from glossator.store import FORGOTTEN_DAYS, LedgerRow

Lines = tuple[int, int]  # the first and the last, 1-based

_MOST_PINNED = 20  # that go with a question, whatever was pinned by others


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


def listed(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Pinned ones first, then the newest."""
    return tuple(sorted(facts, key=lambda each: (not each.pinned, -each.created_at.timestamp())))


def for_question(
    question: str, facts: Sequence[Fact], most: int, *, all_: bool = False
) -> list[Fact]:
    """Of listed facts the first pinned ones, the likeliest, and with `all_` others; blocking.

    They are up to `most`, or as many as are pinned. Of two that say nearly the same the first is
    enough.
    """
    pinned = [each for each in facts if each.pinned][:_MOST_PINNED]
    others = [each for each in facts if not each.pinned]
    found = bearing(question, [(each.statement, each.path) for each in others])
    rest = [at for at in range(len(others)) if at not in found] if all_ else []
    chosen = pinned
    for each in (others[at] for at in (*found, *rest)):
        if len(chosen) >= most:
            break
        if not any(e.path == each.path and are_twins(e.statement, each.statement) for e in chosen):
            chosen.append(each)
    return chosen


def fitting(rows: Rows, held: Mapping[str, Fact], most: int) -> dict[str, LedgerRow]:
    """Of a team's rows those of held and of forgotten facts, and of others the newest; blocking.

    They are so many others that with those that are held they may be among `most`.
    """
    others = [fact for key, row in rows.items() if key not in held and (fact := fact_of(row))]
    first = {each.id for each in listed((*held.values(), *others))[:most]}
    return {
        key: row for key, row in rows.items() if row.value is None or key in held or key in first
    }


def unknown(facts: Iterable[Fact], rows: Rows) -> dict[str, LedgerRow]:
    """The rows of those facts of which nothing is known, not even that they were forgotten.

    That is known for `FORGOTTEN_DAYS`, so older facts are left out.
    """
    since = time.time() - FORGOTTEN_DAYS * DAY
    new = {each.id: row_of(each, each.created_at.timestamp()) for each in facts}
    return {
        key: row
        for key, row in new.items()
        if key not in rows and row.changed > since and fact_of(row) is not None
    }


def surplus(facts: Iterable[Fact], most: int, goes_late: Callable[[Fact], bool]) -> list[str]:
    """The ids of what is too much: the oldest first, before them all that do not go late.

    Pinned ones are the last.
    """
    order = sorted((each.pinned, goes_late(each), each.created_at, each.id) for each in facts)
    return [key for *_, key in order[: max(len(order) - most, 0)]]
