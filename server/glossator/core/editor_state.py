"""What the editor shows: paths and lines, never the text of a file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShownLines:
    """Lines of a document, 1-based and inclusive."""

    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class EditorState:
    """The active document and what is visible and selected of it; `tabs` are open documents.

    Documents are named by their URIs; `selected` is null where nothing is.
    """

    active: str | None = None
    visible: ShownLines | None = None
    selected: ShownLines | None = None
    tabs: tuple[str, ...] = ()
