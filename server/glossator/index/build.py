"""Jobs that write the text index of one root: its files' trigrams, in segments.

A job holds the folder's lock for as long as it takes, and writes only if its server knows all that
is published: what others wrote meanwhile would be written twice. Whatever a job wrote counts only
once it is published, so one that was ended at any moment leaves the index as it was.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from glossator.core.errors import UsageError
from glossator.files import Roots
from glossator.index.files import SegmentInfo
from glossator.index.layout import VERSION
from glossator.index.lock import writing
from glossator.index.manifest import IndexFolder, Stamp
from glossator.index.policy import MAX_BYTES, MAX_FILES, by_folder
from glossator.worker import Job, Progress, Slices

if TYPE_CHECKING:
    from glossator.index.segment_writer import SegmentWriter

_SLICE_SECONDS = 0.03


@dataclass(frozen=True, slots=True)
class Busy:
    """Another job writes to the folder, of another server as a rule."""


@dataclass(frozen=True, slots=True)
class Stale:
    """Something was published that the server does not know."""


@dataclass(frozen=True, slots=True)
class Built:
    """What was published."""

    segments: tuple[SegmentInfo, ...]
    left_out: int  # files that could not be indexed, or not yet


@dataclass(frozen=True, slots=True)
class BuildSegment(Job[Built | Busy | Stale]):
    """Index the files at the absolute `paths` below `root`, in place of the segments `replaces`.

    `known`: the stamp of the catalogue as its server knows it. `version`: of the segments as the
    server reads them; the worker may be of a newer program, if that was replaced meanwhile.
    """

    root: str
    folder: str
    paths: tuple[str, ...]
    replaces: frozenset[str]
    known: Stamp | None
    max_file_bytes: int
    version: int = VERSION

    def run(self) -> Slices[Built | Busy | Stale]:
        """Become the writer, unless there is one, for as long as it takes."""
        if self.version != VERSION:
            raise UsageError("Glossator was replaced by another version; restart the server.")
        with writing(self.folder) as ours:
            if not ours:
                return Busy()
            catalogue = IndexFolder(Path(self.folder))
            if catalogue.stamp() != self.known:
                return Stale()
            return (yield from self._build(catalogue))

    def _build(self, catalogue: IndexFolder) -> Slices[Built]:
        """Read the files, write segments of a bounded size, and publish them all at once."""
        # numpy, which these need, takes long to import, and a server never runs the job itself
        from glossator.index.reading import LeftOut, mark_file  # noqa: PLC0415
        from glossator.index.segment_writer import SegmentWriter  # noqa: PLC0415

        catalogue.tidy()
        roots = Roots((self.root,))
        written: list[SegmentInfo] = []
        writer, text_bytes, left_out = SegmentWriter(), 0, 0
        pause_at = monotonic() + _SLICE_SECONDS
        for done, path in enumerate(sorted(self.paths, key=by_folder)):
            facts = yield from mark_file(roots, path, self.max_file_bytes, writer)
            if isinstance(facts, LeftOut):
                left_out += 1
            else:
                relative = os.fsencode(path[len(self.root) :].lstrip(os.sep))
                writer.add(relative, *facts)
                text_bytes += facts.stamp[0]
            if len(writer) >= MAX_FILES or text_bytes >= MAX_BYTES:
                written.append((yield from _write(writer, catalogue)))
                writer, text_bytes = SegmentWriter(), 0
            if monotonic() >= pause_at:
                yield Progress(done, len(self.paths))
                pause_at = monotonic() + _SLICE_SECONDS
        if len(writer):
            written.append((yield from _write(writer, catalogue)))
        if written or self.replaces:
            catalogue.publish(written, self.replaces)
        return Built(tuple(written), left_out)


def _write(writer: SegmentWriter, catalogue: IndexFolder) -> Slices[SegmentInfo]:
    return (yield from writer.write(catalogue.segments))
