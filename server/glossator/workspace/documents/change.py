"""Every change of a workspace: a closed union of frozen values.

URIs are as the editor sent them, paths are absolute.
"""

from __future__ import annotations

from dataclasses import dataclass

from glossator.core.text import Position


@dataclass(frozen=True, slots=True)
class TextEdit:
    """`text` takes the place of `range` (start, end); a range of None is the whole text."""

    range: tuple[Position, Position] | None
    text: str


@dataclass(frozen=True, slots=True)
class Opened:
    """The editor opened a document; opening it again replaces what was open.

    `language` is the editor's name of its language; the file name is a better source.
    """

    uri: str
    version: int
    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Edited:
    """The editor changed an open document; the edits apply one after the other."""

    uri: str
    version: int
    edits: tuple[TextEdit, ...]


@dataclass(frozen=True, slots=True)
class Saved:
    """The editor wrote an open document to disk."""

    uri: str


@dataclass(frozen=True, slots=True)
class Closed:
    """The editor closed a document; its text on disk counts again."""

    uri: str


@dataclass(frozen=True, slots=True)
class DiskChanged:
    """Something at or below these paths was created, changed or removed."""

    paths: frozenset[str]


@dataclass(frozen=True, slots=True)
class RootsChanged:
    """Folders joined or left the workspace."""

    added: tuple[str, ...]
    removed: tuple[str, ...]


Change = Opened | Edited | Saved | Closed | DiskChanged | RootsChanged
