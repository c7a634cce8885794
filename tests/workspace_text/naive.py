"""What the index must find, worked out the plain way."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from glossator.workspace.text.fold import key
from glossator.workspace.text.plain import searchable, traits
from glossator.workspace.text.query import Query
from glossator.workspace.text.segment import Stamp
from glossator.workspace.text.segment_writer import TextDocument
from glossator.workspace.text.trigrams import trigrams
from glossator.workspace.walk import FileEntry


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
    return (query.folds and found.exotic) or meets(naive_trigrams(found.text), query)


def meets(keys: frozenset[int], query: Query) -> bool:
    return query.keys <= keys and all(
        any(meets(keys, member) for member in group) for group in query.groups
    )


def document(path: str, raw: bytes, stamp: Stamp = (0, 0, 0, 0)) -> TextDocument:
    found = searchable(raw)
    keys = trigrams(found.text) if found else np.empty(0, np.intp)
    return TextDocument(path.encode(), stamp, traits(found), keys)


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
