"""The files of an index on disk: what the writer tells the catalogue of a segment."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

SUFFIX = ".seg"


@dataclass(frozen=True, slots=True)
class SegmentInfo:
    """A written segment as the catalogue names it."""

    name: str
    bytes: int
    checksum: int
    documents: int


def sync_folder(folder: Path) -> None:
    """Make what was renamed in `folder` safe on disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, content: bytes) -> None:
    """Give `path` this content, all or nothing, by way of a file `.tmp`. Raises `OSError`."""
    unfinished = path.with_suffix(".tmp")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(descriptor)
    unfinished.rename(path)
    sync_folder(path.parent)
