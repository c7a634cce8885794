"""What goes with a question: for the model, and as people are told of it."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.core.citations import place
from glossator.core.diagnostics import Diagnostic
from glossator.core.document import Document
from glossator.core.images import Image
from glossator.core.span import Span


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
        """What of it goes into a message."""
        return self.text, *self.images

    @property
    def item(self) -> AttachedItem:
        """The attachment in events."""
        media_type = self.images[0].media_type if self.images else None
        return AttachedItem(self.name, self.uri, media_type=media_type)
