"""A job that compares the index of one root with files and folders; it changes nothing."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from glossator.files import Roots, folder_file
from glossator.index.manifest import IndexFolder
from glossator.index.plain import Traits
from glossator.index.segment import CorruptSegment, Segment
from glossator.worker import Job, Progress, Slices

if TYPE_CHECKING:
    from glossator.index.reading import Reading

_SLICE_SECONDS = 0.03
_SAMPLE = 24  # trigrams of a file that are looked up
_MAX_PROBLEMS = 20
_REMEDY = "; rebuild the index."


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was found. `outdated` documents are of files that changed; they are never used.

    `problems` are sentences, each with a next step; there should be none.
    """

    segments: int = 0
    documents: int = 0
    outdated: int = 0
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckSegments(Job[CheckReport]):
    """Verify every checksum, and look trigrams of every unchanged file up in its segment."""

    root: str
    folder: str
    max_file_bytes: int

    def run(self) -> Slices[CheckReport]:
        """Go through segments and files."""
        # numpy, which this needs, takes long to import, and a server never runs the job itself
        from glossator.index.reading import LeftOut, read_file  # noqa: PLC0415

        opened = IndexFolder(Path(self.folder)).open()
        problems = [f"{damage}{_REMEDY}" for damage in opened.damage]
        total, done, outdated = sum(segment.documents for segment in opened.segments), 0, 0
        pause_at = monotonic() + _SLICE_SECONDS
        roots = Roots((self.root,))
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
                        yield Progress(done, total)
                        pause_at = monotonic() + _SLICE_SECONDS
            except CorruptSegment as error:
                problems.append(f"{error}{_REMEDY}")
        problems += yield from _misremembered(Path(self.folder), self.root)
        return CheckReport(len(opened.segments), total, outdated, _bounded(problems))


def _misremembered(folder: Path, root: str) -> Generator[None, None, list[str]]:
    """Folders that hold other names than is remembered of them."""
    try:
        roots, known = folder_file.read_folders(folder, root)
    except folder_file.CorruptFolders as error:
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
    """Whether the document is found by its trigrams, and its traits are the file's."""
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
