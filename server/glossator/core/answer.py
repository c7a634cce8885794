"""The end of a run."""

from __future__ import annotations

from dataclasses import dataclass, field

from glossator.core.events import Usage
from glossator.core.grounded_events import Correction, UncitedClaim
from glossator.core.span import CitationView


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of a run; see `docs/protocol.md`. Dollars are None where a price is not known.

    `changed_files` are the paths of those that undoing the run brings back. `uncited` are the
    sentences that cite nothing, with their places in `text`; `corrections` are of those that fell.
    `unsaved` are the paths of the changed files that only the editor has as they were changed.
    """

    run_id: str
    session_id: str
    text: str
    citations: tuple[CitationView, ...]
    changed_files: tuple[str, ...]
    stop: str
    model: str
    offline: bool
    turns: int
    milliseconds: float
    usage: Usage
    dollars: float | None
    session_usage: Usage
    session_dollars: float | None
    uncited: tuple[UncitedClaim, ...] = field(default=(), kw_only=True)
    corrections: tuple[Correction, ...] = field(default=(), kw_only=True)
    unsaved: tuple[str, ...] = field(default=(), kw_only=True)
