"""The text index of all roots: which listed files can hold a match, at every moment.

Used from the event-loop thread alone; its frozen views from any thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from glossator.workspace.text.candidates import Candidates
from glossator.workspace.walk import FileEntry

if TYPE_CHECKING:
    from glossator.workspace.text.required import Query


@dataclass(frozen=True, slots=True)
class TextStatistics:
    """Figures of the index; `delta` documents are in memory only."""

    segments: int
    documents: int  # in segments, valid now
    pending: int
    delta: int
    disk_bytes: int
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class TextView:
    """The index at one moment; safe from any thread."""

    pending: tuple[FileEntry, ...]

    def candidates(self, query: Query) -> Candidates:  # noqa: ARG002 - nothing is indexed yet
        """Every listed file in which `query` can be met, or of which nothing is known."""
        return Candidates((), self.pending)

    def unsearchable(self) -> Iterable[FileEntry]:
        """The listed files known to be binary."""
        return ()


class TextIndex:
    """Which listed files are in the index, and which are pending."""

    def __init__(self) -> None:
        self._pending: dict[str, FileEntry] = {}
        self._view: TextView | None = None

    def changed(self, entries: Mapping[str, FileEntry | None]) -> None:
        """Take in new entries of the listing by absolute path; None: no longer listed."""
        for path, entry in entries.items():
            if entry is None:
                self._pending.pop(path, None)
            else:
                self._pending[path] = entry
        self._view = None

    def pending(self) -> Mapping[str, FileEntry]:
        """The listed files without a valid document, by absolute path."""
        return MappingProxyType(self._pending)

    def freeze(self) -> TextView:
        """The index as it is now; the same object until something changes."""
        if self._view is None:
            self._view = TextView(tuple(self._pending.values()))
        return self._view

    def statistics(self) -> TextStatistics:
        """Figures for the user and for logs."""
        return TextStatistics(0, 0, len(self._pending), 0, 0, 0)
