"""What compacting answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CompactAnswer:
    """About how many tokens a request took before and takes now.

    `by_model` is false for a summary that was extracted mechanically.
    """

    before: int
    after: int
    by_model: bool
