"""What exploring answers."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.core.answer import Answer
from glossator.core.report import Report


@dataclass(frozen=True, slots=True)
class Explored(Answer):
    """The answer, whose text is the report's Markdown; it stands in the session's conversation.

    `document` is the URI of the gloss that it was kept as.
    """

    report: Report
    document: str | None = None
