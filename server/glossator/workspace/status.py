"""The state of the workspace: figures of listing, cache and index, for people and for logs.

A client of the server imports this, so it imports only values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from glossator.worker import JobProgress, WorkerState


@dataclass(frozen=True, slots=True)
class CacheStatistics:
    """What the read cache did and holds; `bytes` is its memory.

    `dedupes` counts the texts that were not kept again, because another file has the same.
    """

    hits: int
    misses: int
    dedupes: int
    entries: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """`count` paths left out by one rule or for one reason; a directory counts once."""

    rule: str
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class Sweep:
    """A look at the whole disk that was completed; `at` is the time since 1970 it began."""

    cause: str
    at: float
    seconds: float
    differences: int


@dataclass(frozen=True, slots=True)
class TextStatistics:
    """Figures of the index; `in_memory` documents are in no segment."""

    segments: int
    documents: int  # in segments, valid now
    pending: int
    in_memory: int
    disk_bytes: int
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class TextIndexStatus:
    """The state of the index; `disk` gives for each root "on", or why it has no index on disk.

    `problems`: why it cannot be written now, each with a next step. `stopped`: by the user. Of the
    pending files, so many are `never` indexed as they are: links, and what cannot be read.
    """

    text: TextStatistics
    disk: tuple[tuple[str, str], ...]
    building: JobProgress | None
    stopped: bool
    problems: tuple[str, ...]
    worker: WorkerState
    never: int = 0


@dataclass(frozen=True, slots=True)
class WorkspaceStatus:
    """The state of the workspace; `watcher` as `Watcher.status`."""

    roots: tuple[str, ...]
    files: int
    open_documents: int
    revision: int
    scanning: bool
    watcher: str
    last_sweep: Sweep | None
    index: TextIndexStatus
    cache: CacheStatistics
    skipped: tuple[Skipped, ...]
