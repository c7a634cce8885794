"""What a search reads: the editor's text where a document is open, else the file's bytes.

A `Document` is made only of a text that is shown; searching needs the bytes alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from glossator.core.document import Document, Missing, MissingReason
from glossator.documents import Overlay, WorkspaceSnapshot, masked
from glossator.files import FileEntry, Parts, Raw, Stamp, is_racy, load_listed
from glossator.index import (
    Candidates,
    Query,
    listed_stamp,
    read_parts,
    searchable,
    with_plain_line_ends,
)
from glossator.search.scan import as_searched


class Text(NamedTuple):
    """A text as it is searched (see `scan.as_searched`), and what it was made of."""

    content: bytes
    source: Overlay | Raw


def candidates(snapshot: WorkspaceSnapshot, query: Query) -> Candidates:
    """Every file in which `query` can be met.

    All open documents are among the others, and files that may have changed since they were read.
    """
    view, young = snapshot.text, _young(snapshot)
    masked = snapshot.overlays.keys() | young.keys()
    found = view.candidates(query, masked)

    def misses(link: FileEntry) -> bool:
        target = _led_to(snapshot, link)
        if target is None or target.path in masked or target in found.plain:
            return False
        return view.knows_plain(target)

    always = (*snapshot.open_files, *snapshot.unsaved, *young.values())
    return replace(found, others=(*found.others, *always), misses=misses)


def read_text(
    snapshot: WorkspaceSnapshot, entry: FileEntry, *, plain: bool = False
) -> Text | Missing:
    """The text of a listed file as it is now; `plain`: it is plain text if it is as it is listed.

    Such a file needs no decoding, which would take longer than all the rest.
    """
    parts = None
    if entry.path not in snapshot.overlays:
        # its path has no link in it, so it hides no open document
        parts = read_parts(entry, None, snapshot.cache.max_file_bytes)
        if parts is not None and plain:
            return plain_text(entry, parts)
    raw = _load(snapshot, entry) if parts is None else _raw(entry, parts)
    if isinstance(raw, Missing):
        return raw
    if isinstance(raw, Overlay):
        return _of_overlay(raw)
    found = searchable(raw.content)
    if found is None:
        return Missing(raw.path, MissingReason.BINARY, f"{entry.relative} is binary.")
    return Text(found.text, raw)


def plain_text(entry: FileEntry, parts: Parts) -> Text:
    """The text of a plain file that was read as a whole."""
    raw = _raw(entry, parts)
    return Text(with_plain_line_ends(raw.content), raw)


def document_of(snapshot: WorkspaceSnapshot, text: Text) -> Document | Missing:
    """The document that was searched, to show lines of it."""
    if isinstance(text.source, Overlay):
        return text.source.document
    return snapshot.cache.document(snapshot.folders, text.source)


def unsearchable(snapshot: WorkspaceSnapshot) -> Mapping[FileEntry, MissingReason]:
    """The files the index never looks into, with the reason."""
    looked_into = snapshot.overlays.keys() | _young(snapshot).keys()
    return {
        entry: MissingReason.BINARY
        for entry in snapshot.text.unsearchable()
        if entry.path not in looked_into
    }


def _young(snapshot: WorkspaceSnapshot) -> dict[str, FileEntry]:
    """By path the listed files that may have changed since they were indexed, unnoticed."""
    now, overlays = time.time_ns(), snapshot.overlays
    return {
        entry.path: entry
        for entry in snapshot.text.young
        if is_racy(entry.mtime_ns, entry.ctime_ns, now)
        and entry.path not in overlays
        and snapshot.listing.get(entry.path) == entry
    }


def _led_to(snapshot: WorkspaceSnapshot, link: FileEntry) -> FileEntry | None:
    """The listed file that a link leads to now, as its stamp proves; None where that is not so."""
    try:
        steps = os.path.join(os.path.dirname(link.path), os.readlink(link.path))
        target = snapshot.listing.get(os.path.normpath(steps))
        if target is None or Stamp.of(os.stat(link.path))[:4] != listed_stamp(target):
            return None
    except (OSError, ValueError):  # whoever reads the link says what is wrong with it
        return None
    return target


def _load(snapshot: WorkspaceSnapshot, entry: FileEntry) -> Overlay | Raw | Missing:
    def load(path: str) -> Raw | Missing:
        return load_listed(snapshot.folders, path, snapshot.cache.max_file_bytes)

    return masked(snapshot.overlays, entry.path, load)


def _raw(entry: FileEntry, parts: Parts) -> Raw:
    """A file that was read as a whole."""
    (content,) = parts.contents
    return Raw(entry.path, Stamp(*listed_stamp(entry), parts.device), content)


def _of_overlay(overlay: Overlay) -> Text:
    return Text(as_searched(overlay.text), overlay)
