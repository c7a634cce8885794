"""Deterministic checks of a citation: the lines exist, and this conversation was shown them.

They hold for the text at its present hash: lines that changed after they were read do not count.
"""

from __future__ import annotations

from collections.abc import Callable

from glossator.core.citations import CitationMark
from glossator.core.document import Document, Missing, MissingReason
from glossator.core.span import Citation, CitationStatus, Span
from glossator.core.uri import to_uri
from glossator.workspace.snapshot import WorkspaceSnapshot


def verify(
    mark: CitationMark, snapshot: WorkspaceSnapshot, was_shown: Callable[[Span], bool]
) -> Citation:
    """The citation with its status, and the reason when it does not hold."""
    document = _document(mark.path, snapshot)
    if isinstance(document, Missing):
        return _unsupported(mark, None, document.message)
    if not 1 <= mark.first_line <= mark.last_line:
        return _unsupported(mark, None, "The line numbers are not a range.")
    total = len(document.lines)
    if mark.last_line > total:
        return _unsupported(mark, None, f"{mark.path} has only {total:,} lines.")
    span = Span(document.uri, document.sha256, mark.first_line, mark.last_line)
    if not was_shown(span):
        return _unsupported(mark, span, "These lines, as they are now, were not read.")
    return Citation(mark.path, span, CitationStatus.READ)


def _document(path: str, snapshot: WorkspaceSnapshot) -> Document | Missing:
    """What the tools can read, or a document outside the workspace that the user attached."""
    document = snapshot.read(path)
    if isinstance(document, Missing) and document.reason is MissingReason.OUTSIDE:
        return snapshot.open_document(to_uri(path)) or document
    return document


def _unsupported(mark: CitationMark, span: Span | None, reason: str) -> Citation:
    return Citation(mark.path, span, CitationStatus.UNSUPPORTED, reason)
