"""Which facts come first: in a list, with a question, and out of a ledger that is full."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from glossator.core.fact import Fact
from glossator.ledger.rows import DAY, Rows, fact_of, row_of
from glossator.ledger.wording import are_twins
from glossator.memory import bearing
from glossator.store import FORGOTTEN_DAYS, LedgerRow

_PINNED = 20  # that go with a question, whatever was pinned by others


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
    pinned = [each for each in facts if each.pinned][:_PINNED]
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
