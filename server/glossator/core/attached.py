"""What goes with a question, as people are told of it."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.core.diagnostics import Diagnostic


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
