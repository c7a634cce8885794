"""What reading a path gives: a document, or the reason why there is none. Reading never raises."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from glossator.core.text import LineTable, split_lines


class Origin(StrEnum):
    """Where a document's text comes from."""

    EDITOR = "editor"
    DISK = "disk"


@dataclass(frozen=True)
class Document:
    """One text at one moment.

    `path` is absolute. `sha256` is of the text as UTF-8, so an unsaved buffer equal to the file
    has the file's hash whatever the encoding on disk. `version` is the editor's, None for disk.
    `encoding` is the codec of the bytes on disk ("utf-8-sig" when they start with a BOM).
    """

    uri: str
    path: str
    text: str
    sha256: str
    version: int | None
    origin: Origin
    encoding: str = "utf-8"

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends."""
        return split_lines(self.text)

    @cached_property
    def table(self) -> LineTable:
        """Positions to offsets and back."""
        return LineTable(self.text)


class MissingReason(StrEnum):
    """Why a path gives no document."""

    ABSENT = "absent"
    OUTSIDE = "outside the workspace"
    DIRECTORY = "a directory"
    SPECIAL = "not a regular file"
    BINARY = "binary"
    TOO_LARGE = "too large"
    UNREADABLE = "unreadable"
    CHANGING = "changing while it was read"


@dataclass(frozen=True, slots=True)
class Missing:
    """No document at `path`: `message` says why, in a sentence, `hint` what the model can do."""

    path: str
    reason: MissingReason
    message: str
    hint: str = ""

    @property
    def model_message(self) -> str:
        """Both, for the model, a line each."""
        return f"{self.message}\n{self.hint}".rstrip()


def is_absent(found: Document | Missing) -> bool:
    """Whether nothing at all exists there."""
    return isinstance(found, Missing) and found.reason is MissingReason.ABSENT


def text_hash(text: str) -> str:
    """The hash by which caches, spans and facts identify a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
