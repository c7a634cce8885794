"""Jobs of the worker process on the index of one root: write segments, check them, free disk space.

A writing job holds the folder's lock. It publishes all its segments at once, so a job that is ended
at any moment leaves the index as it was.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from glossator.core.errors import UsageError
from glossator.worker import Job, JobProgress, Slices
from glossator.workspace.files import listing_cache, state_folder
from glossator.workspace.files.roots import EncodingRule, Roots
from glossator.workspace.files.state_folder import removing, writing
from glossator.workspace.index.layout import VERSION
from glossator.workspace.index.manifest import IndexFolder, ManifestStamp, SegmentInfo
from glossator.workspace.index.merge_policy import MAX_BYTES, MAX_FILES, by_folder
from glossator.workspace.index.searchable import Traits
from glossator.workspace.index.segment import CorruptSegment, Segment

if TYPE_CHECKING:
    from glossator.workspace.index.segment_writer import Reading

_log = logging.getLogger(__name__)

_SLICE_SECONDS = 0.03
_SAMPLE = 24  # trigrams of a file that a check looks up
_MAX_PROBLEMS = 20
_REMEDY = "; rebuild the index."


@dataclass(frozen=True, slots=True)
class Busy:
    """Another job, mostly of another server, writes to the folder."""


@dataclass(frozen=True, slots=True)
class Stale:
    """A manifest was published that the server has not read."""


@dataclass(frozen=True, slots=True)
class Built:
    """The published segments."""

    segments: tuple[SegmentInfo, ...]
    left_out: int  # files that could not be indexed, or not yet


@dataclass(frozen=True, slots=True)
class BuildSegment(Job[Built | Busy | Stale]):
    """Index the files at the absolute `paths` below `root`, in place of the segments `replaces`.

    It writes only if `known`, the manifest's stamp when the server read it, is still current.
    `version` is the format that the server reads: the worker may run a newer program.
    """

    root: str
    folder: str
    paths: tuple[str, ...]
    replaces: frozenset[str]
    known: ManifestStamp | None
    max_file_bytes: int
    version: int = VERSION
    encodings: tuple[EncodingRule, ...] = ()

    def run(self) -> Slices[Built | Busy | Stale]:
        """Lock the folder and write, unless another job does."""
        from glossator.workspace.index.segment_writer import Spoilt  # noqa: PLC0415 - see `_build`

        if self.version != VERSION:
            raise UsageError("Glossator was replaced by another version; restart the server.")
        with writing(self.folder) as ours:
            if not ours:
                return Busy()
            index = IndexFolder(Path(self.folder))
            if index.stamp() != self.known:
                return Stale()
            while True:
                with suppress(Spoilt):  # by a file that the next try leaves out
                    return (yield from self._build(index))

    def _build(self, index: IndexFolder) -> Slices[Built]:
        """Read the files, write segments of a bounded size, and publish them all at once."""
        # numpy, which these need, takes long to import, and a server never runs the job itself
        from glossator.workspace.index.segment_writer import (  # noqa: PLC0415
            LeftOut,
            SegmentWriter,
            mark_file,
        )

        index.tidy()
        roots = Roots((self.root,), self.encodings)
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
                written.append((yield from writer.write(index.segments)))
                writer, text_bytes = SegmentWriter(), 0
            if monotonic() >= pause_at:
                yield JobProgress(done, len(self.paths))
                pause_at = monotonic() + _SLICE_SECONDS
        if len(writer):
            written.append((yield from writer.write(index.segments)))
        if written or self.replaces:
            index.publish(written, self.replaces)
        return Built(tuple(written), left_out)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of a check. `outdated` documents are of changed files, and never used.

    `problems` are sentences, each with a next step; a sound index has none.
    """

    segments: int = 0
    documents: int = 0
    outdated: int = 0
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckSegments(Job[CheckReport]):
    """Verify all checksums, and look up trigrams of every unchanged file; changes nothing."""

    root: str
    folder: str
    max_file_bytes: int
    encodings: tuple[EncodingRule, ...] = ()

    def run(self) -> Slices[CheckReport]:
        """Go through segments and files."""
        # numpy, which this needs, takes long to import, and a server never runs the job itself
        from glossator.workspace.index.segment_writer import LeftOut, read_file  # noqa: PLC0415

        opened = IndexFolder(Path(self.folder)).open()
        problems = [f"{damage}{_REMEDY}" for damage in opened.damage]
        total, done, outdated = sum(segment.documents for segment in opened.segments), 0, 0
        pause_at = monotonic() + _SLICE_SECONDS
        roots = Roots((self.root,), self.encodings)
        for segment in opened.segments:
            try:
                for _ in segment.verify():
                    yield None
                for document, (path, stamp) in enumerate(
                    zip(segment.paths(), segment.stamps(), strict=True)
                ):
                    place = os.path.join(self.root, os.fsdecode(path))
                    reading = yield from read_file(roots, place, self.max_file_bytes)
                    done += 1
                    if isinstance(reading, LeftOut) or reading.stamp != stamp:
                        outdated += 1
                    elif not _holds(segment, document, reading):
                        problems.append(f"{place} is not found by what it holds{_REMEDY}")
                    if monotonic() >= pause_at:
                        yield JobProgress(done, total)
                        pause_at = monotonic() + _SLICE_SECONDS
            except CorruptSegment as error:
                problems.append(f"{error}{_REMEDY}")
        problems += yield from _misremembered(Path(self.folder), self.root)
        return CheckReport(len(opened.segments), total, outdated, _bounded(problems))


