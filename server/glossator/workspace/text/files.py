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
