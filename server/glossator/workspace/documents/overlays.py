"""Open documents: every change of them and of the workspace, and the editor's text.

A change is one of a closed union of frozen values. An open document masks the text on disk.
Overlays are stored by the editor's URI and found by real path; a document without a file
(untitled:) has its URI as path.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Protocol, TypeVar

from glossator.core.document import Document, Origin, text_hash
from glossator.core.errors import UsageError
from glossator.core.file_kinds import ending_of, language_of
from glossator.core.text import LineTable, Position, PositionEncoding
from glossator.core.uri import to_path
from glossator.workspace.files.roots import real_path


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


class _Found(Protocol):
    """The result of reading: a text or `Missing`, with a real path."""

    @property
    def path(self) -> str: ...


T = TypeVar("T")
F = TypeVar("F", bound=_Found)


@dataclass(frozen=True)
class Overlay:
    """One open document at one version.

    `changed_ns` is the time of the change, in ns since 1970; `edits`, in their order, made it from
    the previous version.
    """

    uri: str
    path: str
    version: int
    text: str
    changed_ns: int
    edits: tuple[TextEdit, ...] = ()

    @cached_property
    def document(self) -> Document:
        """The overlay as a document, hashed when it is first read, not at every keystroke."""
        return Document(
            self.uri, self.path, self.text, text_hash(self.text), self.version, Origin.EDITOR
        )


class Overlays:
    """The open documents; only the host changes them."""

    def __init__(self, encoding: PositionEncoding) -> None:
        self._encoding = encoding
        self._by_uri: dict[str, Overlay] = {}
        self._view: Mapping[str, Overlay] | None = None

    def all(self) -> tuple[Overlay, ...]:
        """The overlays, one for each URI."""
        return tuple(self._by_uri.values())

    def view(self) -> Mapping[str, Overlay]:
        """The overlays by path, frozen; of two URIs of one file, the one opened last."""
        if self._view is None:
            self._view = MappingProxyType({item.path: item for item in self._by_uri.values()})
        return self._view

    def open(self, change: Opened) -> str:
        """Add an opened document; returns its path, as the other methods do."""
        self._by_uri.pop(change.uri, None)
        return self._set(
            Overlay(
                change.uri,
                overlay_path(change.uri, change.language),
                change.version,
                change.text,
                time.time_ns(),
            )
        )

    def edit(self, change: Edited) -> str:
        """Apply edits; on `UsageError` the overlay stays as it was."""
        overlay = self.get(change.uri)
        if change.version <= overlay.version:
            raise UsageError(
                f"Version {change.version} of {change.uri} does not follow version"
                f" {overlay.version}; close and reopen the document to bring both sides together."
            )
        text = edited(overlay.text, change.edits, self._encoding)
        return self._set(
            Overlay(
                change.uri, overlay.path, change.version, text, time.time_ns(), tuple(change.edits)
            )
        )

    def close(self, uri: str) -> str:
        """Remove an open document."""
        path = self.get(uri).path
        del self._by_uri[uri]
        self._view = None
        return path

    def get(self, uri: str) -> Overlay:
        """The open document `uri`; raises `UsageError` when it is not open."""
        overlay = self._by_uri.get(uri)
        if overlay is None:
            raise UsageError(f"{uri} is not open; open it before changing, saving or closing it.")
        return overlay

    def __len__(self) -> int:
        return len(self._by_uri)

    def _set(self, overlay: Overlay) -> str:
        self._by_uri[overlay.uri] = overlay
        self._view = None
        return overlay.path


def masked(overlays: Mapping[str, T], path: str, load: Callable[[str], F]) -> T | F:
    """The open document at `path`, or at what its link leads to; otherwise the result of `load`.

    `overlays` are by real path.
    """
    own = overlays.get(path)
    if own is not None:
        return own
    found = load(path)
    own = overlays.get(found.path)
    return found if own is None else own


def overlay_path(uri: str, language: str = "") -> str:
    """The real path a URI names; when it names no file the URI, with an ending for its language."""
    path = to_path(uri)
    if path is not None:
        return real_path(path) or path
    return uri if language_of(uri) else uri + ending_of(language)


def edited(text: str, edits: Iterable[TextEdit], encoding: PositionEncoding) -> str:
    """`text` after `edits`, which apply one after the other.

    None is refused: a place that does not exist is the nearest one before it, and a range may be
    reversed. Without one edit, all later ones would change other lines than the editor's.
    """
    for edit in edits:
        if edit.range is None:
            text = edit.text
            continue
        table = LineTable(text)
        start, end = sorted(table.nearest_offset(place, encoding) for place in edit.range)
        text = text[:start] + edit.text + text[end:]
    return text
