"""What a session's requests to models took, one reply at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from glossator.core.events import Usage
from glossator.llm.cost import Spending
from glossator.llm.meter import Purpose


@dataclass(frozen=True, slots=True)
class Spent:
    """A model replied: what its request took, and what it was for.

    Of a reply that is not `whole`, because it broke off, that is what was told by then. Requests of
    a command, not of a run, have the run id "". Dollars are None when not known. `messages` is how
    many of the conversation's the request held, 0 if that is not known. `dropped`: the conversation
    went back to before its run; that is never written.
    """

    run_id: str
    at: datetime
    purpose: Purpose
    model: str
    usage: Usage
    long_write_tokens: int
    dollars: float | None
    whole: bool = True
    messages: int = 0
    dropped: bool = False


@dataclass(slots=True)
class Account:
    """All that a session has taken so far, of which `broken_off` replies took more than was told.

    `newest` is the conversation's newest request, None before the first and after a compaction.
    """

    replies: int = 0
    broken_off: int = 0  # of these
    spending: Spending = field(default_factory=Spending)
    newest: Spent | None = None

    @property
    def last(self) -> Usage:
        """What the newest request took, which tells how full the window is."""
        return self.newest.usage if self.newest else Usage()

    def add(self, spent: Spent) -> None:
        """A reply arrived."""
        self.replies += 1
        self.broken_off += not spent.whole
        self.spending += Spending.priced(spent.usage, spent.long_write_tokens, spent.dollars)
        if spent.purpose == "turn" and not spent.dropped:
            self.newest = spent

    def begin_anew(self) -> None:
        """The conversation was compacted."""
        self.newest = None


def encode_spent(spent: Spent) -> dict[str, Any]:
    """As JSON."""
    return {
        "run": spent.run_id,
        "at": spent.at.isoformat(),
        "purpose": spent.purpose,
        "model": spent.model,
        "usage": asdict(spent.usage),
        "long_write_tokens": spent.long_write_tokens,
        "dollars": spent.dollars,
        **({} if spent.whole else {"whole": False}),
        "messages": spent.messages,
    }


def decode_spent(fields: Mapping[str, Any]) -> Spent:
    """From JSON. Raises `KeyError`, `TypeError` and `ValueError` for what is none."""
    return Spent(
        fields["run"],
        datetime.fromisoformat(fields["at"]),
        fields["purpose"],
        fields["model"],
        Usage(**fields["usage"]),
        fields["long_write_tokens"],
        fields["dollars"],
        fields.get("whole", True),
        fields.get("messages", 0),
    )
