"""What the user points at, put before the model with its line numbers."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.core.document import Missing
from glossator.core.errors import UsageError
from glossator.core.span import Span
from glossator.core.uri import to_path
from glossator.prompts.loader import load_prompt
from glossator.workspace.snapshot import WorkspaceSnapshot

MAX_LINES = 2_000


@dataclass(frozen=True, slots=True)
class Attached:
    """Text for the model, and the lines it shows."""

    text: str
    span: Span
    path: str


def attach(
    snapshot: WorkspaceSnapshot, uri: str, first_line: int | None, last_line: int | None
) -> Attached:
    """Lines of a document (1-based, inclusive; None: from the start, to the end).

    Raises `UsageError` when the document or the lines do not exist.
    """
    document = snapshot.open_document(uri) or snapshot.read(to_path(uri) or uri)
    if isinstance(document, Missing):
        raise UsageError(document.message)
    total = len(document.lines)
    first = first_line or 1
    last = min(last_line or total, first + MAX_LINES - 1)
    path = snapshot.relative(document.path)
    if not 1 <= first <= last <= total:
        raise UsageError(f"{path} has {total:,} lines; lines {first}-{last} are not among them.")
    lines = "\n".join(
        f"{number:6d}\t{text}"
        for number, text in enumerate(document.lines[first - 1 : last], start=first)
    )
    text = load_prompt("user/attachment").render(
        path=path, first_line=str(first), last_line=str(last), lines=lines
    )
    return Attached(text, Span(document.uri, document.sha256, first, last), path)