def _misremembered(folder: Path, root: str) -> Generator[None, None, list[str]]:
    """Folders whose names differ from the remembered ones."""
    try:
        roots, known = listing_cache.read_folders(folder, root)
    except listing_cache.CorruptFolders as error:
        return [f"{error}{_REMEDY}"]
    problems = []
    for path, facts in known.items():
        yield None
        names = facts.names
        try:
            found = {name for name in os.listdir(path) if os.path.join(path, name) not in roots}
            status = os.lstat(path)  # afterwards: a folder that is as it was held these names
        except OSError:
            continue
        stamp = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
        if stamp == facts[:3] and found != names:
            problems.append(f"{path} does not hold what is remembered of it{_REMEDY}")
    return problems


def _holds(segment: Segment, document: int, reading: Reading) -> bool:
    """Whether the file's trigrams find the document, and the traits are equal."""
    known = Traits.NONE
    for trait, members in (
        (Traits.PLAIN, segment.plain),
        (Traits.EXOTIC, segment.exotic),
        (Traits.BINARY, segment.binary),
    ):
        known |= trait if document in members else Traits.NONE
    if known != reading.traits or Traits.BINARY in known:
        return known == reading.traits
    step = max(1, len(reading.keys) // _SAMPLE)
    return segment.holds(document, reading.keys[::step].tolist())


def _bounded(problems: Sequence[str]) -> tuple[str, ...]:
    more = len(problems) - _MAX_PROBLEMS
    shown = tuple(problems[:_MAX_PROBLEMS])
    return (*shown, f"There are {more} more problems{_REMEDY}") if more > 0 else shown


@dataclass(frozen=True, slots=True)
class Prune(Job[tuple[str, ...]]):
    """Delete the least recently used index folders in `base` until all take `limit` bytes.

    Folders in `spare` stay, and those that another server uses. Returns the deleted folders.
    """

    base: str
    spare: frozenset[str]
    limit: int

    def run(self) -> Slices[tuple[str, ...]]:
        """Add up sizes, most recently used first, and delete folders over the limit."""
        by_use = sorted(
            state_folder.folders(Path(self.base)),
            key=lambda folder: (str(folder) not in self.spare, -state_folder.last_use(folder)),
        )
        total, deleted = 0, []
        for folder in by_use:
            yield None
            over = total + state_folder.disk_bytes(folder) > self.limit
            if over and str(folder) not in self.spare and _delete(folder):
                deleted.append(str(folder))
            else:
                total += state_folder.disk_bytes(folder)
        return tuple(deleted)


def _delete(folder: Path) -> bool:
    """Delete our files in the folder, and then the folder, unless it is in use."""
    try:
        with removing(str(folder)) as unused:
            if not unused:
                return False
            for file in state_folder.files(folder):
                file.unlink(missing_ok=True)
            for inner in state_folder.INNER:
                if (folder / inner).exists():
                    (folder / inner).rmdir()
            folder.rmdir()
    except OSError as error:
        _log.warning("%s, an index that is not needed any more, is not deleted: %s", folder, error)
        return False
    return True
