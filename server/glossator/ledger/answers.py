"""What the commands about facts answer."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.core.fact import FactView


@dataclass(frozen=True, slots=True)
class FactList:
    """The facts of the workspace: pinned ones first, then the newest; `problems` are sentences."""

    facts: tuple[FactView, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ForgottenFacts:
    """The facts that were removed, and how many are left here.

    `sessions` are the ids of sessions whose memory (summary and bench) went as well.
    """

    facts: tuple[FactView, ...]
    sessions: tuple[str, ...]
    left: int


@dataclass(frozen=True, slots=True)
class PinnedFact:
    """A fact that was pinned, or is not any more."""

    fact: FactView
