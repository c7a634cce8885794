"""Deterministic checks of a citation: the lines exist, and this conversation was shown them.

They hold for the text at its present hash: lines that changed after they were read do not count.
"""

from __future__ import annotations

from collections.abc import Callable

from glossator.core.document import Missing
from glossator.core.span import Citation, CitationStatus, Span
from glossator.grounding.citations import CitationMark
from glossator.workspace.snapshot import WorkspaceSnapshot


def verify(
    mark: CitationMark, snapshot: WorkspaceSnapshot, was_shown: Callable[[Span], bool]
) -> Citation:
    """The citation with its status, and the reason when it does not hold."""
    document = snapshot.read(mark.path)
    if isinstance(document, Missing):
        return _unsupported(mark, None, document.message)
    span = Span(document.uri, document.sha256, mark.first_line, mark.last_line)
    if not 1 <= mark.first_line <= mark.last_line:
        return _unsupported(mark, None, "The line numbers are not a range.")
    if not was_shown(span):
        total = len(document.lines)
        if mark.last_line > total:
            return _unsupported(mark, None, f"{mark.path} has only {total:,} lines.")
        return _unsupported(mark, span, "These lines, as they are now, were not read.")
    return Citation(mark.path, span, CitationStatus.VERIFIED)


def _unsupported(mark: CitationMark, span: Span | None, reason: str) -> Citation:
    return Citation(mark.path, span, CitationStatus.UNSUPPORTED, reason)
