"""What the index must find, worked out the plain way."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from glossator.workspace.files.entries import FileEntry
from glossator.workspace.index.manifest import SegmentInfo
from glossator.workspace.index.searchable import Traits, searchable, traits
from glossator.workspace.index.segment import DocumentStamp
from glossator.workspace.index.segment_writer import SegmentWriter, framed, passages, trigrams
from glossator.workspace.index.trigrams import Query, key


class TextDocument(NamedTuple):
    """A file by its passages: where each ends, and its distinct trigrams."""

    path: bytes
    stamp: DocumentStamp
    traits: Traits
    passages: tuple[tuple[int, NDArray[np.intp]], ...]

    @property
    def keys(self) -> NDArray[np.intp]:
        return np.unique(np.concatenate([keys for _, keys in self.passages]))


def write_segment(folder: Path, documents: Iterable[TextDocument]) -> SegmentInfo:
    writer = SegmentWriter()
    for path, stamp, held, (*others, last) in documents:
        for end, keys in others:
            writer.seen[keys] = True
            writer.end_passage(end)
        writer.seen[last[1]] = True
        writer.add(path, stamp, held)
    steps = writer.write(folder)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            info: SegmentInfo = done.value
            return info


def literal(text: bytes) -> Query:
    """All trigrams of `text`."""
    return Query(naive_trigrams(text))


def naive_trigrams(text: bytes) -> frozenset[int]:
    return frozenset(key(*text[at : at + 3]) for at in range(len(text) - 2))


def may_match(raw: bytes, query: Query) -> bool:
    """Whether a file of these bytes must be a candidate."""
    found = searchable(raw)
    if found is None:
        return False
    return (query.folds and found.exotic) or meets(naive_trigrams(framed(found.text)), query)


def meets(keys: frozenset[int], query: Query) -> bool:
    return query.keys <= keys and all(
        any(meets(keys, member) for member in group) for group in query.groups
    )


def document(path: str, raw: bytes, stamp: DocumentStamp = (0, 0, 0, 0)) -> TextDocument:
    found = searchable(raw)
    divided = passages(found.text) if found else ((0, b""),)
    held = tuple((end, trigrams(passage)) for end, passage in divided)
    return TextDocument(os.fsencode(path), stamp, traits(found), held)


def entry(path: Path, root: Path) -> FileEntry:
    """The entry of a file as a walk makes it."""
    status = path.lstat()
    return FileEntry(
        str(path),
        str(path.relative_to(root)),
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_ino,
        path.is_symlink(),
    )
