"""How a text holds that was checked."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.core.run_events import Correction, UncitedClaim
from glossator.core.span import Basis, CitationView


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A sentence of the text, which begins at `start` (characters).

    `verdict` is supported, undecided, unsupported or contradicted by its lines, or uncited; `basis`
    says who judged it, None if nobody did, and `reason` why it does not hold.
    """

    text: str
    start: int
    verdict: str
    basis: Basis | None
    reason: str
    citations: tuple[CitationView, ...]


@dataclass(frozen=True, slots=True)
class CheckedText:
    """The text, its citations in order, the claims without one, and its sentences that count.

    `notices` say what could not be judged.
    """

    text: str
    citations: tuple[CitationView, ...]
    uncited: tuple[UncitedClaim, ...]
    sentences: tuple[CheckedSentence, ...]
    notices: tuple[str, ...] = ()

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """None: nobody's text is changed."""
        return ()
