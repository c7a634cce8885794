"""What goes with a question: what the editor shows and finds, and what the user attached."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from glossator.core.citations import place
from glossator.core.document import Document
from glossator.core.images import Image
from glossator.core.span import Span


class Severity(StrEnum):
    """How bad it is, worst first."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding; `line` is 1-based, `source` names who found it."""

    line: int
    severity: Severity
    message: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A document, and the version its findings must be of at least; None: any."""

    uri: str
    version: int | None


@dataclass(frozen=True, slots=True)
class FileDiagnostics:
    """The findings for one document; `pending`: those for the version wanted did not come yet."""

    uri: str
    items: tuple[Diagnostic, ...]
    pending: bool = False


@dataclass(frozen=True, slots=True)
class AttachedItem:
    """What the user attached: a document or lines of it (1-based), a folder, or an image.

    Without `uri` it is no file, without lines all of it. `media_type` is an image's; `diagnostics`
    are the findings that the question is about.
    """

    name: str
    uri: str | None
    first_line: int | None = None
    last_line: int | None = None
    media_type: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Attached:
    """Lines of a document as text for the model, with the `diagnostics` of these lines."""

    text: str
    span: Span
    path: str
    document: Document
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def name(self) -> str:
        """The name that the user sees."""
        return place(self.path, self.span.first_line, self.span.last_line)

    @property
    def parts(self) -> tuple[str | Image, ...]:
        """The content of a message."""
        return (self.text,)

    @property
    def item(self) -> AttachedItem:
        """The attachment in events."""
        lines = self.span.first_line, self.span.last_line
        first, last = (None, None) if lines == (1, len(self.document.lines)) else lines
        return AttachedItem(self.path, self.span.uri, first, last, None, self.diagnostics)


@dataclass(frozen=True, slots=True)
class Exhibit:
    """An attachment that is no lines of a document: an image, a listing, diagnostics, a patch.

    `citable` are lines that it shows on the way.
    """

    text: str
    name: str
    images: tuple[Image, ...] = ()
    uri: str | None = None
    citable: tuple[Span, ...] = ()

    @property
    def parts(self) -> tuple[str | Image, ...]:
        """The parts that go into a message."""
        return self.text, *self.images

    @property
    def item(self) -> AttachedItem:
        """The attachment in events."""
        media_type = self.images[0].media_type if self.images else None
        return AttachedItem(self.name, self.uri, media_type=media_type)


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
