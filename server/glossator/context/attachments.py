"""What the user points at, put before the model with its line numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from glossator.core.document import Document, Missing
from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.core.span import Span
from glossator.core.tokens import BYTES_PER_TOKEN
from glossator.core.tool_result import Budget, cut, shorten
from glossator.core.uri import to_path
from glossator.prompts.loader import load_prompt
from glossator.workspace.snapshot import WorkspaceSnapshot

MAX_LINES = 2_000
MAX_TOKENS = 25_000
MAX_LINE_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Attached:
    """Text for the model, and the lines it shows of a document."""

    text: str
    span: Span
    path: str
    document: Document


class Hidden(Protocol):
    """Which files the user's own rules keep from the model; paths are absolute."""

    def __call__(self, path: str) -> bool:
        """Whether a rule hides what is at `path`."""

    def rules(self, path: str) -> tuple[str, ...]:
        """The rules that do."""


def attach(
    snapshot: WorkspaceSnapshot,
    uri: str,
    first_line: int | None,
    last_line: int | None,
    hidden: Hidden | None = None,
) -> Attached:
    """Lines of a document (1-based, inclusive; None: from the start, to the end).

    Raises `UsageError` when the document or the lines do not exist, and for what is hidden: who
    points at a file that his own rule hides is told of the contradiction, and decides.
    """
    document = snapshot.open_document(uri) or snapshot.read(to_path(uri) or uri)
    if isinstance(document, Missing):
        raise UsageError(f"{document.message} Choose another file.")
    path = snapshot.relative(document.path)
    if hidden is not None:
        _refuse_hidden(snapshot, document, uri, hidden)
    total = len(document.lines)
    if not total:
        raise UsageError(f"{path} is empty; there is nothing in it to ask about.")
    first = 1 if first_line is None else first_line
    asked = total if last_line is None else last_line
    if asked == total + 1:  # an editor counts the empty line that a final line end opens
        asked = total
    if not 1 <= first <= asked <= total:
        lines = f"{first}-{last_line or total}"
        raise UsageError(
            f"{path} has {total:,} lines; lines {lines} are not among them. Choose others."
        )
    numbered = (
        f"{number:6d}\t{shorten(line, MAX_LINE_CHARACTERS)}"
        for number, line in enumerate(document.lines[first - 1 : asked], start=first)
    )
    kept, _ = cut(numbered, Budget(items=MAX_LINES, bytes=round(MAX_TOKENS * BYTES_PER_TOKEN)))
    last = first + len(kept) - 1
    text = load_prompt("user/attachment").render(
        path=path,
        first_line=str(first),
        last_line=str(last),
        total=str(total),
        lines="\n".join(kept),
    )
    return Attached(text, Span(document.uri, document.sha256, first, last), path, document)


def _refuse_hidden(
    snapshot: WorkspaceSnapshot, document: Document, uri: str, hidden: Hidden
) -> None:
    asked = snapshot.folders.locate(to_path(uri) or uri)
    for path in (document.path, asked):
        if isinstance(path, str) and hidden(path):
            rules = " and ".join(map(shown, hidden.rules(path)))
            raise UsageError(
                f"{snapshot.relative(document.path)} is kept from the model by your permission rule"
                f" {rules}: take that out of permissions.deny in your settings, or ask without the"
                " file."
            )
