"""What a session has cost so far, kept with it."""

from __future__ import annotations

from dataclasses import asdict

from glossator.core.events import Usage
from glossator.llm.cost import Spending
from glossator.service.session import Session

_NAME = "spending"


def note_spending(session: Session, spending: Spending, last: Usage) -> None:
    """Keep what a run took; `last` is its last request, which tells how full the window is."""
    session.keep(
        _NAME,
        {
            "usage": asdict(spending.usage),
            "long_write_tokens": spending.long_write_tokens,
            "known_dollars": spending.known_dollars,
            "unpriced": spending.unpriced,
            "last": asdict(last),
        },
    )


def spent(session: Session) -> Spending:
    """What all runs of a session took."""
    total = Spending()
    for kept in session.kept(_NAME):
        total += Spending(
            Usage(**kept["usage"]),
            kept["long_write_tokens"],
            kept["known_dollars"],
            kept["unpriced"],
        )
    return total


def last_request(session: Session) -> Usage:
    """What the newest request of a session took; nothing before the first."""
    kept = session.kept(_NAME)
    return Usage(**kept[-1]["last"]) if kept else Usage()
