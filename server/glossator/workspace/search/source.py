"""What a search reads: the editor's text of an open document, else the file's bytes.

A `Document` is made only for text that is shown; searching needs the bytes alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from glossator.core.document import Document, Missing, MissingReason
from glossator.workspace.documents.overlays import Overlay, masked
from glossator.workspace.documents.snapshot import WorkspaceSnapshot
from glossator.workspace.files.cache import is_racy
from glossator.workspace.files.disk import Parts, Raw, Stamp, load_listed
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.index.searchable import (
    listed_stamp,
    read_parts,
    searchable,
    with_plain_line_ends,
)
from glossator.workspace.index.trigrams import Candidates, Query, Ranges
from glossator.workspace.search.scan import Pattern, as_searched, holds_match, places_by_text

OPENING = 15_000  # bytes that are searched in the time that opening a file takes


class SearchedText(NamedTuple):
    """A text as it is searched (see `scan.as_searched`), its source, and how that is encoded."""

    content: bytes
    source: Overlay | Raw
    encoding: str = "utf-8"


class FileMatch(NamedTuple):
    """A file that holds a match, with what was read of it.

    `lines` is the number of matching lines, up to a limit for each part; None if it is unknown
    because the file is not plain or not as it was listed. Unless the pattern is multiline, `places`
    are the starts of these matches in a file that was read as a whole.
    """

    entry: FileEntry
    lines: int | None
    parts: Parts | None
    places: Sequence[int]


class Reader:
    """Reads candidates of a search; the `others`, by absolute path, are not plain.

    Of files for which `ranges` gives ranges only these are read; other files have at most `limit`
    bytes.
    """

    def __init__(
        self,
        limit: int,
        others: Container[str],
        ranges: Callable[[FileEntry], Ranges | None],
        pattern: Pattern,
        cancelled: Callable[[], bool],
    ) -> None:
        self.limit = limit
        self._others = others
        self._ranges = ranges
        self.pattern = pattern
        self._cancelled = cancelled

    def parts(self, entry: FileEntry) -> Parts | None:
        """What to search of a plain file, if it is as it was listed."""
        if entry.path in self._others:
            return None
        return read_parts(entry, self._ranges(entry), self.limit)

    def amount(self, entry: FileEntry) -> int:
        """The cost of reading a file, in bytes that are searched in the same time."""
        if ranges := self._ranges(entry):
            return OPENING + sum(end - start for start, end in ranges)
        return OPENING + (entry.size if entry.size <= self.limit else 0)

    def is_other(self, entry: FileEntry) -> bool:
        """Whether the file is not plain."""
        return entry.path in self._others

    def block(
        self, files: Iterator[FileEntry], size: int, largest: float
    ) -> tuple[list[FileEntry], int, Iterator[FileEntry]]:
        """The first files, up to an `amount` of about `size` and before any of more than `largest`.

        Also gives their amount, and the other files.
        """
        block: list[FileEntry] = []
        taken = 0
        for entry in files:
            amount = self.amount(entry)
            if amount > largest:
                return block, taken, chain((entry,), files)
            block.append(entry)
            taken += amount
            if taken > size:
                break
        return block, taken, files

    def holding(self, block: Iterable[FileEntry], most: float) -> Iterator[FileMatch]:
        """The files that hold a match, or may; all are read before the first is yielded.

        At most `most` matching lines are found in each part of a file.
        """
        read: list[tuple[FileEntry, Parts | None]] = []
        texts: list[bytes] = []
        owners: list[int] = []  # the file of each text
        for entry in block:
            if self._cancelled():
                return
            parts = self.parts(entry)
            if parts is not None:
                texts += map(with_plain_line_ends, parts.contents)
                owners += [len(read)] * len(parts.contents)
            read.append((entry, parts))
        found: dict[int, list[Sequence[int]]] = {}
        for place, places in self._places(texts, most).items():
            found.setdefault(owners[place], []).append(places)
        for number, (entry, parts) in enumerate(read):
            if parts is None:
                yield FileMatch(entry, None, None, ())
            elif places_of_parts := found.get(number):
                yield FileMatch(entry, sum(map(len, places_of_parts)), parts, places_of_parts[0])

    def _places(self, texts: Sequence[bytes], most: float) -> Mapping[int, Sequence[int]]:
        pattern, cancelled = self.pattern, self._cancelled
        if not pattern.multiline:
            return places_by_text(texts, pattern, cancelled, most=most)
        holding = (not cancelled() and holds_match(text, pattern) for text in texts)
        return {place: (0,) for place, holds in enumerate(holding) if holds}


def candidates(snapshot: WorkspaceSnapshot, query: Query) -> Candidates:
    """Every file that may meet `query`.

    The others include all open documents, and files that may have changed since they were read.
    """
    view, racy = snapshot.text, _racy(snapshot)
    masked = snapshot.overlays.keys() | racy.keys()
    found = view.candidates(query, masked)

    def misses(link: FileEntry) -> bool:
        target = _led_to(snapshot, link)
        if target is None or target.path in masked or target in found.plain:
            return False
        return view.knows_plain(target)

    always = (*snapshot.open_files, *snapshot.unlisted, *racy.values())
    return replace(found, others=(*found.others, *always), misses=misses)


def read_text(
    snapshot: WorkspaceSnapshot, entry: FileEntry, *, plain: bool = False
) -> SearchedText | Missing:
    """The current text of a listed file; `plain`: it was plain text when it was listed.

    A plain file that did not change needs no decoding, which takes longer than all the rest.
    """
    parts = None
    if entry.path not in snapshot.overlays:
        # its path contains no link, so it is not an open document
        parts = read_parts(entry, None, snapshot.cache.max_file_bytes)
        if parts is not None and plain:
            return plain_text(entry, parts)
    raw = _load(snapshot, entry) if parts is None else _raw(entry, parts)
    if isinstance(raw, Missing):
        return raw
    if isinstance(raw, Overlay):
        return SearchedText(as_searched(raw.text), raw)
    found = searchable(raw.content, snapshot.folders.encoding(raw.path))
    if found is None:
        return Missing(raw.path, MissingReason.BINARY, f"{entry.relative} is binary.")
    return SearchedText(found.text, raw, found.encoding)


def plain_text(entry: FileEntry, parts: Parts) -> SearchedText:
    """The text of a plain file that was read as a whole."""
    raw = _raw(entry, parts)
    return SearchedText(with_plain_line_ends(raw.content), raw)


def document_of(snapshot: WorkspaceSnapshot, text: SearchedText) -> Document | Missing:
    """The searched document, to show lines of it."""
    if isinstance(text.source, Overlay):
        return text.source.document
    return snapshot.cache.document(snapshot.folders, text.source)


def unsearchable(snapshot: WorkspaceSnapshot) -> Mapping[FileEntry, MissingReason]:
    """The files that searches leave out, with the reason."""
    looked_into = snapshot.overlays.keys() | _racy(snapshot).keys()
    return {
        entry: MissingReason.BINARY
        for entry in snapshot.text.unsearchable()
        if entry.path not in looked_into
    }


def _racy(snapshot: WorkspaceSnapshot) -> dict[str, FileEntry]:
    """The indexed files, by path, that may have changed without a change of their stamp."""
    now, overlays = time.time_ns(), snapshot.overlays
    return {
        entry.path: entry
        for entry in snapshot.text.racy
        if is_racy(entry.mtime_ns, entry.ctime_ns, now)
        and entry.path not in overlays
        and snapshot.listing.get(entry.path) == entry
    }


def _led_to(snapshot: WorkspaceSnapshot, link: FileEntry) -> FileEntry | None:
    """The listed file that a link leads to, proved by its stamp; None if there is none."""
    try:
        steps = os.path.join(os.path.dirname(link.path), os.readlink(link.path))
        target = snapshot.listing.get(os.path.normpath(steps))
        if target is None or Stamp.of(os.stat(link.path))[:4] != listed_stamp(target):
            return None
    except (OSError, ValueError):  # reading the link reports the error
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
